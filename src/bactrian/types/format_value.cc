/// Values as text, as the reference's CAST(x AS STRING) prints them.
#include "bactrian/types/calendar.h"
#include "bactrian/types/java_text.h"
#include "bactrian/types/timestamp.h"
#include "bactrian/types/value_text.h"
#include "bactrian/value.h"

namespace bactrian {
namespace {

/// The reference's arithmetic, which only means something for 0 … 10^digits - 1.
void AppendPadded(int64_t number, int digits, std::string* text) {
  int64_t divisor = 1;
  while (--digits > 0) divisor *= 10;
  for (; divisor > 0; divisor /= 10) *text += static_cast<char>('0' + number / divisor % 10);
}

void AppendDate(int64_t days, std::string* text) {
  const CivilDate date = CivilFromDays(days);
  AppendPadded(date.year, 4, text);
  *text += '-';
  AppendPadded(date.month, 2, text);
  *text += '-';
  AppendPadded(date.day, 2, text);
}

void AppendClock(int64_t seconds_of_day, std::string* text) {
  AppendPadded(seconds_of_day / 3600, 2, text);
  *text += ':';
  AppendPadded(seconds_of_day / 60 % 60, 2, text);
  *text += ':';
  AppendPadded(seconds_of_day % 60, 2, text);
}

std::string TimeText(int64_t millis_of_day, int32_t precision) {
  std::string text;
  AppendClock(millis_of_day / 1000, &text);
  int64_t rest = millis_of_day % 1000;
  if (precision > 0) text += '.';
  for (; precision > 0; --precision) {
    text += static_cast<char>('0' + rest / 100);
    rest = rest % 100 * 10;
    if (rest == 0) break;
  }
  return text;
}

/// Nine digits without the zeros at their end, but no fewer than `at_least`.
std::string Fraction(int64_t nanos_of_second, size_t at_least) {
  std::string digits;
  AppendPadded(nanos_of_second, 9, &digits);
  while (digits.size() > at_least && digits.back() == '0') digits.pop_back();
  return digits.empty() ? "" : "." + digits;
}

std::string TimestampText(const TimestampValue& value, int32_t precision) {
  const TimestampParts parts = SplitTimestamp(value);
  std::string text;
  AppendDate(parts.days, &text);
  text += ' ';
  AppendClock(parts.second_of_day, &text);
  return text + Fraction(parts.nano_of_second, static_cast<size_t>(precision));
}

}  // namespace

TimestampParts SplitTimestamp(const TimestampValue& value) {
  constexpr int64_t kMillisPerDay = 86400000;
  const int64_t millis_of_day = FloorMod(value.millis, kMillisPerDay);
  return {FloorDiv(value.millis, kMillisPerDay), millis_of_day / 1000, millis_of_day % 1000 * kNanosPerMilli + value.nanos};
}

std::string IsoLocalText(const TimestampValue& value) {
  const TimestampParts parts = SplitTimestamp(value);
  const CivilDate date = CivilFromDays(parts.days);
  std::string text;
  if (date.year >= 0 && date.year <= 9999) {
    AppendDate(parts.days, &text);
  } else {
    std::string year = std::to_string(date.year < 0 ? -date.year : date.year);
    if (year.size() < 4) year.insert(0, 4 - year.size(), '0');
    text = (date.year < 0 ? "-" : "+") + year;
    for (const int32_t part : {date.month, date.day}) {
      text += '-';
      AppendPadded(part, 2, &text);
    }
  }
  std::string clock;
  AppendClock(parts.second_of_day, &clock);
  text += 'T';
  if (parts.second_of_day % 60 == 0 && parts.nano_of_second == 0) return text + clock.substr(0, 5);
  text += clock;
  if (parts.nano_of_second == 0) return text;
  const size_t digits = parts.nano_of_second % 1000000 == 0 ? 3 : parts.nano_of_second % 1000 == 0 ? 6 : 9;
  return text + Fraction(parts.nano_of_second, digits);
}

std::string FormatValue(const Value& value, const DataType& type) {
  if (IsNull(value)) return "null";
  if (const auto* v = std::get_if<bool>(&value)) return *v ? "true" : "false";
  if (const auto* v = std::get_if<float>(&value)) return JavaFloatText(*v);
  if (const auto* v = std::get_if<double>(&value)) return JavaDoubleText(*v);
  if (const auto* v = std::get_if<arrow::Decimal128>(&value)) return DecimalText(*v, type.scale());
  if (const auto* v = std::get_if<TimestampValue>(&value)) return TimestampText(*v, type.precision());
  if (const auto* v = std::get_if<std::string>(&value)) return *v;
  const int64_t integer = std::get<int64_t>(value);
  if (type.root() == TypeRoot::kTime) return TimeText(integer, type.precision());
  if (type.root() != TypeRoot::kDate) return std::to_string(integer);
  std::string text;
  AppendDate(integer, &text);
  return text;
}

std::string DecimalText(const arrow::Decimal128& unscaled, int32_t scale) {
  std::string digits = unscaled.ToIntegerString();
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  const auto places = static_cast<size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, 1, '.');
  return negative ? "-" + digits : digits;
}

}  // namespace bactrian
