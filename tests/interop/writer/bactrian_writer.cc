/// Makes tables through the public API as a script asks: one JSON request a line on stdin, one JSON answer a line on stdout
/// ({"ok": …} or {"error": message, "kind": kind}).
///
///   {"op": "create", "warehouse": W, "table": T, "fields": [{"name", "type", "default"}], "partition_keys": [], "options": {}}
///   {"op": "write", …, "ipc": FILE, "mode": "append" | "overwrite" | "static", "partition": {k: text | null},
///    "writers": n, "buffer_bytes": n}
///   {"op": "alter", …, "changes": [{"op": "addColumn" | "renameColumn" | …}]}      as the oracle takes them
///   {"op": "truncate" | "drop" | "compact" | "expire" | "orphans", …}
///
/// Rows are an Arrow IPC file. Several writers share the batches out and their messages travel as bytes.
#include <arrow/compute/initialize.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bactrian/bactrian.h"

namespace {

using bactrian::CommitMessagePtr;
using nlohmann::json;

arrow::Result<std::shared_ptr<bactrian::Table>> OpenTable(bactrian::Session& session, const json& request) {
  ARROW_ASSIGN_OR_RAISE(auto catalog,
                        session.OpenCatalog({.warehouse = request.at("warehouse"), .options = {}, .read_only = false}));
  return catalog->GetTable({"db", request.at("table")}, request.value("dynamic_options", bactrian::Options{}));
}

arrow::Result<json> Create(bactrian::Session& session, const json& request) {
  bactrian::Schema schema;
  for (const json& given : request.at("fields")) {
    bactrian::Field field;
    field.name = given.at("name");
    ARROW_ASSIGN_OR_RAISE(field.type, bactrian::ParseSqlType(given.at("type").get<std::string>()));
    if (given.contains("default")) field.default_value = given.at("default").get<std::string>();
    schema.fields.push_back(std::move(field));
  }
  schema.partition_keys = request.value("partition_keys", std::vector<std::string>{});
  schema.options = request.value("options", bactrian::Options{});
  ARROW_ASSIGN_OR_RAISE(auto catalog,
                        session.OpenCatalog({.warehouse = request.at("warehouse"), .options = {}, .read_only = false}));
  ARROW_RETURN_NOT_OK(catalog->CreateDatabase("db", /*ignore_if_exists=*/true));
  ARROW_RETURN_NOT_OK(catalog->CreateTable({"db", request.at("table")}, std::move(schema)));
  return json{};
}

arrow::Result<bactrian::PartitionSpec> PartitionOf(const bactrian::Table& table, const json& request) {
  std::map<std::string, std::optional<std::string>> texts;
  const json given = request.value("partition", json::object());
  for (const auto& [name, text] : given.items()) {
    texts[name] = text.is_null() ? std::nullopt : std::optional<std::string>(text.get<std::string>());
  }
  return bactrian::ParsePartitionSpec(*table.schema(), texts);
}

arrow::Result<std::vector<CommitMessagePtr>> WriteRows(bactrian::Table& table, const json& request,
                                                       const bactrian::WriteOptions& options) {
  std::vector<std::unique_ptr<bactrian::Writer>> writers(request.value("writers", 1));
  for (auto& writer : writers) {
    ARROW_ASSIGN_OR_RAISE(writer, table.NewWriter(options));
  }
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(request.at("ipc").get<std::string>()));
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(file));
  for (int i = 0; i < reader->num_record_batches(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->ReadRecordBatch(i));
    ARROW_RETURN_NOT_OK(writers[i % writers.size()]->Write(*batch));
  }
  std::vector<CommitMessagePtr> messages;
  for (auto& writer : writers) {
    ARROW_ASSIGN_OR_RAISE(auto written, writer->Finish());
    for (const CommitMessagePtr& message : written) {
      ARROW_ASSIGN_OR_RAISE(auto travelled, bactrian::ParseCommitMessage(bactrian::SerializeCommitMessage(*message)));
      messages.push_back(std::move(travelled));
    }
  }
  return messages;
}

json Answer(const bactrian::CommitResult& result) {
  return result.snapshot_id ? json{{"snapshot", *result.snapshot_id}} : json{};
}

arrow::Result<json> Write(bactrian::Session& session, const json& request) {
  ARROW_ASSIGN_OR_RAISE(auto table, OpenTable(session, request));
  const std::string mode = request.value("mode", "append");
  ARROW_ASSIGN_OR_RAISE(bactrian::PartitionSpec partition, PartitionOf(*table, request));
  bactrian::WriteOptions options;
  options.buffer_bytes = request.value("buffer_bytes", options.buffer_bytes);
  options.static_partition = partition;
  options.for_overwrite = mode != "append";
  ARROW_ASSIGN_OR_RAISE(const auto messages, WriteRows(*table, request, options));
  ARROW_ASSIGN_OR_RAISE(auto committer, table->NewCommitter());
  if (mode == "append") {
    ARROW_ASSIGN_OR_RAISE(const auto result, committer->Commit(messages));
    return Answer(result);
  }
  ARROW_ASSIGN_OR_RAISE(const auto result,
                        committer->Overwrite(messages, {.partition = partition, .dynamic = mode != "static"}));
  return Answer(result);
}

arrow::Result<json> Remove(bactrian::Session& session, const json& request) {
  ARROW_ASSIGN_OR_RAISE(auto table, OpenTable(session, request));
  ARROW_ASSIGN_OR_RAISE(auto committer, table->NewCommitter());
  if (request.at("op") == "truncate") {
    ARROW_ASSIGN_OR_RAISE(const auto result, committer->Truncate());
    return Answer(result);
  }
  ARROW_ASSIGN_OR_RAISE(const bactrian::PartitionSpec partition, PartitionOf(*table, request));
  ARROW_ASSIGN_OR_RAISE(const auto result, committer->DropPartitions({partition}));
  return Answer(result);
}

arrow::Result<json> Maintain(bactrian::Session& session, const json& request) {
  ARROW_ASSIGN_OR_RAISE(auto table, OpenTable(session, request));
  const std::string op = request.at("op");
  if (op == "compact") {
    ARROW_ASSIGN_OR_RAISE(const auto result, bactrian::Compact(table, {.partition = {}, .full = request.value("full", false)}));
    return json{{"files_before", result.files_before}, {"files_after", result.files_after}};
  }
  if (op == "expire") {
    bactrian::ExpireOptions options;
    options.retain_min = options.retain_max = request.value("retain", int64_t{1});
    options.time_retained_millis = 0;
    ARROW_ASSIGN_OR_RAISE(const auto result, bactrian::ExpireSnapshots(*table, options));
    return json{{"snapshots", result.snapshots}, {"files", result.files}};
  }
  ARROW_ASSIGN_OR_RAISE(
      const auto result,
      bactrian::RemoveOrphanFiles(
          *table, {.older_than_millis = 0, .dry_run = false, .external_paths = request.value("external", false)}));
  json files = json::array();
  for (const auto& file : result.files) files.push_back(file.path);
  return json{{"files", files}};
}

arrow::Result<bactrian::SchemaChange> ParseChange(const json& change) {
  const std::string op = change.at("op");
  bactrian::ColumnPath path;
  for (std::string name = change.value("name", ""); !name.empty();) {
    const size_t dot = std::min(name.find('.'), name.size());
    path.push_back(name.substr(0, dot));
    name.erase(0, dot + 1);
  }
  bactrian::TypePtr type;
  if (change.contains("type")) {
    ARROW_ASSIGN_OR_RAISE(type, bactrian::ParseSqlType(change.at("type").get<std::string>()));
  }
  if (op == "addColumn") {
    bactrian::AddColumn add{.path = path, .type = type};
    if (change.contains("after")) add.position = bactrian::ColumnPosition::After(change.at("after"));
    if (change.contains("first")) add.position = bactrian::ColumnPosition::First();
    if (change.contains("default")) add.default_value = change.at("default").get<std::string>();
    return add;
  }
  if (op == "renameColumn") return bactrian::RenameColumn{path, change.at("to")};
  if (op == "dropColumn") return bactrian::DropColumn{path};
  if (op == "updateType") return bactrian::SetColumnType{path, type, /*keep_nullability=*/true};
  if (op == "updateNullability") return bactrian::SetColumnNullability{path, change.at("nullable")};
  if (op == "updateComment") return bactrian::SetColumnComment{path, change.at("comment")};
  if (op == "move") return bactrian::MoveColumn{path.at(0), bactrian::ColumnPosition::First()};
  if (op == "tableComment") return bactrian::SetTableComment{change.at("comment")};
  if (op == "setOption") return bactrian::SetOption{change.at("key"), change.at("value")};
  if (op == "removeOption") return bactrian::RemoveOption{change.at("key")};
  return bactrian::Invalid("unknown change ", op);
}

arrow::Result<json> Alter(bactrian::Session& session, const json& request) {
  std::vector<bactrian::SchemaChange> changes;
  for (const json& given : request.at("changes")) {
    ARROW_ASSIGN_OR_RAISE(changes.emplace_back(), ParseChange(given));
  }
  ARROW_ASSIGN_OR_RAISE(auto catalog,
                        session.OpenCatalog({.warehouse = request.at("warehouse"), .options = {}, .read_only = false}));
  ARROW_RETURN_NOT_OK(catalog->AlterTable({"db", request.at("table")}, changes));
  return json{};
}

arrow::Result<json> Handle(bactrian::Session& session, const json& request) {
  const std::string op = request.at("op");
  if (op == "create") return Create(session, request);
  if (op == "alter") return Alter(session, request);
  if (op == "write") return Write(session, request);
  if (op == "truncate" || op == "drop") return Remove(session, request);
  if (op == "compact" || op == "expire" || op == "orphans") return Maintain(session, request);
  return bactrian::Invalid("unknown op ", op);
}

}  // namespace

int main() {
  if (!arrow::compute::Initialize().ok()) return 1;
  const auto session = bactrian::Session::Make({}).ValueOrDie();
  for (std::string line; std::getline(std::cin, line);) {
    const arrow::Result<json> answer = Handle(*session, json::parse(line));
    const json printed = answer.ok() ? json{{"ok", *answer}}
                                     : json{{"error", answer.status().message()},
                                            {"kind", bactrian::ErrorKindName(bactrian::KindOf(answer.status()))}};
    std::cout << printed.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
}
