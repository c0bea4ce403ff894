/// Printing of types: SQL and JSON spelling.
#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

std::string Quote(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (char c : text) {
    quoted += c;
    if (c == quote) quoted += c;
  }
  return quoted + quote;
}

/// A CRS that would not read back as one word stands in quotes.
std::string CrsText(const std::string& crs) {
  const bool plain = !crs.empty() && (crs[0] < '0' || crs[0] > '9') && crs.find_first_of(" <>(),.'`") == std::string::npos;
  return plain ? crs : Quote(crs, '\'');
}

std::string FieldText(const Field& field) {
  std::string text = Quote(field.name, '`') + " " + field.type->ToSqlString();
  if (field.description && !field.description->empty()) text += " COMMENT " + Quote(*field.description, '\'');
  if (field.default_value) text += " DEFAULT " + *field.default_value;
  return text;
}

std::string AtomicText(const DataType& type) {
  const std::string name(TypeRootName(type.root()));
  switch (type.root()) {
    case TypeRoot::kVarchar:
      if (type.length() == DataType::kMaxLength) return "STRING";
      [[fallthrough]];
    case TypeRoot::kChar:
    case TypeRoot::kBinary:
      return name + "(" + std::to_string(type.length()) + ")";
    case TypeRoot::kVarbinary:
      return type.length() == DataType::kMaxLength ? "BYTES" : name + "(" + std::to_string(type.length()) + ")";
    case TypeRoot::kDecimal:
      return name + "(" + std::to_string(type.precision()) + ", " + std::to_string(type.scale()) + ")";
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
      return name + "(" + std::to_string(type.precision()) + ")";
    case TypeRoot::kTimestampLtz:
      return "TIMESTAMP(" + std::to_string(type.precision()) + ") WITH LOCAL TIME ZONE";
    case TypeRoot::kGeometry:
      return name + "(" + CrsText(type.crs()) + ")";
    case TypeRoot::kGeography:
      return name + "(" + CrsText(type.crs()) + ", " + type.algorithm() + ")";
    default:
      return name;
  }
}

}  // namespace

std::string_view TypeRootName(TypeRoot root) {
  switch (root) {
    case TypeRoot::kChar:
      return "CHAR";
    case TypeRoot::kVarchar:
      return "VARCHAR";
    case TypeRoot::kBoolean:
      return "BOOLEAN";
    case TypeRoot::kBinary:
      return "BINARY";
    case TypeRoot::kVarbinary:
      return "VARBINARY";
    case TypeRoot::kDecimal:
      return "DECIMAL";
    case TypeRoot::kTinyint:
      return "TINYINT";
    case TypeRoot::kSmallint:
      return "SMALLINT";
    case TypeRoot::kInt:
      return "INT";
    case TypeRoot::kBigint:
      return "BIGINT";
    case TypeRoot::kFloat:
      return "FLOAT";
    case TypeRoot::kDouble:
      return "DOUBLE";
    case TypeRoot::kDate:
      return "DATE";
    case TypeRoot::kTime:
      return "TIME";
    case TypeRoot::kTimestamp:
      return "TIMESTAMP";
    case TypeRoot::kTimestampLtz:
      return "TIMESTAMP_LTZ";
    case TypeRoot::kVariant:
      return "VARIANT";
    case TypeRoot::kBlob:
      return "BLOB";
    case TypeRoot::kGeometry:
      return "GEOMETRY";
    case TypeRoot::kGeography:
      return "GEOGRAPHY";
    case TypeRoot::kArray:
      return "ARRAY";
    case TypeRoot::kVector:
      return "VECTOR";
    case TypeRoot::kMultiset:
      return "MULTISET";
    case TypeRoot::kMap:
      return "MAP";
    case TypeRoot::kRow:
      return "ROW";
  }
  return "";
}

std::string DataType::ToSqlString() const {
  std::string text;
  switch (root_) {
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      text = std::string(TypeRootName(root_)) + "<" + children_[0]->ToSqlString() + ">";
      break;
    case TypeRoot::kVector:
      text = "VECTOR<" + children_[0]->ToSqlString() + ", " + std::to_string(length_) + ">";
      break;
    case TypeRoot::kMap:
      text = "MAP<" + children_[0]->ToSqlString() + ", " + children_[1]->ToSqlString() + ">";
      break;
    case TypeRoot::kRow:
      text = "ROW<";
      for (size_t i = 0; i < fields_.size(); ++i) text += (i == 0 ? "" : ", ") + FieldText(fields_[i]);
      text += ">";
      break;
    default:
      text = AtomicText(*this);
  }
  return nullable_ ? text : text + " NOT NULL";
}

std::string DataType::ToJson() const { return CompactJson(TypeToJson(*this)); }

nlohmann::ordered_json TypeToJson(const DataType& type) {
  if (!type.is_nested()) return type.ToSqlString();
  const std::string name(TypeRootName(type.root()));
  nlohmann::ordered_json json = {{"type", type.nullable() ? name : name + " NOT NULL"}};
  switch (type.root()) {
    case TypeRoot::kMap:
      json["key"] = TypeToJson(*type.children()[0]);
      json["value"] = TypeToJson(*type.children()[1]);
      break;
    case TypeRoot::kRow:
      json["fields"] = FieldsToJson(type.fields());
      break;
    default:
      json["element"] = TypeToJson(*type.children()[0]);
      if (type.root() == TypeRoot::kVector) json["length"] = type.length();
  }
  return json;
}

nlohmann::ordered_json FieldsToJson(const std::vector<Field>& fields) {
  auto json = nlohmann::ordered_json::array();
  for (const Field& field : fields) {
    nlohmann::ordered_json object = {{"id", field.id}, {"name", field.name}};
    object["type"] = TypeToJson(*field.type);
    if (field.description) object["description"] = *field.description;
    if (field.default_value) object["defaultValue"] = *field.default_value;
    json.push_back(std::move(object));
  }
  return json;
}

}  // namespace bactrian
