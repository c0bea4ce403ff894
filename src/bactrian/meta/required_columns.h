#pragma once

#include <arrow/type_fwd.h>

#include <string_view>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

/// kCorrupt, naming the file, if a NOT NULL column of `fields` holds a null (as it does when the file lacks the column), at any
/// depth. `batch` has the schema ToArrowSchema(fields).
arrow::Status CheckRequiredColumns(const arrow::RecordBatch& batch, const std::vector<Field>& fields, std::string_view path);

}  // namespace bactrian
