/// Between Paimon's points in time and the integers of Arrow's timestamp[ms | us | ns].
#pragma once

#include <cstdint>

#include "bactrian/value.h"

namespace bactrian {

inline constexpr int32_t kNanosPerMilli = 1000000;

/// How many of an Arrow timestamp's units make a millisecond, by the type's precision: 1, 1,000 or 1,000,000.
inline int32_t UnitsPerMilli(const DataType& type) {
  return type.precision() <= 3 ? 1 : type.precision() <= 6 ? 1000 : kNanosPerMilli;
}

inline int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  ///< b > 0
inline int64_t FloorMod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }  ///< b > 0

inline TimestampValue TimestampFromUnits(int64_t units, int32_t units_per_milli) {
  const auto rest = static_cast<int32_t>(FloorMod(units, units_per_milli));
  return {FloorDiv(units, units_per_milli), rest * (kNanosPerMilli / units_per_milli)};
}

/// kInvalid for a point in time that the unit cannot count to in 64 bits; finer digits are cut.
arrow::Result<int64_t> TimestampToUnits(TimestampValue value, int32_t units_per_milli);

}  // namespace bactrian
