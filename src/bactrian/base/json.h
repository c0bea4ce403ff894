/// JSON as the reference (Jackson) reads and writes it.
///
///   ARROW_ASSIGN_OR_RAISE(nlohmann::json document, ParseJson(text, "snapshot-7"));
///   ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> id, JsonInteger(document, "id", "snapshot-7"));
///   PrettyJson(nlohmann::ordered_json{{"nextSnapshot", 5}});   // "{\n  \"nextSnapshot\" : 5\n}"
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/status.h"

namespace bactrian {

inline constexpr int kMaxJsonDepth = 200;

/// Parses a document; kCorrupt, naming `what`, for malformed text and for nesting deeper than kMaxJsonDepth.
arrow::Result<nlohmann::json> ParseJson(std::string_view text, std::string_view what);

/// Members of an object; nullopt when absent or null, kCorrupt when of another type (or `object` is no object).
arrow::Result<std::optional<int64_t>> JsonInteger(const nlohmann::json& object, const char* key, std::string_view what);
arrow::Result<std::optional<std::string>> JsonString(const nlohmann::json& object, const char* key, std::string_view what);
/// The same, kCorrupt when absent.
arrow::Result<int64_t> RequireJsonInteger(const nlohmann::json& object, const char* key, std::string_view what);
arrow::Result<std::string> RequireJsonString(const nlohmann::json& object, const char* key, std::string_view what);

/// Jackson's default pretty printer: two-space indent for objects, `" : "`, arrays on one line, `{ }` and `[ ]` when empty.
std::string PrettyJson(const nlohmann::ordered_json& value);
/// Jackson's compact text.
std::string CompactJson(const nlohmann::ordered_json& value);
/// A quoted string literal with Jackson's escapes.
std::string JsonQuote(std::string_view text);

/// How a java.util.HashMap came to its size: entries were put one by one, or it was made as a copy of another map.
enum class JavaHashMapOrigin : uint8_t { kGrown, kCopied };

/// Positions of `keys` in the order in which a java.util.HashMap<String, …> of that many entries iterates, which is how the
/// reference prints maps. Keys that share a slot keep their given order.
std::vector<size_t> JavaHashMapOrder(const std::vector<std::string_view>& keys,
                                     JavaHashMapOrigin origin = JavaHashMapOrigin::kGrown);

}  // namespace bactrian
