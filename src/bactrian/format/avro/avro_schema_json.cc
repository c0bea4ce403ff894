#include <set>
#include <string>
#include <utility>

#include "bactrian/base/json.h"
#include "bactrian/format/avro/avro_file.h"

namespace bactrian {
namespace {

/// Avro's rule for names: letters, digits and underscores, no digit first. Letters beyond ASCII pass, as in the reference.
bool IsAvroName(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool valid =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
    if (!valid) return false;
  }
  return true;
}

/// Writes the text that the reference's converter makes, names of nested records included (manifest.md §1).
class SchemaWriter {
 public:
  arrow::Result<std::string> Record(const std::vector<Field>& fields, std::string_view full_name) {
    const size_t dot = full_name.rfind('.');
    const std::string_view space = dot == std::string_view::npos ? std::string_view() : full_name.substr(0, dot);
    const std::string name(dot == std::string_view::npos ? full_name : full_name.substr(dot + 1));
    ARROW_ASSIGN_OR_RAISE(std::string text, Fields(fields, name));
    std::string head = "{\"type\":\"record\",\"name\":" + JsonQuote(name);
    if (!space.empty()) head += ",\"namespace\":" + JsonQuote(space);
    return head + "," + text + "}";
  }

 private:
  arrow::Result<std::string> Type(const DataType& type, const std::string& record_name) {
    ARROW_ASSIGN_OR_RAISE(std::string text, NotNullType(type, record_name));
    return type.nullable() ? "[\"null\"," + text + "]" : text;
  }

  arrow::Result<std::string> NotNullType(const DataType& type, const std::string& record_name) {
    switch (type.root()) {
      case TypeRoot::kBoolean:
        return "\"boolean\"";
      case TypeRoot::kTinyint:
      case TypeRoot::kSmallint:
      case TypeRoot::kInt:
        return "\"int\"";
      case TypeRoot::kBigint:
        return "\"long\"";
      case TypeRoot::kFloat:
        return "\"float\"";
      case TypeRoot::kDouble:
        return "\"double\"";
      case TypeRoot::kChar:
      case TypeRoot::kVarchar:
        return "\"string\"";
      case TypeRoot::kBinary:
      case TypeRoot::kVarbinary:
      case TypeRoot::kBlob:
        return "\"bytes\"";
      case TypeRoot::kDate:
        return Logical("int", "date");
      case TypeRoot::kTime:
        if (type.precision() > 3) break;
        return Logical("int", "time-millis");
      case TypeRoot::kTimestamp:
        if (type.precision() > 6) break;
        return Logical("long", type.precision() <= 3 ? "timestamp-millis" : "timestamp-micros");
      case TypeRoot::kTimestampLtz:
        if (type.precision() > 6) break;
        return Logical("long", type.precision() <= 3 ? "local-timestamp-millis" : "local-timestamp-micros");
      case TypeRoot::kDecimal:
        return "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":" + std::to_string(type.precision()) +
               ",\"scale\":" + std::to_string(type.scale()) + "}";
      case TypeRoot::kArray:
      case TypeRoot::kVector: {
        ARROW_ASSIGN_OR_RAISE(std::string item, Type(*type.children()[0], record_name));
        return "{\"type\":\"array\",\"items\":" + item + "}";
      }
      case TypeRoot::kMap:
        return Map(*type.children()[0], *type.children()[1], record_name);
      case TypeRoot::kMultiset:
        return Map(*type.children()[0], *DataType::Int(), record_name);
      case TypeRoot::kRow: {
        ARROW_ASSIGN_OR_RAISE(std::string fields, Fields(type.fields(), record_name));
        return "{\"type\":\"record\",\"name\":" + JsonQuote(record_name) + "," + fields + "}";
      }
      case TypeRoot::kVariant:
      case TypeRoot::kGeometry:
      case TypeRoot::kGeography:
        break;
    }
    return Unsupported(type.ToSqlString(), " in Avro files");
  }

  static std::string Logical(std::string_view type, std::string_view logical_type) {
    return "{\"type\":\"" + std::string(type) + "\",\"logicalType\":\"" + std::string(logical_type) + "\"}";
  }

  /// A map where the keys are strings, else an array of records.
  arrow::Result<std::string> Map(const DataType& key, const DataType& value, const std::string& record_name) {
    if (key.is_string()) {
      ARROW_ASSIGN_OR_RAISE(std::string values, Type(value, record_name));
      return "{\"type\":\"map\",\"values\":" + values + "}";
    }
    ARROW_RETURN_NOT_OK(Define(record_name));
    ARROW_ASSIGN_OR_RAISE(std::string key_text, Type(key, record_name + "_key"));
    ARROW_ASSIGN_OR_RAISE(std::string value_text, Type(value, record_name + "_value"));
    return "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":" + JsonQuote(record_name) +
           ",\"fields\":[{\"name\":\"key\",\"type\":" + key_text + "},{\"name\":\"value\",\"type\":" + value_text +
           (value.nullable() ? ",\"default\":null" : "") + "}]},\"logicalType\":\"map\"}";
  }

  arrow::Result<std::string> Fields(const std::vector<Field>& fields, const std::string& record_name) {
    ARROW_RETURN_NOT_OK(Define(record_name));
    std::string text = "\"fields\":[";
    for (const Field& field : fields) {
      if (!IsAvroName(field.name)) return Unsupported("the field name '", field.name, "' in Avro files");
      auto type = Type(*field.type, record_name + "_" + field.name);
      if (!type.ok()) return type.status().WithMessage("field '", field.name, "': ", type.status().message());
      if (text.back() == '}') text += ',';
      text += "{\"name\":" + JsonQuote(field.name) + ",\"type\":" + *type;
      text += field.type->nullable() ? ",\"default\":null}" : "}";
    }
    return text + "]";
  }

  /// A record's name is made of the names on its path, which need not be unique (a_b.c and a.b_c).
  arrow::Status Define(const std::string& record_name) {
    if (names_.insert(record_name).second) return arrow::Status::OK();
    return Unsupported("two nested rows that are both called '", record_name, "' in Avro files");
  }

  std::set<std::string> names_;
};

}  // namespace

arrow::Result<std::string> AvroSchemaJson(const std::vector<Field>& fields, std::string_view root_name) {
  return SchemaWriter().Record(fields, root_name);
}

}  // namespace bactrian
