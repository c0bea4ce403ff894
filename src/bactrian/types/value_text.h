/// Pieces of value text that more than one caller needs.
#pragma once

#include <cstdint>
#include <string>

#include "bactrian/value.h"

namespace bactrian {

struct TimestampParts {
  int64_t days;  ///< since 1970-01-01
  int64_t second_of_day;
  int64_t nano_of_second;
};
TimestampParts SplitTimestamp(const TimestampValue& value);

/// java.time.LocalDateTime.toString(): "2024-01-01T00:00", "2024-01-01T10:20:30.123"; zero seconds and digits that come in
/// threes are left out.
std::string IsoLocalText(const TimestampValue& value);

/// Plain digits with all of the scale's places, as in "-0.05".
std::string DecimalText(const arrow::Decimal128& unscaled, int32_t scale);

}  // namespace bactrian
