#include "bactrian/types/calendar.h"

#include "bactrian/types/timestamp.h"

namespace bactrian {
namespace {

// Years are counted from March, so that the leap day is the last of a year; 400 of them make an era.
constexpr int64_t kDaysPerEra = 146097;
constexpr int64_t kDaysToEpoch = 719468;  ///< from 0000-03-01 to 1970-01-01

}  // namespace

CivilDate CivilFromDays(int64_t days) {
  const int64_t shifted = days + kDaysToEpoch;
  const int64_t era = FloorDiv(shifted, kDaysPerEra), day_of_era = FloorMod(shifted, kDaysPerEra);
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto march_month = static_cast<int32_t>((5 * day_of_year + 2) / 153);
  const int32_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int32_t>(day_of_year - (153 * march_month + 2) / 5 + 1)};
}

int64_t DaysFromCivil(const CivilDate& date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = FloorDiv(year, 400), year_of_era = FloorMod(year, 400);
  const int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * kDaysPerEra + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - kDaysToEpoch;
}

int32_t DaysInMonth(int64_t year, int32_t month) {
  constexpr int32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

}  // namespace bactrian
