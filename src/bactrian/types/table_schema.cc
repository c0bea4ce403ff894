#include <algorithm>

#include "bactrian/schema.h"
#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr char kWhat[] = "schema";

arrow::Result<int32_t> Int(const json& object, const char* key) {
  ARROW_ASSIGN_OR_RAISE(const int64_t value, RequireJsonInteger(object, key, kWhat));
  if (value != static_cast<int32_t>(value)) return Corrupt(kWhat, ": ", key, " ", value, " has more than 32 bits");
  return static_cast<int32_t>(value);
}

arrow::Result<std::vector<std::string>> Strings(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_array()) return Corrupt(kWhat, ": '", key, "' is not an array");
  std::vector<std::string> strings;
  for (const json& element : *it) {
    if (!element.is_string()) return Corrupt(kWhat, ": '", key, "' holds something other than strings");
    strings.push_back(element.get<std::string>());
  }
  return strings;
}

arrow::Result<Options> ParseOptions(const json& object) {
  const auto it = object.find("options");
  if (it == object.end() || !it->is_object()) return Corrupt(kWhat, ": 'options' is not an object");
  Options options;
  for (const auto& [key, value] : it->items()) {
    if (value.is_structured()) return Corrupt(kWhat, ": option '", key, "' is not a string");
    options[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return options;
}

/// What the defaults meant when the file was written.
void FixUpOlderVersions(TableSchema* schema) {
  if (schema->version <= 1) schema->options.emplace("bucket", "1");
  if (schema->version <= 2) schema->options.emplace("file.format", "orc");
}

/// In the order of the reference's copy of the user's map.
ordered_json OptionsToJson(const Options& options) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : options) keys.push_back(key);
  auto json = ordered_json::object();
  for (const size_t i : JavaHashMapOrder(keys, JavaHashMapOrigin::kCopied)) {
    const std::string key(keys[i]);
    json[key] = options.at(key);
  }
  return json;
}

}  // namespace

int TableSchema::FieldIndex(std::string_view name) const {
  const auto it = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return it == fields.end() ? -1 : static_cast<int>(it - fields.begin());
}

const Field* TableSchema::FindField(std::string_view name) const {
  const int i = FieldIndex(name);
  return i < 0 ? nullptr : &fields[static_cast<size_t>(i)];
}

std::vector<Field> TableSchema::PartitionFields() const {
  std::vector<Field> partition_fields;
  for (const std::string& key : partition_keys) {
    if (const Field* field = FindField(key)) partition_fields.push_back(*field);
  }
  return partition_fields;
}

std::vector<std::string> TableSchema::TrimmedPrimaryKeys() const {
  std::vector<std::string> keys;
  for (const std::string& key : primary_keys) {
    if (std::find(partition_keys.begin(), partition_keys.end(), key) == partition_keys.end()) keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> TableSchema::BucketKeys() const {
  const auto option = options.find("bucket-key");
  if (option == options.end() || option->second.empty()) return TrimmedPrimaryKeys();
  std::vector<std::string> keys;
  for (size_t begin = 0; begin <= option->second.size();) {
    const size_t end = std::min(option->second.find(',', begin), option->second.size());
    keys.push_back(option->second.substr(begin, end - begin));
    begin = end + 1;
  }
  return keys;
}

arrow::Result<TableSchema> TableSchema::FromJson(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const json object, ParseJson(text, kWhat));
  TableSchema schema;
  ARROW_ASSIGN_OR_RAISE(const auto version, JsonInteger(object, "version", kWhat));
  if (version.value_or(1) > kCurrentVersion) return Unsupported(kWhat, ": version ", *version);
  schema.version = static_cast<int32_t>(version.value_or(1));
  ARROW_ASSIGN_OR_RAISE(schema.id, RequireJsonInteger(object, "id", kWhat));
  ARROW_ASSIGN_OR_RAISE(schema.highest_field_id, Int(object, "highestFieldId"));
  auto fields = FieldsFromJson(object.value("fields", json()));
  if (!fields.ok()) return Corrupt(kWhat, ": ", fields.status().message());
  schema.fields = *std::move(fields);
  ARROW_ASSIGN_OR_RAISE(schema.partition_keys, Strings(object, "partitionKeys"));
  ARROW_ASSIGN_OR_RAISE(schema.primary_keys, Strings(object, "primaryKeys"));
  ARROW_ASSIGN_OR_RAISE(schema.options, ParseOptions(object));
  ARROW_ASSIGN_OR_RAISE(schema.comment, JsonString(object, "comment", kWhat));
  ARROW_ASSIGN_OR_RAISE(const auto time_millis, JsonInteger(object, "timeMillis", kWhat));
  schema.time_millis = time_millis.value_or(0);
  for (const auto* keys : {&schema.partition_keys, &schema.primary_keys}) {
    for (const std::string& key : *keys) {
      if (schema.FieldIndex(key) < 0) return Corrupt(kWhat, ": key column '", key, "' does not exist");
    }
  }
  FixUpOlderVersions(&schema);
  return schema;
}

std::string TableSchema::ToJson() const {
  ordered_json json = {{"version", version}, {"id", id}};
  json["fields"] = FieldsToJson(fields);
  json["highestFieldId"] = highest_field_id;
  json["partitionKeys"] = partition_keys;
  json["primaryKeys"] = primary_keys;
  json["options"] = OptionsToJson(options);
  if (comment) json["comment"] = *comment;
  json["timeMillis"] = time_millis;
  return PrettyJson(json);
}

}  // namespace bactrian
