/// Single values in and out of arrays of ToArrowType(type), for what cannot be done a column at a time.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>

#include "bactrian/value.h"

namespace bactrian {

/// The unit in which ToArrowType stores timestamps of this precision.
arrow::TimeUnit::type UnitOfPrecision(int32_t precision);

// As in types/timestamp.h, for columns whose unit does not follow from the precision.
TimestampValue TimestampFromUnits(int64_t count, arrow::TimeUnit::type unit);
/// Rounds down what is finer than the unit; nullopt where 64 bits do not reach.
std::optional<int64_t> TimestampToUnits(const TimestampValue& value, arrow::TimeUnit::type unit);

/// The value of row `i` of an array of ToArrowType(type), `type` atomic; null for a null row.
Value ValueAt(const arrow::Array& array, int64_t i, const DataType& type);

/// Appends to a builder of ToArrowType(type). kInvalid for a timestamp that its unit cannot hold.
arrow::Status AppendValue(const Value& value, const DataType& type, arrow::ArrayBuilder* builder);

}  // namespace bactrian
