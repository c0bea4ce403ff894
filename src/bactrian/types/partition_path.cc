#include "bactrian/types/partition_path.h"

#include "bactrian/base/utf8.h"
#include "bactrian/types/value_text.h"

namespace bactrian {
namespace {

constexpr std::string_view kEscaped = "\"#%'*/:=?\\{}[]^\x7f";

/// java.lang.Character.isWhitespace.
bool IsJavaWhitespace(uint32_t c) {
  if (c <= ' ') return (c >= '\t' && c <= '\r') || c >= 0x1c;
  const bool no_break = c == 0x2007;
  return c == 0x1680 || (c >= 0x2000 && c <= 0x200a && !no_break) || c == 0x2028 || c == 0x2029 || c == 0x205f || c == 0x3000;
}

bool IsBlank(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    if (!IsJavaWhitespace(NextCodePoint(text, &i))) return false;
  }
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string EscapePathName(std::string_view name) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || kEscaped.find(c) != std::string_view::npos) {
      escaped += '%';
      escaped += kHex[byte >> 4];
      escaped += kHex[byte & 15];
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string UnescapePathName(std::string_view name) {
  std::string plain;
  for (size_t i = 0; i < name.size(); ++i) {
    const int high = name[i] == '%' && i + 2 < name.size() ? HexDigit(name[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(name[i + 2]) : -1;
    if (low < 0) {
      plain += name[i];
      continue;
    }
    // The reference takes the two digits for a UTF-16 unit, not for a byte of UTF-8.
    const int unit = high * 16 + low;
    if (unit >= 0x80) plain += static_cast<char>(0xc0 | unit >> 6);
    plain += static_cast<char>(unit < 0x80 ? unit : 0x80 | (unit & 0x3f));
    i += 2;
  }
  return plain;
}

arrow::Result<std::optional<std::string>> PartitionValueText(const Value& value, const DataType& type, bool legacy_name) {
  if (IsNull(value)) return std::nullopt;
  std::string text;
  if (legacy_name) {
    // The legacy name is Java's text of the internal value; for an array of bytes that is its address.
    if (type.is_binary()) return Unsupported("a partition by ", type.ToSqlString(), " with option partition.legacy-name");
    const auto* timestamp = std::get_if<TimestampValue>(&value);
    const auto* integer = std::get_if<int64_t>(&value);
    text = timestamp != nullptr ? IsoLocalText(*timestamp)
           : integer != nullptr ? std::to_string(*integer)
                                : FormatValue(value, type);
  } else {
    text = FormatValue(value, type);
  }
  if (IsBlank(text)) return std::nullopt;
  return text;
}

arrow::Result<std::string> PartitionPath(std::span<const Field> partition_fields, std::span<const Value> values,
                                         const PartitionPathOptions& options) {
  if (partition_fields.size() != values.size()) {
    return Invalid(values.size(), " partition values for ", partition_fields.size(), " partition columns");
  }
  std::string path;
  for (size_t i = 0; i < values.size(); ++i) {
    const Field& field = partition_fields[i];
    ARROW_ASSIGN_OR_RAISE(const auto text, PartitionValueText(values[i], *field.type, options.legacy_name));
    if (i > 0) path += '/';
    path += EscapePathName(field.name) + "=" + EscapePathName(text.value_or(options.default_name));
  }
  return path;
}

arrow::Result<std::vector<std::pair<std::string, std::optional<std::string>>>> ParsePartitionPath(
    std::string_view path, const PartitionPathOptions& options) {
  std::vector<std::pair<std::string, std::optional<std::string>>> parts;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
      return Invalid("'", part, "' is no partition directory (name=value)");
    }
    std::string text = UnescapePathName(part.substr(equals + 1));
    const bool is_default = text == options.default_name;
    parts.emplace_back(UnescapePathName(part.substr(0, equals)), is_default ? std::nullopt : std::optional(std::move(text)));
  }
  return parts;
}

}  // namespace bactrian
