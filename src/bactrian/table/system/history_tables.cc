// The tables of what a table was: snapshots, schemas, tags, branches.
#include <cmath>

#include "bactrian/meta/schema_store.h"
#include "bactrian/table/system/option_order.h"
#include "bactrian/table/system/system_readers.h"
#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

using nlohmann::ordered_json;

std::string OptionsJson(const Options& options, const std::vector<std::string>& order) {
  ordered_json object = ordered_json::object();
  for (const std::string& key : order) object[key] = options.at(key);
  return CompactJson(object);
}

/// java.time.Duration.toString, e.g. PT87600H, PT1H30M, PT0.5S.
std::string DurationText(double duration) {
  const auto total = static_cast<int64_t>(duration);
  const int64_t nanos = std::llround((duration - static_cast<double>(total)) * 1e9);
  if (total == 0 && nanos == 0) return "PT0S";
  std::string text = "PT";
  if (total / 3600 != 0) text += std::to_string(total / 3600) + "H";
  if (total % 3600 / 60 != 0) text += std::to_string(total % 3600 / 60) + "M";
  const int64_t seconds = total % 60;
  if (seconds == 0 && nanos == 0) return text;
  text += std::to_string(seconds);
  if (nanos != 0) {
    std::string fraction = std::to_string(1000000000 + nanos).substr(1);
    text += "." + fraction.substr(0, fraction.find_last_not_of('0') + 1);
  }
  return text + "S";
}

std::optional<int64_t> Nanoseconds(const std::optional<TimestampValue>& time) {
  int64_t nanos = 0;
  if (!time || __builtin_mul_overflow(time->millis, int64_t{1000000}, &nanos) ||
      __builtin_add_overflow(nanos, int64_t{time->nanos}, &nanos)) {
    return std::nullopt;
  }
  return nanos;
}

arrow::Status AppendSnapshot(const Snapshot& snapshot, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Long(snapshot.id));
  ARROW_RETURN_NOT_OK(row.Long(snapshot.schema_id));
  ARROW_RETURN_NOT_OK(row.Bytes(snapshot.commit_user));
  ARROW_RETURN_NOT_OK(row.Long(snapshot.commit_identifier));
  ARROW_RETURN_NOT_OK(row.Bytes(CommitKindName(snapshot.commit_kind)));
  ARROW_RETURN_NOT_OK(row.Timestamp(snapshot.time_millis));
  ARROW_RETURN_NOT_OK(row.Bytes(snapshot.base_manifest_list));
  ARROW_RETURN_NOT_OK(row.Bytes(snapshot.delta_manifest_list));
  ARROW_RETURN_NOT_OK(row.OptionalBytes(snapshot.changelog_manifest_list));
  ARROW_RETURN_NOT_OK(row.Long(snapshot.total_record_count));
  ARROW_RETURN_NOT_OK(row.Long(snapshot.delta_record_count));
  ARROW_RETURN_NOT_OK(row.Long(snapshot.changelog_record_count));
  ARROW_RETURN_NOT_OK(row.Long(snapshot.watermark));
  ARROW_RETURN_NOT_OK(row.Long(snapshot.next_row_id));
  ARROW_RETURN_NOT_OK(row.OptionalBytes(snapshot.operation));
  return row.OptionalBytes(snapshot.writer_version);
}

arrow::Status AppendTag(const Tag& tag, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Bytes(tag.name));
  ARROW_RETURN_NOT_OK(row.Long(tag.snapshot.id));
  ARROW_RETURN_NOT_OK(row.Long(tag.snapshot.schema_id));
  ARROW_RETURN_NOT_OK(row.Timestamp(tag.snapshot.time_millis));
  ARROW_RETURN_NOT_OK(row.Long(tag.snapshot.total_record_count));
  ARROW_RETURN_NOT_OK(row.Timestamp(Nanoseconds(tag.create_time)));
  return row.OptionalBytes(tag.time_retained_seconds ? std::optional(DurationText(*tag.time_retained_seconds)) : std::nullopt);
}

}  // namespace

arrow::Status ReadSnapshots(const SystemTableContext& context, BatchBuilder* rows) {
  SnapshotStore snapshots(context.store, context.paths);
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, snapshots.ListIds());
  for (int64_t id : ids) {
    auto snapshot = snapshots.Load(id);
    if (!snapshot.ok() && KindOf(snapshot.status()) == ErrorKind::kSnapshotExpired) continue;  // while we read
    ARROW_RETURN_NOT_OK(snapshot.status());
    ARROW_RETURN_NOT_OK(AppendSnapshot(*snapshot, rows->NewRow()));
  }
  return arrow::Status::OK();
}

arrow::Status ReadSchemas(const SystemTableContext& context, BatchBuilder* rows) {
  SchemaStore schemas(context.store, context.paths);
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, schemas.ListIds());
  for (int64_t id : ids) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> schema, schemas.Load(id));
    ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> order, OptionOrder(context, id, schema->options));
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Long(schema->id));
    ARROW_RETURN_NOT_OK(row.Bytes(CompactJson(FieldsToJson(schema->fields))));
    ARROW_RETURN_NOT_OK(row.Bytes(CompactJson(schema->partition_keys)));
    ARROW_RETURN_NOT_OK(row.Bytes(CompactJson(schema->primary_keys)));
    ARROW_RETURN_NOT_OK(row.Bytes(OptionsJson(schema->options, order)));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(schema->comment));
    ARROW_RETURN_NOT_OK(row.Timestamp(schema->time_millis));
  }
  return arrow::Status::OK();
}

arrow::Status ReadOptions(const SystemTableContext& context, BatchBuilder* rows) {
  // Those that are stored, not the handle's.
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> schema, SchemaStore(context.store, context.paths).Latest());
  for (const auto& [key, value] : schema->options) {
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(key));
    ARROW_RETURN_NOT_OK(row.Bytes(value));
  }
  return arrow::Status::OK();
}

arrow::Status ReadTags(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Tag> tags, TagStore(context.store, context.paths).List());
  for (const Tag& tag : tags) ARROW_RETURN_NOT_OK(AppendTag(tag, rows->NewRow()));
  return arrow::Status::OK();
}

arrow::Status ReadBranches(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Branch> branches, ListBranches(*context.store, context.paths));
  for (const Branch& branch : branches) {
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(branch.name));
    ARROW_RETURN_NOT_OK(row.Timestamp(branch.create_time_millis));
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
