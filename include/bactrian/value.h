/// One value of an atomic Paimon type: what partitions, bounds and predicate literals are made of.
///
///   ARROW_ASSIGN_OR_RAISE(Value v, ParseValue("2024-01-01", *date_type));   // days since 1970-01-01
///   FormatValue(v, *date_type);                                            // "2024-01-01"
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "bactrian/data_type.h"

namespace bactrian {

/// A point in time as Paimon stores it; `nanos` is within the millisecond, 0 … 999,999, also before 1970.
struct TimestampValue {
  int64_t millis = 0;
  int32_t nanos = 0;
  auto operator<=>(const TimestampValue&) const = default;
};

/// null (monostate); BOOLEAN bool; TINYINT…BIGINT, DATE (days), TIME (milliseconds of the day) int64_t; FLOAT float;
/// DOUBLE double; DECIMAL the unscaled number; TIMESTAMP and LTZ TimestampValue; CHAR, VARCHAR, BINARY, VARBINARY bytes.
using Value = std::variant<std::monostate, bool, int64_t, float, double, arrow::Decimal128, TimestampValue, std::string>;

inline bool IsNull(const Value& value) { return value.index() == 0; }

/// Orders two non-null values of one type as the reference does: strings and binary by unsigned bytes; floats as Java
/// does: -0.0 below 0.0, NaN equal to itself and above all.
BACTRIAN_EXPORT std::strong_ordering CompareValues(const Value& a, const Value& b);

/// Casts text to a value as the reference's CAST(STRING AS type) does; an error for text that is no such value.
/// TIMESTAMP WITH LOCAL TIME ZONE is read in UTC.
BACTRIAN_EXPORT arrow::Result<Value> ParseValue(std::string_view text, const DataType& type);

/// The text that the reference's CAST(x AS STRING) gives; "null" for null.
BACTRIAN_EXPORT std::string FormatValue(const Value& value, const DataType& type);

/// Between an Arrow scalar of ToArrowType(type) and a value.
BACTRIAN_EXPORT arrow::Result<Value> FromScalar(const arrow::Scalar& scalar, const DataType& type);
BACTRIAN_EXPORT arrow::Result<std::shared_ptr<arrow::Scalar>> ToScalar(const Value& value, const DataType& type);

}  // namespace bactrian
