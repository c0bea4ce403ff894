#pragma once

#include "bactrian/schema.h"

namespace bactrian {

/// Checks a schema that is about to be written (format reference: schema.md §2, §4): names, keys, their types, bucket options
/// and default values. kInvalid says what is wrong. Options that the engine does not know pass.
arrow::Status ValidateTableSchema(const TableSchema& schema);

}  // namespace bactrian
