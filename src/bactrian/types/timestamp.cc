#include "bactrian/types/timestamp.h"

namespace bactrian {

arrow::Result<int64_t> TimestampToUnits(TimestampValue value, int32_t units_per_milli) {
  int64_t units = 0;
  if (__builtin_mul_overflow(value.millis, int64_t{units_per_milli}, &units) ||
      __builtin_add_overflow(units, int64_t{value.nanos / (kNanosPerMilli / units_per_milli)}, &units)) {
    return Invalid("the timestamp ", value.millis, " ms since 1970 is outside of what 64 bits count in units of 1/",
                   int64_t{units_per_milli} * 1000, " second");
  }
  return units;
}

}  // namespace bactrian
