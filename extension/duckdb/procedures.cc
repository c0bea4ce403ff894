// What each procedure does, in the names that the reference has for them.
#include <algorithm>

#include "bactrian/history.h"
#include "bactrian/maintain.h"
#include "bactrian/table/write/partition_spec.h"
#include "errors.h"
#include "procedure.h"

namespace bactrian::sql {

namespace {

using duckdb::LogicalType;
using duckdb::Value;

const std::pair<std::string, LogicalType> kTable{"table", LogicalType::VARCHAR};
const std::pair<std::string, LogicalType> kDryRun{"dry_run", LogicalType::BOOLEAN};
const std::pair<std::string, LogicalType> kSnapshotId{"snapshot_id", LogicalType::BIGINT};

Value SnapshotValue(const std::optional<int64_t>& id) { return id ? Value::BIGINT(*id) : Value(LogicalType::BIGINT); }

Rows CompactTable(const ProcedureCall& call) {
  const std::string strategy = call.Text("compact_strategy").value_or("minor");
  if (strategy != "minor" && strategy != "full") {
    throw duckdb::InvalidInputException("compact_strategy is minor or full, not \"%s\"", strategy);
  }
  Rows rows;
  for (const PartitionSpec& partition : call.Partitions("partitions")) {
    const CompactionOptions options{.partition = partition, .full = strategy == "full"};
    if (call.Flag("dry_run")) {
      const CompactionPlan plan = ValueOrThrow(ValueOrThrow(Compactor::Make(call.table, options))->Plan());
      int64_t files = 0;
      for (const CompactionTaskPtr& task : plan.tasks) files += task->num_files();
      rows.push_back({Value::BIGINT(files), Value(LogicalType::BIGINT), Value(LogicalType::BIGINT)});
      continue;
    }
    const CompactResult result = ValueOrThrow(Compact(call.table, options));
    rows.push_back({Value::BIGINT(result.files_before), Value::BIGINT(result.files_after), SnapshotValue(result.snapshot_id)});
  }
  return rows;
}

Rows Expire(const ProcedureCall& call) {
  ExpireOptions options;
  options.retain_min = call.Integer("retain_min");
  options.retain_max = call.Integer("retain_max");
  options.time_retained_millis = call.MillisSince("older_than");
  options.limit = call.Integer("max_deletes");
  options.dry_run = call.Flag("dry_run");
  const ExpireResult result = ValueOrThrow(ExpireSnapshots(*call.table, options));
  return {{Value::BIGINT(result.snapshots), Value::BIGINT(static_cast<int64_t>(result.files.size()))}};
}

Rows RemoveOrphans(const ProcedureCall& call) {
  OrphanOptions options;
  if (const auto millis = call.MillisSince("older_than")) options.older_than_millis = *millis;
  options.dry_run = call.Flag("dry_run");
  options.external_paths = call.Flag("external_paths");
  Rows rows;
  for (const OrphanFile& file : ValueOrThrow(RemoveOrphanFiles(*call.table, options)).files) {
    rows.push_back({Value(file.path), Value::BIGINT(file.size)});
  }
  return rows;
}

/// Live files, rows as stored and bytes of the partitions.
std::vector<Value> Extent(const ProcedureCall& call, const std::vector<PartitionSpec>& partitions) {
  const std::vector<Field> keys = call.table->schema()->PartitionFields();
  int64_t files = 0, rows = 0, bytes = 0;
  const std::shared_ptr<Plan> plan = ValueOrThrow(call.table->NewScan().MakePlan());
  for (const auto& split : plan->splits()) {
    const bool matches = std::any_of(partitions.begin(), partitions.end(), [&](const PartitionSpec& partition) {
      return PartitionMatches(partition, keys, split->partition());
    });
    if (!matches) continue;
    files += split->num_files();
    rows += split->row_count();
    bytes += split->bytes();
  }
  return {Value::BIGINT(files), Value::BIGINT(rows), Value::BIGINT(bytes)};
}

Rows Truncate(const ProcedureCall& call) {
  std::vector<Value> row = Extent(call, {PartitionSpec{}});
  std::optional<int64_t> snapshot;
  if (!call.Flag("dry_run")) snapshot = ValueOrThrow(ValueOrThrow(call.table->NewCommitter())->Truncate()).snapshot_id;
  row.push_back(SnapshotValue(snapshot));
  return {row};
}

Rows DropPartition(const ProcedureCall& call) {
  call.RequireText("partitions");
  const std::vector<PartitionSpec> partitions = call.Partitions("partitions");
  std::vector<Value> row = Extent(call, partitions);
  std::optional<int64_t> snapshot;
  if (!call.Flag("dry_run")) {
    snapshot = ValueOrThrow(ValueOrThrow(call.table->NewCommitter())->DropPartitions(partitions)).snapshot_id;
  }
  row.push_back(SnapshotValue(snapshot));
  return {row};
}

Rows MakeTag(const ProcedureCall& call, bool replace) {
  TagOptions options{.snapshot_id = call.Integer("snapshot"), .time_retained_millis = std::nullopt, .replace = replace};
  if (const auto retained = call.Find("time_retained")) {
    options.time_retained_millis = duckdb::Interval::GetMilli(retained->GetValue<duckdb::interval_t>());
  }
  const std::string tag = call.RequireText("tag");
  return {{Value(tag), Value::BIGINT(ValueOrThrow(CreateTag(*call.table, tag, options)))}};
}

Rows Rollback(const ProcedureCall& call) {
  const auto snapshot = call.Integer("snapshot_id");
  const auto tag = call.Text("tag");
  if (snapshot.has_value() == tag.has_value()) throw duckdb::InvalidInputException("rollback_to takes a snapshot_id or a tag");
  const RollbackResult result =
      ValueOrThrow(snapshot ? RollbackToSnapshot(*call.table, *snapshot) : RollbackToTag(*call.table, *tag));
  return {{Value::BIGINT(result.snapshot_id), Value::BIGINT(result.snapshots), Value::BIGINT(result.tags)}};
}

std::vector<Procedure> MakeProcedures() {
  const Columns tag_parameters{
      kTable, {"tag", LogicalType::VARCHAR}, {"snapshot", LogicalType::BIGINT}, {"time_retained", LogicalType::INTERVAL}};
  const Columns tag_result{{"tag", LogicalType::VARCHAR}, kSnapshotId};
  const Columns extent{
      {"files", LogicalType::BIGINT}, {"rows", LogicalType::BIGINT}, {"bytes", LogicalType::BIGINT}, kSnapshotId};
  std::vector<Procedure> procedures;
  procedures.push_back({"compact",
                        {kTable, {"partitions", LogicalType::VARCHAR}, {"compact_strategy", LogicalType::VARCHAR}, kDryRun},
                        {{"files_before", LogicalType::BIGINT}, {"files_after", LogicalType::BIGINT}, kSnapshotId},
                        CompactTable});
  procedures.push_back({"expire_snapshots",
                        {kTable,
                         {"retain_max", LogicalType::BIGINT},
                         {"retain_min", LogicalType::BIGINT},
                         {"older_than", LogicalType::TIMESTAMP_TZ},
                         {"max_deletes", LogicalType::BIGINT},
                         kDryRun},
                        {{"snapshots", LogicalType::BIGINT}, {"files", LogicalType::BIGINT}},
                        Expire});
  procedures.push_back({"remove_orphan_files",
                        {kTable, {"older_than", LogicalType::TIMESTAMP_TZ}, {"external_paths", LogicalType::BOOLEAN}, kDryRun},
                        {{"file", LogicalType::VARCHAR}, {"bytes", LogicalType::BIGINT}},
                        RemoveOrphans});
  procedures.push_back({"truncate_table", {kTable, kDryRun}, extent, Truncate});
  procedures.push_back({"drop_partition", {kTable, {"partitions", LogicalType::VARCHAR}, kDryRun}, extent, DropPartition});
  procedures.push_back(
      {"create_tag", tag_parameters, tag_result, [](const ProcedureCall& call) { return MakeTag(call, false); }});
  procedures.push_back(
      {"replace_tag", tag_parameters, tag_result, [](const ProcedureCall& call) { return MakeTag(call, true); }});
  procedures.push_back({"delete_tag",
                        {kTable, {"tag", LogicalType::VARCHAR}},
                        {{"tag", LogicalType::VARCHAR}},
                        [](const ProcedureCall& call) -> Rows {
                          const std::string tag = call.RequireText("tag");
                          CheckOk(DeleteTag(*call.table, tag));
                          return {{Value(tag)}};
                        }});
  procedures.push_back({"create_branch",
                        {kTable, {"branch", LogicalType::VARCHAR}, {"tag", LogicalType::VARCHAR}},
                        {{"branch", LogicalType::VARCHAR}},
                        [](const ProcedureCall& call) -> Rows {
                          const std::string branch = call.RequireText("branch");
                          CheckOk(CreateBranch(*call.table, branch, call.Text("tag")));
                          return {{Value(branch)}};
                        }});
  procedures.push_back({"delete_branch",
                        {kTable, {"branch", LogicalType::VARCHAR}},
                        {{"branch", LogicalType::VARCHAR}},
                        [](const ProcedureCall& call) -> Rows {
                          const std::string branch = call.RequireText("branch");
                          CheckOk(DeleteBranch(*call.table, branch));
                          return {{Value(branch)}};
                        }});
  procedures.push_back({"rollback_to",
                        {kTable, {"snapshot_id", LogicalType::BIGINT}, {"tag", LogicalType::VARCHAR}},
                        {kSnapshotId, {"snapshots_deleted", LogicalType::BIGINT}, {"tags_deleted", LogicalType::BIGINT}},
                        Rollback});
  return procedures;
}

}  // namespace

const std::vector<Procedure>& Procedures() {
  static const std::vector<Procedure> procedures = MakeProcedures();
  return procedures;
}

}  // namespace bactrian::sql
