#include "bactrian/table/write/stats_mode.h"

#include <algorithm>
#include <charconv>

#include "bactrian/types/binary_row.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

constexpr uint32_t kMaxCodePoint = 0x10FFFF;

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

/// Bytes of the first `length` characters.
size_t PrefixBytes(std::string_view text, int32_t length) {
  size_t at = 0;
  for (int32_t i = 0; i < length && at < text.size(); ++i) {
    ++at;
    while (at < text.size() && IsContinuation(text[at])) ++at;
  }
  return at;
}

/// The code point of one valid UTF-8 character.
uint32_t DecodeCharacter(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(character[i])); };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    case 4:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    default:
      return kMaxCodePoint;  // no UTF-8: cannot be incremented
  }
}

void AppendCharacter(uint32_t code, std::string* out) {
  const auto put = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  }
}

bool HasBounds(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kVariant:
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      return false;
    default:
      return !type.is_nested();
  }
}

/// What the reference keeps of one column; nothing at all for types without order.
ColumnStats Reduce(const DataType& type, const StatsMode& mode, const ColumnStats& full) {
  if (mode.kind == StatsMode::Kind::kNone || !HasBounds(type)) return {};
  ColumnStats kept;
  kept.null_count = full.null_count;
  // INT96, which holds precisions above 6, has no order in Parquet.
  const bool int96 = type.is_timestamp() && type.precision() > 6;
  if (mode.kind == StatsMode::Kind::kCounts || int96) return kept;
  if (IsNull(full.min) || IsNull(full.max)) return kept;
  const bool text = type.is_string(), bytes = type.is_binary();
  if (mode.kind == StatsMode::Kind::kFull || (!text && !bytes)) {
    kept.min = full.min, kept.max = full.max;
    return kept;
  }
  const std::string& min = std::get<std::string>(full.min);
  const std::string& max = std::get<std::string>(full.max);
  std::optional<std::string> upper = text ? TruncateMaxString(max, mode.length) : TruncateMaxBinary(max, mode.length);
  if (!upper) return kept;
  kept.min = min.substr(0, text ? PrefixBytes(min, mode.length) : static_cast<size_t>(mode.length));
  kept.max = std::move(*upper);
  return kept;
}

}  // namespace

arrow::Result<StatsMode> StatsMode::Parse(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "none") return StatsMode{Kind::kNone, 0};
  if (lower == "counts") return StatsMode{Kind::kCounts, 0};
  if (lower == "full") return StatsMode{Kind::kFull, 0};
  constexpr std::string_view kPrefix = "truncate(";
  if (lower.starts_with(kPrefix) && lower.ends_with(")")) {
    StatsMode mode{Kind::kTruncate, 0};
    const char* begin = lower.data() + kPrefix.size();
    const char* end = lower.data() + lower.size() - 1;
    const auto [stop, error] = std::from_chars(begin, end, mode.length);
    if (error == std::errc() && stop == end && mode.length > 0) return mode;
  }
  return Invalid("statistics mode '", text, "' is none of none, counts, full, truncate(n)");
}

arrow::Result<std::vector<StatsMode>> StatsModes(const TableSchema& schema) {
  const CoreOptions options(schema.options);
  const auto parse = [](const std::string& key, const std::string& text) -> arrow::Result<StatsMode> {
    arrow::Result<StatsMode> mode = StatsMode::Parse(text);
    if (!mode.ok()) return Invalid("option ", key, ": ", mode.status().message());
    return mode;
  };
  ARROW_ASSIGN_OR_RAISE(StatsMode table_mode,
                        parse("metadata.stats-mode", options.GetString("metadata.stats-mode", "truncate(16)")));
  ARROW_ASSIGN_OR_RAISE(int64_t keep_first, options.GetInt("metadata.stats-keep-first-n-columns", -1));
  std::vector<StatsMode> modes;
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    const std::string key = "fields." + schema.fields[i].name + ".stats-mode";
    if (const std::optional<std::string> text = options.Get(key)) {
      ARROW_ASSIGN_OR_RAISE(StatsMode mode, parse(key, *text));
      modes.push_back(mode);
    } else if (keep_first >= 0 && static_cast<int64_t>(i) >= keep_first) {
      modes.push_back({StatsMode::Kind::kNone, 0});
    } else {
      modes.push_back(table_mode);
    }
  }
  return modes;
}

arrow::Result<ValueStats> MakeValueStats(std::span<const Field> fields, std::span<const StatsMode> modes,
                                         std::span<const ColumnStats> columns, bool dense) {
  if (columns.size() != fields.size()) {
    return MakeError(ErrorKind::kUnknown, "a file writer gave statistics of another number of columns than it wrote");
  }
  std::vector<std::string> kept_names;
  std::vector<TypePtr> types;
  std::vector<Value> min, max;
  ValueStats result;
  for (size_t i = 0; i < fields.size(); ++i) {
    ColumnStats kept = Reduce(*fields[i].type, modes[i], columns[i]);
    if (dense && !kept.null_count && IsNull(kept.min) && IsNull(kept.max)) continue;
    kept_names.push_back(fields[i].name);
    types.push_back(fields[i].type);
    min.push_back(std::move(kept.min));
    max.push_back(std::move(kept.max));
    result.stats.null_counts.push_back(kept.null_count);
  }
  ARROW_ASSIGN_OR_RAISE(result.stats.min_values, EncodeSerializedRow(types, min));
  ARROW_ASSIGN_OR_RAISE(result.stats.max_values, EncodeSerializedRow(types, max));
  if (kept_names.size() < fields.size()) result.columns = std::move(kept_names);
  return result;
}

std::optional<std::string> TruncateMaxString(std::string_view text, int32_t length) {
  size_t end = PrefixBytes(text, length);
  if (end == text.size()) return std::string(text);
  while (end > 0) {
    size_t begin = end - 1;
    while (begin > 0 && IsContinuation(text[begin])) --begin;
    uint32_t code = DecodeCharacter(text.substr(begin, end - begin)) + 1;
    if (code >= 0xD800 && code <= 0xDFFF) code = 0xE000;  // surrogates are no characters
    if (code <= kMaxCodePoint) {
      std::string upper(text.substr(0, begin));
      AppendCharacter(code, &upper);
      return upper;
    }
    end = begin;
  }
  return std::nullopt;
}

std::optional<std::string> TruncateMaxBinary(std::string_view bytes, int32_t length) {
  if (bytes.size() <= static_cast<size_t>(length)) return std::string(bytes);
  std::string upper(bytes.substr(0, length));
  while (!upper.empty() && static_cast<uint8_t>(upper.back()) == 0xFF) upper.pop_back();
  if (upper.empty()) return std::nullopt;
  upper.back() = static_cast<char>(static_cast<uint8_t>(upper.back()) + 1);
  return upper;
}

}  // namespace bactrian
