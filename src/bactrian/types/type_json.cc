#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

using nlohmann::json;

arrow::Result<TypePtr> ChildType(const json& object, const char* key, int depth) {
  const auto it = object.find(key);
  if (it == object.end()) return Corrupt("a type without '", key, "'");
  return TypeFromJson(*it, depth + 1);
}

arrow::Result<Field> FieldFromJson(const json& object, int depth) {
  Field field;
  ARROW_ASSIGN_OR_RAISE(field.name, RequireJsonString(object, "name", "field"));
  ARROW_ASSIGN_OR_RAISE(const int64_t id, RequireJsonInteger(object, "id", field.name));
  if (id != static_cast<int32_t>(id)) return Corrupt("field '", field.name, "': id ", id, " has more than 32 bits");
  field.id = static_cast<int32_t>(id);
  ARROW_ASSIGN_OR_RAISE(field.type, ChildType(object, "type", depth - 1));
  ARROW_ASSIGN_OR_RAISE(field.description, JsonString(object, "description", field.name));
  ARROW_ASSIGN_OR_RAISE(field.default_value, JsonString(object, "defaultValue", field.name));
  return field;
}

}  // namespace

arrow::Result<TypePtr> TypeFromJson(const json& type, int depth) {
  if (depth > kMaxTypeDepth) return Corrupt("a type of more than ", kMaxTypeDepth, " levels");
  if (type.is_string()) {
    auto parsed = ParseSqlType(type.get_ref<const std::string&>());
    if (!parsed.ok()) return Corrupt(parsed.status().message());
    return parsed;
  }
  ARROW_ASSIGN_OR_RAISE(const std::string name, RequireJsonString(type, "type", "type"));
  const bool nullable = name.find("NOT NULL") == std::string::npos;
  if (name.starts_with("ARRAY") || name.starts_with("MULTISET") || name.starts_with("VECTOR")) {
    ARROW_ASSIGN_OR_RAISE(TypePtr element, ChildType(type, "element", depth));
    if (name[0] == 'A') return DataType::Array(element, nullable);
    if (name[0] == 'M') return DataType::Multiset(element, nullable);
    ARROW_ASSIGN_OR_RAISE(const int64_t length, RequireJsonInteger(type, "length", "VECTOR"));
    const arrow::Status valid = CheckVector(*element, length);
    if (!valid.ok()) return Corrupt(valid.message());
    return DataType::Vector(element, static_cast<int32_t>(length), nullable);
  }
  if (name.starts_with("MAP")) {
    ARROW_ASSIGN_OR_RAISE(TypePtr key, ChildType(type, "key", depth));
    ARROW_ASSIGN_OR_RAISE(TypePtr value, ChildType(type, "value", depth));
    return DataType::Map(key, value, nullable);
  }
  if (name.starts_with("ROW")) {
    const auto fields = type.find("fields");
    if (fields == type.end()) return Corrupt("a ROW without fields");
    ARROW_ASSIGN_OR_RAISE(std::vector<Field> parsed, FieldsFromJson(*fields, depth + 1));
    return DataType::Row(std::move(parsed), nullable);
  }
  return Corrupt("unknown type '", name.substr(0, 50), "'");
}

arrow::Result<std::vector<Field>> FieldsFromJson(const json& array, int depth) {
  if (!array.is_array()) return Corrupt("'fields' is not an array");
  std::vector<Field> fields;
  fields.reserve(array.size());
  for (const json& object : array) {
    ARROW_ASSIGN_OR_RAISE(Field field, FieldFromJson(object, depth));
    fields.push_back(std::move(field));
  }
  return fields;
}

arrow::Result<TypePtr> ParseJsonType(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const json type, ParseJson(text, "type"));
  return TypeFromJson(type);
}

}  // namespace bactrian
