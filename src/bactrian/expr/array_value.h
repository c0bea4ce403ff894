/// Single values in and out of arrays of ToArrowType(type), for what cannot be done a column at a time.
#pragma once

#include <arrow/type_fwd.h>

#include "bactrian/value.h"

namespace bactrian {

/// The value of row `i` of an array of ToArrowType(type), `type` atomic; null for a null row.
Value ValueAt(const arrow::Array& array, int64_t i, const DataType& type);

/// Appends to a builder of ToArrowType(type). kInvalid for a timestamp that its unit cannot hold.
arrow::Status AppendValue(const Value& value, const DataType& type, arrow::ArrayBuilder* builder);

}  // namespace bactrian
