#include "bactrian/base/json.h"

#include <algorithm>
#include <bit>

#include "bactrian/base/hash.h"

namespace bactrian {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Depth is checked before parsing, so that hostile nesting costs one pass over the text.
bool TooDeep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

arrow::Result<const json*> FindMember(const json& object, const char* key, std::string_view what) {
  if (!object.is_object()) return Corrupt(what, ": not a JSON object");
  auto it = object.find(key);
  if (it == object.end() || it->is_null()) return static_cast<const json*>(nullptr);
  return &*it;
}

void AppendQuoted(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  out->push_back('"');
  for (char c : text) {
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\b':
        *out += "\\b";
        break;
      case '\t':
        *out += "\\t";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\f':
        *out += "\\f";
        break;
      case '\r':
        *out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          *out += "\\u00";
          out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
          out->push_back(kHex[c & 15]);
        } else {
          out->push_back(c);
        }
    }
  }
  out->push_back('"');
}

void AppendScalar(const ordered_json& value, std::string* out) {
  if (value.is_string()) {
    AppendQuoted(value.get_ref<const std::string&>(), out);
  } else {
    *out += value.dump();
  }
}

void AppendPretty(const ordered_json& value, int object_depth, std::string* out) {
  if (value.is_object()) {
    if (value.empty()) {
      *out += "{ }";
      return;
    }
    const std::string indent(2 * (object_depth + 1), ' ');
    const char* separator = "{\n";
    for (const auto& [key, member] : value.items()) {
      *out += separator;
      *out += indent;
      AppendQuoted(key, out);
      *out += " : ";
      AppendPretty(member, object_depth + 1, out);
      separator = ",\n";
    }
    *out += "\n" + std::string(2 * object_depth, ' ') + "}";
  } else if (value.is_array()) {
    if (value.empty()) {
      *out += "[ ]";
      return;
    }
    const char* separator = "[ ";
    for (const ordered_json& element : value) {
      *out += separator;
      AppendPretty(element, object_depth, out);
      separator = ", ";
    }
    *out += " ]";
  } else {
    AppendScalar(value, out);
  }
}

void AppendCompact(const ordered_json& value, std::string* out) {
  if (value.is_object()) {
    out->push_back('{');
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!first) out->push_back(',');
      first = false;
      AppendQuoted(key, out);
      out->push_back(':');
      AppendCompact(member, out);
    }
    out->push_back('}');
  } else if (value.is_array()) {
    out->push_back('[');
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out->push_back(',');
      AppendCompact(value[i], out);
    }
    out->push_back(']');
  } else {
    AppendScalar(value, out);
  }
}

}  // namespace

arrow::Result<json> ParseJson(std::string_view text, std::string_view what) {
  if (TooDeep(text)) return Corrupt(what, ": JSON nested deeper than ", kMaxJsonDepth, " levels");
  json document = json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return Corrupt(what, ": malformed JSON");
  return document;
}

arrow::Result<std::optional<int64_t>> JsonInteger(const json& object, const char* key, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const json* member, FindMember(object, key, what));
  if (member == nullptr) return std::nullopt;
  if (!member->is_number_integer()) return Corrupt(what, ": \"", key, "\" is not an integer");
  if (member->is_number_unsigned() && member->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    return Corrupt(what, ": \"", key, "\" is out of range");
  }
  return member->get<int64_t>();
}

arrow::Result<std::optional<std::string>> JsonString(const json& object, const char* key, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const json* member, FindMember(object, key, what));
  if (member == nullptr) return std::nullopt;
  if (!member->is_string()) return Corrupt(what, ": \"", key, "\" is not a string");
  return member->get<std::string>();
}

arrow::Result<int64_t> RequireJsonInteger(const json& object, const char* key, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> value, JsonInteger(object, key, what));
  if (!value) return Corrupt(what, ": \"", key, "\" is missing");
  return *value;
}

arrow::Result<std::string> RequireJsonString(const json& object, const char* key, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(std::optional<std::string> value, JsonString(object, key, what));
  if (!value) return Corrupt(what, ": \"", key, "\" is missing");
  return *std::move(value);
}

std::string PrettyJson(const ordered_json& value) {
  std::string out;
  AppendPretty(value, 0, &out);
  return out;
}

std::string CompactJson(const ordered_json& value) {
  std::string out;
  AppendCompact(value, &out);
  return out;
}

std::string JsonQuote(std::string_view text) {
  std::string out;
  AppendQuoted(text, &out);
  return out;
}

std::vector<size_t> JavaHashMapOrder(const std::vector<std::string_view>& keys, JavaHashMapOrigin origin) {
  size_t capacity = 16;
  while (keys.size() * 4 > capacity * 3) capacity *= 2;
  if (origin == JavaHashMapOrigin::kCopied) capacity = std::bit_ceil(keys.size() * 4 / 3 + 1);
  std::vector<std::pair<uint32_t, size_t>> slots;
  slots.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto hash = static_cast<uint32_t>(JavaStringHash(keys[i]));
    slots.emplace_back((hash ^ (hash >> 16)) & (capacity - 1), i);
  }
  std::sort(slots.begin(), slots.end());
  std::vector<size_t> order;
  order.reserve(slots.size());
  for (const auto& [slot, position] : slots) order.push_back(position);
  return order;
}

}  // namespace bactrian
