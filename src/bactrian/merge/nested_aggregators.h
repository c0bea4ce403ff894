#pragma once

#include <memory>
#include <string_view>

#include "bactrian/merge/aggregator.h"

namespace bactrian {

/// collect, merge_map, merge_map_with_keytime, nested_update (format reference: merge.md §6). Null when `name` is none of them.
arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedAggregator(std::string_view name, const Field& field,
                                                                      const Options& options);

}  // namespace bactrian
