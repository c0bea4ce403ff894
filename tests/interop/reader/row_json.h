#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian::interop {

/// Appends `text` as a JSON string.
void AppendString(std::string_view text, std::string* json);

/// Appends one row as a JSON object in the corpus' encoding (tests/interop/README.md). `kind` is "+I" and so on,
/// or empty for a row without one.
arrow::Status AppendRow(const arrow::RecordBatch& batch, const std::vector<Field>& fields, int64_t row, std::string_view kind,
                        std::string* json);

}  // namespace bactrian::interop
