#pragma once

#include <arrow/type_fwd.h>

#include <string>

#include "bactrian/data_type.h"

namespace bactrian {

/// kInvalid, naming the column or nested field, for a null where the type is NOT NULL and for text or bytes beyond the
/// type's length, at every level of nesting.
arrow::Status CheckValues(const arrow::Array& array, const DataType& type, const std::string& name);

}  // namespace bactrian
