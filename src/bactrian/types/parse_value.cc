/// Text to values, as the reference's CAST(STRING AS type) reads it.
#include <algorithm>
#include <charconv>
#include <limits>

#include "bactrian/base/utf8.h"
#include "bactrian/types/calendar.h"
#include "bactrian/types/java_text.h"
#include "bactrian/types/timestamp.h"
#include "bactrian/value.h"

namespace bactrian {
namespace {

arrow::Status NoValue(std::string_view text, const DataType& type) {
  constexpr size_t kShown = 100;
  return Invalid("'", text.substr(0, kShown), text.size() > kShown ? "…" : "", "' is no ", type.ToSqlString());
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool AllDigits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit); }

/// Digits, perhaps after a minus.
bool IsNumeric(std::string_view text) { return AllDigits(text.starts_with('-') ? text.substr(1) : text); }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

arrow::Result<Value> ParseBoolean(std::string_view text, const DataType& type) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const char* word : {"t", "true", "y", "yes", "1"}) {
    if (lower == word) return Value(true);
  }
  for (const char* word : {"f", "false", "n", "no", "0"}) {
    if (lower == word) return Value(false);
  }
  return NoValue(text, type);
}

/// A sign, digits, and a fraction that is cut off; the digits may be missing on either side of the point.
template <typename Int>
arrow::Result<Value> ParseInteger(std::string_view text, const DataType& type) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const size_t point = std::min(rest.find('.'), rest.size());
  const std::string_view whole = rest.substr(0, point);
  const std::string_view fraction = point < rest.size() ? rest.substr(point + 1) : std::string_view();
  if (rest.empty() || !std::all_of(whole.begin(), whole.end(), IsDigit) ||
      !std::all_of(fraction.begin(), fraction.end(), IsDigit)) {
    return NoValue(text, type);
  }
  int64_t value = 0;
  for (const char c : whole) {
    const int64_t digit = negative ? '0' - c : c - '0';
    if (__builtin_mul_overflow(value, int64_t{10}, &value) || __builtin_add_overflow(value, digit, &value)) {
      return NoValue(text, type);
    }
  }
  if (value != static_cast<Int>(value)) return NoValue(text, type);
  return Value(value);
}

/// The parts of [sign] digits [. digits] [e exponent], the digits joined without leading zeros: 0.digits * 10^place.
struct DecimalParts {
  bool negative = false;
  std::string digits;
  int64_t place = 0;
};

arrow::Result<DecimalParts> SplitDecimal(std::string_view text, const DataType& type) {
  DecimalParts parts;
  std::string_view rest = text;
  parts.negative = rest.starts_with('-');
  if (parts.negative || rest.starts_with('+')) rest.remove_prefix(1);
  const size_t mark = rest.find_first_of("eE");
  const std::string_view mantissa = rest.substr(0, mark);
  int32_t exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view number = rest.substr(mark + 1);
    if (number.starts_with('+')) number.remove_prefix(1);
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), exponent);
    if (error != std::errc() || stop != number.data() + number.size()) return NoValue(text, type);
  }
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  parts.digits = mantissa.substr(0, point);
  if (point < mantissa.size()) parts.digits += mantissa.substr(point + 1);
  if (!AllDigits(parts.digits)) return NoValue(text, type);
  parts.place = static_cast<int64_t>(point) + exponent;
  const size_t zeros = std::min(parts.digits.find_first_not_of('0'), parts.digits.size());
  parts.digits.erase(0, zeros);
  parts.place -= static_cast<int64_t>(zeros);
  return parts;
}

/// Rounded half up; null when the type has too few digits.
arrow::Result<Value> ParseDecimal(std::string_view text, const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(DecimalParts parts, SplitDecimal(text, type));
  const int64_t kept = parts.place + type.scale();
  if (parts.digits.empty() || kept < 0) return Value(arrow::Decimal128(0));
  if (kept > type.precision()) return Value();
  const auto size = static_cast<size_t>(kept);
  const bool round_up = parts.digits.size() > size && parts.digits[size] >= '5';
  parts.digits.resize(size, '0');
  arrow::Decimal128 value(0);
  for (const char c : parts.digits) value = value * 10 + arrow::Decimal128(c - '0');
  if (round_up) value += arrow::Decimal128(1);
  if (!value.FitsInPrecision(type.precision())) return Value();
  return Value(parts.negative ? -value : value);
}

/// An unsigned part of a date or time between blanks, or -1.
int64_t ParsePart(std::string_view text) {
  const std::string_view digits = Trim(text);
  int32_t value = -1;
  if (!AllDigits(digits) || std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) return -1;
  return value;
}

/// Splits at the first `max_parts - 1` separators.
std::vector<std::string_view> Split(std::string_view text, char separator, size_t max_parts) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < max_parts && text.find(separator) != std::string_view::npos) {
    parts.push_back(text.substr(0, text.find(separator)));
    text.remove_prefix(parts.back().size() + 1);
  }
  parts.push_back(text);
  return parts;
}

/// "2024-01-01", "2024-1", "2024 " with blanks around the parts, what follows a blank cut off; or a number of days.
arrow::Result<Value> ParseDate(std::string_view text, const DataType& type) {
  if (IsNumeric(text)) return ParseInteger<int32_t>(text, type);
  const size_t blank = text.find(' ');
  const std::string_view date_text = blank != std::string_view::npos && blank > 0 ? text.substr(0, blank) : text;
  int64_t numbers[] = {0, 1, 1};
  size_t count = 0;
  for (const std::string_view part : Split(date_text, '-', 3)) numbers[count++] = ParsePart(part);
  const auto [year, month, day] = numbers;
  if (year < 0 || year > 9999 || month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, static_cast<int32_t>(month))) {
    return NoValue(text, type);
  }
  return Value(DaysFromCivil({year, static_cast<int32_t>(month), static_cast<int32_t>(day)}));
}

/// Milliseconds of the digits behind the point. The reference takes any other character for a zero, and rounds up before
/// one that is not below '5'.
int64_t ParseMillis(std::string_view fraction) {
  int64_t millis = 0;
  for (size_t i = 0; i < 3; ++i) millis = millis * 10 + (i < fraction.size() && IsDigit(fraction[i]) ? fraction[i] - '0' : 0);
  return fraction.size() > 3 && fraction[3] >= '5' ? millis + 1 : millis;
}

/// "h[:m[:s[.fraction]]]" with an offset "+h[:m]" or "-h[:m]" that is added; or a number of milliseconds. Parts may be
/// larger than a clock shows. Minutes of an offset need the seconds.
arrow::Result<Value> ParseTime(std::string_view text, const DataType& type) {
  if (IsNumeric(text)) return ParseInteger<int32_t>(text, type);
  const size_t minus = text.find('-');
  const size_t sign = minus != std::string_view::npos ? minus : text.find('+');
  std::vector<std::string_view> parts = Split(text.substr(0, sign), ':', 3);
  int64_t millis = 0;
  const size_t point = parts.size() == 3 ? parts[2].find('.') : std::string_view::npos;
  if (point != std::string_view::npos) {
    millis = ParseMillis(Trim(parts[2].substr(point + 1)));
    parts[2] = parts[2].substr(0, point);
  }
  constexpr int64_t kUnits[] = {3600000, 60000, 1000};
  size_t unit = 0;
  for (const std::string_view part : parts) {
    const int64_t number = ParsePart(part);
    if (number < 0) return NoValue(text, type);
    millis += number * kUnits[unit++];
  }
  // The reference looks for the clock's colons in the offset, too.
  if (parts.size() < 3 && sign != std::string_view::npos && text.find(':', sign) != std::string_view::npos) {
    return NoValue(text, type);
  }
  if (sign != std::string_view::npos) {
    unit = 0;
    for (const std::string_view part : Split(text.substr(sign + 1), ':', 2)) {
      const int64_t number = ParsePart(part);
      if (number < 0) return NoValue(text, type);
      millis += number * kUnits[unit++] * (sign == minus ? -1 : 1);
    }
  }
  return Value(int64_t{static_cast<int32_t>(millis)});
}

/// Reads a timestamp from front to back.
class TimestampScanner {
 public:
  explicit TimestampScanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Between `least` and `most` digits; -1 if there are fewer.
  int64_t TakeNumber(size_t least, size_t most) {
    size_t count = 0;
    int64_t value = 0;
    for (; count < most && count < rest_.size() && IsDigit(rest_[count]); ++count) value = value * 10 + (rest_[count] - '0');
    if (count < least) return -1;
    rest_.remove_prefix(count);
    return value;
  }
  /// Two digits, or one, or none, which leaves *value. Further digits must give the same number again, and a minus before
  /// digits is one of the number: the reference's pattern [MM][M] reads both.
  bool TakeField(int64_t* value) {
    size_t digits = 0;
    while (digits < rest_.size() && IsDigit(rest_[digits])) ++digits;
    if (digits == 0) return !(rest_.size() > 1 && rest_[0] == '-' && IsDigit(rest_[1]));
    *value = TakeNumber(1, 2);
    constexpr size_t kMostDigits = 18;
    return digits <= 2 || TakeNumber(1, kMostDigits) == *value;
  }
  /// Up to nine digits as nanoseconds.
  int64_t TakeFraction() {
    int64_t value = 0;
    for (int i = 0; i < 9; ++i) {
      const bool digit = !rest_.empty() && IsDigit(rest_[0]);
      value = value * 10 + (digit ? rest_[0] - '0' : 0);
      if (digit) rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

/// A number counts the units of the type's precision, which only 0, 3, 6 and 9 have.
arrow::Result<Value> ParseNumericTimestamp(std::string_view text, const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(const Value number, ParseInteger<int64_t>(text, type));
  const auto units = std::get<int64_t>(number);
  switch (type.precision()) {
    case 0:  // Java multiplies without looking at the range
      return Value(TimestampValue{static_cast<int64_t>(static_cast<uint64_t>(units) * 1000), 0});
    case 3:
    case 6:
    case 9:
      return Value(TimestampFromUnits(units, UnitsPerMilli(type)));
    default:
      return NoValue(text, type);
  }
}

struct Clock {
  int64_t hour = 0, minute = 0, second = 0, nanos = 0;

  /// Midnight may be 24:00:00.
  bool valid() const {
    return minute < 60 && second < 60 && (hour < 24 || (hour == 24 && minute == 0 && second == 0 && nanos == 0));
  }
};

/// " 10:20:30[.fraction]" or "T10:20[:30[.fraction]]", or nothing.
bool TakeClock(TimestampScanner* scanner, Clock* clock) {
  const bool may_lack_seconds = scanner->Take('T');
  if (!may_lack_seconds && !scanner->Take(' ')) return true;
  if (!scanner->TakeField(&clock->hour) || !scanner->Take(':') || !scanner->TakeField(&clock->minute)) return false;
  if (!scanner->Take(':')) return may_lack_seconds;
  if (!scanner->TakeField(&clock->second)) return false;
  if (scanner->Take('.')) clock->nanos = scanner->TakeFraction();
  return true;
}

/// "2024-01-01" and perhaps a clock: four digits of a year above 0, then numbers that default to the least. A day that its
/// month lacks is the month's last, and 24:00:00 the next day. Digits beyond the precision are cut.
arrow::Result<Value> ParseTimestamp(std::string_view text, const DataType& type) {
  if (type.root() == TypeRoot::kTimestamp && IsNumeric(text)) return ParseNumericTimestamp(text, type);
  TimestampScanner scanner(text);
  const bool long_year = scanner.Take('+');
  const int64_t year = long_year ? scanner.TakeNumber(5, 9) : scanner.TakeNumber(4, 4);
  int64_t month = 1, day = 1;
  Clock clock;
  const bool valid = year > 0 && scanner.Take('-') && scanner.TakeField(&month) && scanner.Take('-') &&
                     scanner.TakeField(&day) && TakeClock(&scanner, &clock) && scanner.done();
  if (!valid || month < 1 || month > 12 || day < 1 || day > 31 || !clock.valid()) return NoValue(text, type);
  int64_t unit = 1;
  for (int32_t digits = type.precision(); digits < 9; ++digits) unit *= 10;
  const int64_t nanos = clock.nanos - clock.nanos % unit;
  const auto last = std::min<int64_t>(day, DaysInMonth(year, static_cast<int32_t>(month)));
  const int64_t days = DaysFromCivil({year, static_cast<int32_t>(month), static_cast<int32_t>(last)});
  const int64_t seconds = days * 86400 + clock.hour * 3600 + clock.minute * 60 + clock.second;
  return Value(TimestampValue{seconds * 1000 + nanos / kNanosPerMilli, static_cast<int32_t>(nanos % kNanosPerMilli)});
}

/// Cut to the type's length in characters; CHAR is filled up with blanks.
Value FitString(std::string_view text, const DataType& type) {
  const auto length = static_cast<size_t>(type.length());
  size_t characters = 0, end = 0;
  while (end < text.size() && characters < length) {
    NextCodePoint(text, &end);
    ++characters;
  }
  std::string fitted(text.substr(0, end));
  if (type.root() == TypeRoot::kChar) fitted.append(length - characters, ' ');
  return fitted;
}

Value FitBinary(std::string_view text, const DataType& type) {
  const auto length = static_cast<size_t>(type.length());
  std::string fitted(text.substr(0, length));
  if (type.root() == TypeRoot::kBinary) fitted.resize(length, '\0');
  return fitted;
}

}  // namespace

arrow::Result<Value> ParseValue(std::string_view text, const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return ParseBoolean(text, type);
    case TypeRoot::kTinyint:
      return ParseInteger<int8_t>(text, type);
    case TypeRoot::kSmallint:
      return ParseInteger<int16_t>(text, type);
    case TypeRoot::kInt:
      return ParseInteger<int32_t>(text, type);
    case TypeRoot::kBigint:
      return ParseInteger<int64_t>(text, type);
    case TypeRoot::kFloat: {
      ARROW_ASSIGN_OR_RAISE(const float value, ParseJavaFloat(text));
      return Value(value);
    }
    case TypeRoot::kDouble: {
      ARROW_ASSIGN_OR_RAISE(const double value, ParseJavaDouble(text));
      return Value(value);
    }
    case TypeRoot::kDecimal:
      return ParseDecimal(text, type);
    case TypeRoot::kDate:
      return ParseDate(text, type);
    case TypeRoot::kTime:
      return ParseTime(text, type);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return ParseTimestamp(text, type);
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return FitString(text, type);
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return FitBinary(text, type);
    default:
      return Unsupported("text as a value of ", type.ToSqlString());
  }
}

}  // namespace bactrian
