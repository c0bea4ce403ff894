/// Between Paimon's points in time and the integers of Arrow's timestamp[ms | us | ns].
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>

#include "bactrian/value.h"

namespace bactrian {

inline constexpr int32_t kNanosPerMilli = 1000000;

/// The unit in which ToArrowType holds timestamps of this precision.
inline arrow::TimeUnit::type UnitOfPrecision(int32_t precision) {
  return precision <= 3 ? arrow::TimeUnit::MILLI : precision <= 6 ? arrow::TimeUnit::MICRO : arrow::TimeUnit::NANO;
}
/// How many of a unit (not seconds) make a millisecond: 1, 1,000 or 1,000,000.
inline int32_t UnitsPerMilli(arrow::TimeUnit::type unit) {
  return unit == arrow::TimeUnit::MILLI ? 1 : unit == arrow::TimeUnit::MICRO ? 1000 : kNanosPerMilli;
}
inline int32_t UnitsPerMilli(const DataType& type) { return UnitsPerMilli(UnitOfPrecision(type.precision())); }

inline int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  ///< b > 0
inline int64_t FloorMod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }  ///< b > 0

inline TimestampValue TimestampFromUnits(int64_t units, int32_t units_per_milli) {
  const auto rest = static_cast<int32_t>(FloorMod(units, units_per_milli));
  return {FloorDiv(units, units_per_milli), rest * (kNanosPerMilli / units_per_milli)};
}

/// kInvalid for a point in time that the unit cannot count to in 64 bits; finer digits are cut.
arrow::Result<int64_t> TimestampToUnits(TimestampValue value, int32_t units_per_milli);

}  // namespace bactrian
