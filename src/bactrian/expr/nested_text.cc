#include "bactrian/expr/nested_text.h"

#include <algorithm>
#include <optional>

namespace bactrian {
namespace {

/// Java's String.trim: everything up to the space, at both ends.
std::string_view Trim(std::string_view text) {
  auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// The reference's patterns do not cross these.
bool HasLineBreak(std::string_view text) {
  for (std::string_view line_break : {"\n", "\r", "\u0085", "\u2028", "\u2029"}) {
    if (text.find(line_break) != std::string_view::npos) return true;
  }
  return false;
}

/// How a nested type is written: in brackets, or as a function.
struct Spelling {
  char open, close;
  std::string_view function;
};

Spelling SpellingOf(const DataType& type) {
  if (type.root() == TypeRoot::kArray) return {'[', ']', "ARRAY"};
  return {'{', '}', type.root() == TypeRoot::kMap ? "MAP" : "STRUCT"};
}

struct Content {
  std::string_view text;
  bool is_function = false;
};

/// What stands between the brackets of trimmed text; nullopt if it is written in neither way.
std::optional<Content> ContentOf(std::string_view text, const Spelling& spelling) {
  Content content;
  if (text.size() >= 2 && text.front() == spelling.open && text.back() == spelling.close) {
    content.text = text.substr(1, text.size() - 2);
  } else {
    if (!EqualsIgnoreCase(text.substr(0, spelling.function.size()), spelling.function)) return std::nullopt;
    text.remove_prefix(spelling.function.size());
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\n\v\f\r")));
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
    content = {text.substr(1, text.size() - 2), true};
  }
  if (HasLineBreak(content.text)) return std::nullopt;
  content.text = Trim(content.text);
  return content;
}

/// Splits at commas outside of brackets and double quotes; empty parts vanish. With `keep_marks` quotes and escapes stay in the
/// parts, else the quotes and whatever a backslash escapes are dropped, as in the reference.
std::vector<std::string> SplitParts(std::string_view text, bool keep_marks) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  bool quoted = false, escaped = false;
  auto finish = [&] {
    if (!part.empty()) parts.emplace_back(Trim(part));
    part.clear();
  };
  for (const char c : text) {
    const bool is_mark = escaped || c == '\\' || c == '"';
    if (escaped) {
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      if (c == '[' || c == '{' || c == '(') ++depth;
      if ((c == ']' || c == '}' || c == ')') && depth > 0) --depth;
      if (c == ',' && depth == 0) {
        finish();
        continue;
      }
    }
    if (keep_marks || !is_mark) part += c;
  }
  finish();
  return parts;
}

arrow::Status Unreadable(std::string_view text, const DataType& type) {
  return Invalid("cannot read '", text, "' as ", type.ToSqlString());
}

arrow::Result<NestedValue> ParsePart(std::string_view text, const DataType& type) {
  if (text == "null") return NestedValue();
  if (type.root() == TypeRoot::kArray || type.root() == TypeRoot::kMap || type.root() == TypeRoot::kRow) {
    return ParseNestedText(text, type);
  }
  NestedValue value;
  ARROW_ASSIGN_OR_RAISE(value.atom, ParseValue(text, type));
  value.is_null = IsNull(value.atom);
  return value;
}

/// Adds an entry, or gives a key that is there already its new value.
arrow::Status PutEntry(std::string_view key_text, std::string_view value_text, const DataType& type, NestedValue* map) {
  ARROW_ASSIGN_OR_RAISE(NestedValue key, ParsePart(key_text, *type.children()[0]));
  ARROW_ASSIGN_OR_RAISE(NestedValue value, ParsePart(value_text, *type.children()[1]));
  if (key.is_null) return Invalid("cannot read '", key_text, "' as a key of ", type.ToSqlString());
  for (size_t i = 0; i < map->parts.size(); i += 2) {
    if (CompareValues(map->parts[i].atom, key.atom) != 0) continue;
    map->parts[i + 1] = std::move(value);
    return arrow::Status::OK();
  }
  map->parts.push_back(std::move(key));
  map->parts.push_back(std::move(value));
  return arrow::Status::OK();
}

arrow::Status ParseMap(const Content& content, const DataType& type, NestedValue* map) {
  const std::vector<std::string> parts = SplitParts(content.text, /*keep_marks=*/false);
  if (content.is_function) {
    if (parts.size() % 2 != 0) return Invalid("a key without a value in '", content.text, "'");
    for (size_t i = 0; i < parts.size(); i += 2) ARROW_RETURN_NOT_OK(PutEntry(parts[i], parts[i + 1], type, map));
    return arrow::Status::OK();
  }
  constexpr std::string_view kArrow = "->";
  for (const std::string_view entry : parts) {
    const size_t arrow = entry.find(kArrow, 1);
    if (arrow == std::string_view::npos || arrow + kArrow.size() == entry.size()) {
      return Invalid("no 'key -> value' in '", entry, "'");
    }
    const std::string_view key = Trim(entry.substr(0, arrow)), value = Trim(entry.substr(arrow + kArrow.size()));
    ARROW_RETURN_NOT_OK(PutEntry(key, value, type, map));
  }
  return arrow::Status::OK();
}

arrow::Status ParseArray(const Content& content, const DataType& type, NestedValue* array) {
  for (const std::string_view part : SplitParts(content.text, /*keep_marks=*/true)) {
    ARROW_ASSIGN_OR_RAISE(array->parts.emplace_back(), ParsePart(part, *type.children()[0]));
  }
  return arrow::Status::OK();
}

/// An empty row is one of nulls.
arrow::Status ParseRow(const Content& content, const DataType& type, NestedValue* row) {
  const size_t count = type.fields().size();
  row->parts.resize(count);
  if (content.text.empty()) return arrow::Status::OK();
  const std::vector<std::string> parts = SplitParts(content.text, /*keep_marks=*/true);
  if (parts.size() != count) return Invalid("'", content.text, "' has ", parts.size(), " fields instead of ", count);
  for (size_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(row->parts[i], ParsePart(parts[i], *type.fields()[i].type));
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<NestedValue> ParseNestedText(std::string_view text, const DataType& type) {
  text = Trim(text);
  if (type.root() == TypeRoot::kMap && EqualsIgnoreCase(text, "NULL")) return NestedValue();
  const std::optional<Content> content = ContentOf(text, SpellingOf(type));
  if (!content.has_value()) return Unreadable(text, type);
  NestedValue value{.is_null = false};
  switch (type.root()) {
    case TypeRoot::kMap:
      ARROW_RETURN_NOT_OK(ParseMap(*content, type, &value));
      break;
    case TypeRoot::kArray:
      ARROW_RETURN_NOT_OK(ParseArray(*content, type, &value));
      break;
    default:
      ARROW_RETURN_NOT_OK(ParseRow(*content, type, &value));
  }
  return value;
}

}  // namespace bactrian
