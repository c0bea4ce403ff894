#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bactrian/table/system/system_table.h"

namespace bactrian {

/// The keys of `options` in the order in which the reference prints those of a stored schema: that of a Java hash map into
/// which they were put as the file has them. Keys that the file lacks come last.
arrow::Result<std::vector<std::string>> OptionOrder(const SystemTableContext& context, int64_t schema_id,
                                                    const Options& options);

}  // namespace bactrian
