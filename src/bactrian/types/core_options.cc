#include "bactrian/types/core_options.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

namespace bactrian {
namespace {

struct Unit {
  std::string_view names;  ///< each between spaces
  int64_t factor;
};

constexpr Unit kMemoryUnits[] = {
    {"  b bytes ", 1},
    {" k kb kibibytes ", int64_t{1} << 10},
    {" m mb mebibytes ", int64_t{1} << 20},
    {" g gb gibibytes ", int64_t{1} << 30},
    {" t tb tebibytes ", int64_t{1} << 40},
};

constexpr int64_t kNanosPerMilli = 1000000;
constexpr Unit kDurationUnits[] = {
    {" ns nano nanos nanosecond nanoseconds ", 1},
    {" µs micro micros microsecond microseconds ", 1000},
    {"  ms milli millis millisecond milliseconds ", kNanosPerMilli},
    {" s sec secs second seconds ", 1000 * kNanosPerMilli},
    {" m min minute minutes ", 60 * 1000 * kNanosPerMilli},
    {" h hour hours ", 3600 * 1000 * kNanosPerMilli},
    {" d day days ", 86400 * 1000 * kNanosPerMilli},
};

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// A whole number and a unit's name, which may be empty.
arrow::Result<std::pair<int64_t, int64_t>> ParseWithUnit(std::string_view text, std::span<const Unit> units,
                                                         std::string_view what) {
  const std::string_view trimmed = Trim(text);
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  if (error != std::errc() || number < 0) return Invalid("'", text, "' is no ", what);
  std::string unit = " ";
  for (char c : Trim(trimmed.substr(static_cast<size_t>(stop - trimmed.data())))) {
    unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  unit += ' ';
  const auto found = std::find_if(units.begin(), units.end(),
                                  [&](const Unit& candidate) { return candidate.names.find(unit) != std::string_view::npos; });
  if (found == units.end()) return Invalid("'", text, "' is no ", what, ": unknown unit");
  return std::pair(number, found->factor);
}

template <typename T>
arrow::Result<T> ParseNumber(std::string_view text) {
  T number{};
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size()) return Invalid("'", text, "' is no number");
  return number;
}

arrow::Result<bool> ParseBool(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "true") return true;
  if (lower == "false") return false;
  return Invalid("'", text, "' is neither true nor false");
}

/// `parse` of the option's text, or the default; errors name the option.
template <typename T, typename Parse>
arrow::Result<T> GetParsed(const CoreOptions& options, std::string_view key, T default_value, Parse parse) {
  const std::optional<std::string> text = options.Get(key);
  if (!text) return default_value;
  arrow::Result<T> value = parse(*text);
  if (!value.ok()) return Invalid("option '", key, "': ", value.status().message());
  return value;
}

}  // namespace

arrow::Result<int64_t> ParseMemorySize(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const auto parsed, ParseWithUnit(text, kMemoryUnits, "size"));
  const auto [number, factor] = parsed;
  if (number > std::numeric_limits<int64_t>::max() / factor) return Invalid("'", text, "' is too large a size");
  return number * factor;
}

arrow::Result<int64_t> ParseDurationMillis(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const auto parsed, ParseWithUnit(text, kDurationUnits, "duration"));
  const auto [number, factor] = parsed;
  if (factor < kNanosPerMilli) return number / (kNanosPerMilli / factor);
  const int64_t millis = factor / kNanosPerMilli;
  if (number > std::numeric_limits<int64_t>::max() / millis) return Invalid("'", text, "' is too long a duration");
  return number * millis;
}

std::optional<std::string> CoreOptions::Get(std::string_view key) const {
  const auto it = options_.find(std::string(key));
  return it == options_.end() ? std::nullopt : std::optional(it->second);
}

std::string CoreOptions::GetString(std::string_view key, std::string_view default_value) const {
  return Get(key).value_or(std::string(default_value));
}

arrow::Result<int64_t> CoreOptions::GetInt(std::string_view key, int64_t default_value) const {
  return GetParsed(*this, key, default_value, ParseNumber<int64_t>);
}

arrow::Result<bool> CoreOptions::GetBool(std::string_view key, bool default_value) const {
  return GetParsed(*this, key, default_value, ParseBool);
}

arrow::Result<double> CoreOptions::GetDouble(std::string_view key, double default_value) const {
  return GetParsed(*this, key, default_value, ParseNumber<double>);
}

arrow::Result<int64_t> CoreOptions::GetMemorySize(std::string_view key, int64_t default_value) const {
  return GetParsed(*this, key, default_value, ParseMemorySize);
}

arrow::Result<int64_t> CoreOptions::GetDurationMillis(std::string_view key, int64_t default_value) const {
  return GetParsed(*this, key, default_value, ParseDurationMillis);
}

}  // namespace bactrian
