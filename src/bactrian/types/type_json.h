/// Types and fields inside larger JSON documents (format reference: schema.md §2, §3). Kept apart from data_type.h so that
/// only few files see the JSON library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bactrian/base/json.h"
#include "bactrian/data_type.h"

namespace bactrian {

/// The deepest nesting of types that is read from text.
inline constexpr int kMaxTypeDepth = 100;

/// "INT", "ARRAY", …: the name that begins a type's spelling.
std::string_view TypeRootName(TypeRoot root);

/// kInvalid unless a VECTOR may have such elements and length.
arrow::Status CheckVector(const DataType& element, int64_t length);

/// `depth` counts the levels above. kCorrupt for a malformed type; the message holds the offending part.
arrow::Result<TypePtr> TypeFromJson(const nlohmann::json& json, int depth = 0);
arrow::Result<std::vector<Field>> FieldsFromJson(const nlohmann::json& json, int depth = 0);

nlohmann::ordered_json TypeToJson(const DataType& type);
nlohmann::ordered_json FieldsToJson(const std::vector<Field>& fields);

}  // namespace bactrian
