#include "bactrian/types/timestamp.h"

namespace bactrian {

arrow::Result<int64_t> TimestampToUnits(TimestampValue value, int32_t units_per_milli) {
  // Before 1970 the milliseconds alone may be out of range where the sum is not.
  const __int128 units =
      static_cast<__int128>(value.millis) * units_per_milli + value.nanos / (kNanosPerMilli / units_per_milli);
  if (units != static_cast<int64_t>(units)) {
    return Invalid("the timestamp ", value.millis, " ms since 1970 is outside of what 64 bits count in units of 1/",
                   int64_t{units_per_milli} * 1000, " second");
  }
  return static_cast<int64_t>(units);
}

}  // namespace bactrian
