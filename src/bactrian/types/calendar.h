/// The proleptic Gregorian calendar for every 32-bit day.
#pragma once

#include <cstdint>

namespace bactrian {

struct CivilDate {
  int64_t year;
  int32_t month;  ///< 1 … 12
  int32_t day;    ///< 1 … 31
};

/// The date `days` after 1970-01-01.
CivilDate CivilFromDays(int64_t days);
/// The inverse; the date must exist.
int64_t DaysFromCivil(const CivilDate& date);
int32_t DaysInMonth(int64_t year, int32_t month);

}  // namespace bactrian
