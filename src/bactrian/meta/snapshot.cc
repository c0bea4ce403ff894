#include "bactrian/meta/snapshot.h"

#include <array>

#include "bactrian/base/json.h"

namespace bactrian {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kCommitKindNames = {"APPEND", "COMPACT", "OVERWRITE", "ANALYZE"};
constexpr std::string_view kWhat = "snapshot";

arrow::Result<CommitKind> ParseCommitKind(std::string_view name) {
  for (size_t i = 0; i < kCommitKindNames.size(); ++i) {
    if (kCommitKindNames[i] == name) return static_cast<CommitKind>(i);
  }
  return Corrupt(kWhat, ": unknown commitKind \"", name, "\"");
}

arrow::Status CheckFileNames(const Snapshot& snapshot) {
  ARROW_RETURN_NOT_OK(ValidateFileName(snapshot.base_manifest_list, kWhat));
  ARROW_RETURN_NOT_OK(ValidateFileName(snapshot.delta_manifest_list, kWhat));
  for (const auto& name : {snapshot.changelog_manifest_list, snapshot.index_manifest, snapshot.statistics}) {
    if (name) ARROW_RETURN_NOT_OK(ValidateFileName(*name, kWhat));
  }
  return arrow::Status::OK();
}

arrow::Result<std::map<std::string, std::string>> ParseProperties(const json& document) {
  std::map<std::string, std::string> properties;
  auto it = document.find("properties");
  if (it == document.end() || it->is_null()) return properties;
  if (!it->is_object()) return Corrupt(kWhat, ": \"properties\" is not an object");
  for (const auto& [key, value] : it->items()) {
    if (!value.is_string()) return Corrupt(kWhat, ": property \"", key, "\" is not a string");
    properties[key] = value.get<std::string>();
  }
  return properties;
}

ordered_json PropertiesJson(const std::map<std::string, std::string>& properties) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : properties) keys.push_back(key);
  ordered_json object = ordered_json::object();
  for (size_t i : JavaHashMapOrder(keys)) object[std::string(keys[i])] = properties.at(std::string(keys[i]));
  return object;
}

template <typename T>
void PutIfSet(const char* key, const std::optional<T>& value, ordered_json* object) {
  if (value) (*object)[key] = *value;
}

}  // namespace

std::string_view CommitKindName(CommitKind kind) { return kCommitKindNames[static_cast<size_t>(kind)]; }

arrow::Result<Snapshot> Snapshot::FromJson(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(json document, ParseJson(text, kWhat));
  Snapshot s;
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> version, JsonInteger(document, "version", kWhat));
  s.version = static_cast<int32_t>(version.value_or(1));
  ARROW_ASSIGN_OR_RAISE(s.uuid, JsonString(document, "uuid", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.id, RequireJsonInteger(document, "id", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.schema_id, RequireJsonInteger(document, "schemaId", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.base_manifest_list, RequireJsonString(document, "baseManifestList", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.base_manifest_list_size, JsonInteger(document, "baseManifestListSize", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.delta_manifest_list, RequireJsonString(document, "deltaManifestList", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.delta_manifest_list_size, JsonInteger(document, "deltaManifestListSize", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.changelog_manifest_list, JsonString(document, "changelogManifestList", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.changelog_manifest_list_size, JsonInteger(document, "changelogManifestListSize", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.index_manifest, JsonString(document, "indexManifest", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.commit_user, RequireJsonString(document, "commitUser", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.writer_version, JsonString(document, "writerVersion", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.commit_identifier, RequireJsonInteger(document, "commitIdentifier", kWhat));
  ARROW_ASSIGN_OR_RAISE(std::string commit_kind, RequireJsonString(document, "commitKind", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.commit_kind, ParseCommitKind(commit_kind));
  ARROW_ASSIGN_OR_RAISE(s.time_millis, RequireJsonInteger(document, "timeMillis", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.total_record_count, JsonInteger(document, "totalRecordCount", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.delta_record_count, JsonInteger(document, "deltaRecordCount", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.changelog_record_count, JsonInteger(document, "changelogRecordCount", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.watermark, JsonInteger(document, "watermark", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.statistics, JsonString(document, "statistics", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.properties, ParseProperties(document));
  ARROW_ASSIGN_OR_RAISE(s.next_row_id, JsonInteger(document, "nextRowId", kWhat));
  ARROW_ASSIGN_OR_RAISE(s.operation, JsonString(document, "operation", kWhat));
  ARROW_RETURN_NOT_OK(CheckFileNames(s));
  return s;
}

std::string Snapshot::ToJson() const {
  ordered_json object;
  object["version"] = version;
  PutIfSet("uuid", uuid, &object);
  object["id"] = id;
  object["schemaId"] = schema_id;
  object["baseManifestList"] = base_manifest_list;
  PutIfSet("baseManifestListSize", base_manifest_list_size, &object);
  object["deltaManifestList"] = delta_manifest_list;
  PutIfSet("deltaManifestListSize", delta_manifest_list_size, &object);
  PutIfSet("changelogManifestList", changelog_manifest_list, &object);
  PutIfSet("changelogManifestListSize", changelog_manifest_list_size, &object);
  PutIfSet("indexManifest", index_manifest, &object);
  object["commitUser"] = commit_user;
  PutIfSet("writerVersion", writer_version, &object);
  object["commitIdentifier"] = commit_identifier;
  object["commitKind"] = std::string(CommitKindName(commit_kind));
  object["timeMillis"] = time_millis;
  PutIfSet("totalRecordCount", total_record_count, &object);
  PutIfSet("deltaRecordCount", delta_record_count, &object);
  PutIfSet("changelogRecordCount", changelog_record_count, &object);
  PutIfSet("watermark", watermark, &object);
  PutIfSet("statistics", statistics, &object);
  if (!properties.empty()) object["properties"] = PropertiesJson(properties);
  PutIfSet("nextRowId", next_row_id, &object);
  PutIfSet("operation", operation, &object);
  return PrettyJson(object);
}

}  // namespace bactrian
