/// Random histories of one table under faults: writes, overwrites, drops, compaction, expiry, cleaning and schema changes, each
/// perhaps hit by an I/O error before or after its effect, a torn write, or the end of the process, at any step. After each:
/// what was acknowledged is there once, what was refused is not, and every file of every snapshot exists; at the end all
/// leftovers lie in the table's folders and orphan cleaning removes them.
///
///   bactrian_fault_history [--seeds N] [--first S]
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

#include "bactrian/io/fault_store.h"
#include "whole_table.h"

namespace bactrian {
namespace {

using Rows = std::multimap<int64_t, int64_t>;  ///< partition, id

/// What is known of the table, and what an operation would make of it.
struct Model {
  Rows rows;
  std::vector<int64_t> Ids() const {
    std::vector<int64_t> ids;
    for (const auto& [partition, id] : rows) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }
};

class History {
 public:
  explicit History(uint64_t seed)
      : random_(seed),
        base_path_("memory://fault_history_" + std::to_string(seed) + "/lake"),
        warehouse_("fault:" + base_path_) {}

  arrow::Status Run();

  int64_t acknowledged = 0, refused = 0, unknown = 0, crashes = 0;

 private:
  int64_t Below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random_); }
  arrow::Status Setup();
  void ArmFault();
  arrow::Status Step();
  arrow::Result<std::shared_ptr<Table>> OpenTable();
  arrow::Status Perform(int64_t operation, Model* after);
  arrow::Result<std::vector<CommitMessagePtr>> Write(Table& table, Rows* added);
  arrow::Status Alter();
  arrow::Status Settle(const arrow::Status& outcome, const Model& after);
  arrow::Status CheckCleaned();

  std::mt19937_64 random_;
  const std::string base_path_, warehouse_;
  std::shared_ptr<FaultStore> faults_;
  std::shared_ptr<Session> session_;
  Model model_;
  int64_t next_id_ = 0, next_column_ = 0;
};

arrow::Status History::Setup() {
  ARROW_ASSIGN_OR_RAISE(auto base, FileStore::Open(base_path_));
  faults_ = std::make_shared<FaultStore>(std::move(base));
  FileStore::Register("fault", [store = faults_](std::string_view) { return store; });
  ARROW_ASSIGN_OR_RAISE(session_, Session::Make({}));
  ARROW_ASSIGN_OR_RAISE(auto catalog, session_->OpenCatalog({.warehouse = warehouse_, .options = {}, .read_only = false}));
  ARROW_RETURN_NOT_OK(catalog->CreateDatabase("db", false));
  Schema schema;
  schema.fields.resize(2);
  schema.fields[0].name = "id";
  schema.fields[0].type = DataType::Bigint(false);
  schema.fields[1].name = "p";
  schema.fields[1].type = DataType::Bigint();
  schema.partition_keys = {"p"};
  schema.options = {{"manifest.merge-min-count", "3"}, {"target-file-row-num", "7"},      {"commit.max-retries", "2"},
                    {"commit.min-retry-wait", "0 ms"}, {"commit.max-retry-wait", "0 ms"}, {"compaction.min.file-num", "2"}};
  return catalog->CreateTable({"db", "t"}, schema);
}

arrow::Result<std::shared_ptr<Table>> History::OpenTable() {
  // A new session each time, as after a crash: nothing is remembered but what is stored.
  SessionOptions options;
  options.num_threads = 1;
  ARROW_ASSIGN_OR_RAISE(session_, Session::Make(options));
  ARROW_ASSIGN_OR_RAISE(auto catalog, session_->OpenCatalog({.warehouse = warehouse_, .options = {}, .read_only = false}));
  return catalog->GetTable({"db", "t"});
}

void History::ArmFault() {
  if (Below(4) == 0) return;
  Fault fault;
  const FileOp ops[] = {FileOp::kAny,         FileOp::kAnyMutation, FileOp::kAnyMutation,
                        FileOp::kPutIfAbsent, FileOp::kClose,       FileOp::kDeleteFile};
  fault.op = ops[Below(std::size(ops))];
  fault.nth = 1 + Below(fault.op == FileOp::kAny ? 80 : fault.op == FileOp::kAnyMutation ? 30 : 4);
  fault.moment = static_cast<FaultMoment>(Below(3));
  fault.crash = Below(2) == 0;
  fault.repeat = !fault.crash && Below(4) == 0;  // a disk that stays full
  faults_->Arm(fault);
}

arrow::Result<std::vector<CommitMessagePtr>> History::Write(Table& table, Rows* added) {
  ARROW_ASSIGN_OR_RAISE(const auto writer, table.NewWriter({.buffer_bytes = 4096}));
  const int64_t batches = 1 + Below(3);
  for (int64_t i = 0; i < batches; ++i) {
    arrow::Int64Builder ids, partitions;
    const int64_t count = 1 + Below(10);
    for (int64_t row = 0; row < count; ++row) {
      const int64_t partition = Below(3);
      added->emplace(partition, next_id_);
      ARROW_RETURN_NOT_OK(ids.Append(next_id_++));
      ARROW_RETURN_NOT_OK(partitions.Append(partition));
    }
    ARROW_ASSIGN_OR_RAISE(auto id_array, ids.Finish());
    ARROW_ASSIGN_OR_RAISE(auto partition_array, partitions.Finish());
    const auto schema = arrow::schema({arrow::field("id", arrow::int64()), arrow::field("p", arrow::int64())});
    ARROW_RETURN_NOT_OK(writer->Write(*arrow::RecordBatch::Make(schema, count, {id_array, partition_array})));
  }
  return writer->Finish();
}

arrow::Status History::Alter() {
  ARROW_ASSIGN_OR_RAISE(auto catalog, session_->OpenCatalog({.warehouse = warehouse_, .options = {}, .read_only = false}));
  AddColumn column;
  column.path = {"c" + std::to_string(next_column_++)};
  column.type = DataType::String();
  return catalog->AlterTable({"db", "t"}, {column});
}

/// Does one operation; `after` becomes what the table holds if it succeeds.
arrow::Status History::Perform(int64_t operation, Model* after) {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenTable());
  if (operation == 0) return Alter();
  if (operation == 1) return Compact(table, {.full = Below(2) == 0}).status();
  if (operation == 2) {
    return ExpireSnapshots(*table, {.retain_min = 2, .retain_max = 2, .time_retained_millis = 0}).status();
  }
  if (operation == 3) return RemoveOrphanFiles(*table, {.older_than_millis = -1000}).status();
  ARROW_ASSIGN_OR_RAISE(const auto committer, table->NewCommitter());
  if (operation == 4) {
    const int64_t partition = Below(3);
    after->rows.erase(partition);
    return committer->DropPartitions({{{"p", partition}}}).status();
  }
  Rows added;
  const bool overwrite = operation == 5;
  ARROW_ASSIGN_OR_RAISE(const auto messages, Write(*table, &added));
  if (overwrite) {
    for (const auto& [partition, id] : added) after->rows.erase(partition);
  }
  after->rows.insert(added.begin(), added.end());
  const auto result = overwrite ? committer->Overwrite(messages) : committer->Commit(messages);
  if (!result.ok() && KindOf(result.status()) != ErrorKind::kCommitOutcomeUnknown) (void)committer->Abort(messages);
  return result.status();
}

arrow::Status History::Settle(const arrow::Status& outcome, const Model& after) {
  const bool died = faults_->crashed();
  faults_->Heal();
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenTable());
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, ReadIds(*table));
  ARROW_RETURN_NOT_OK(CheckWhole(*table->context()));
  // Before a process has reported, its end leaves open what happened; an error that says so does as well.
  const bool open = died || (!outcome.ok() && KindOf(outcome) == ErrorKind::kCommitOutcomeUnknown);
  acknowledged += outcome.ok();
  unknown += !outcome.ok() && open;
  refused += !outcome.ok() && !open;
  crashes += died;
  if (ids == after.Ids() && (outcome.ok() || open)) {
    model_ = after;
  } else if (ids != model_.Ids() || outcome.ok()) {
    return Corrupt("the table holds ", ids.size(), " rows; ", model_.rows.size(), " before and ", after.rows.size(),
                   " after an operation that ", outcome.ok() ? "succeeded" : outcome.ToString());
  }
  return arrow::Status::OK();
}

arrow::Status History::Step() {
  const int64_t dice = Below(12);  // half of the operations append
  Model after = model_;
  ArmFault();
  const arrow::Status outcome = Perform(dice, &after);
  return Settle(outcome, after);
}

/// After cleaning nothing is left that a snapshot does not need, and nothing ever was outside of the table.
arrow::Status History::CheckCleaned() {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenTable());
  ARROW_RETURN_NOT_OK(RemoveOrphanFiles(*table, {.older_than_millis = -1000}).status());
  ARROW_RETURN_NOT_OK(CheckWhole(*table->context()));
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, ReadIds(*table));
  if (ids != model_.Ids()) return Corrupt("orphan cleaning changed the rows");
  // With one snapshot left, the files that it names are all that may be there.
  ARROW_RETURN_NOT_OK(
      ExpireSnapshots(*table, {.retain_min = 1, .retain_max = 1, .time_retained_millis = 0, .limit = 1000}).status());
  ARROW_RETURN_NOT_OK(RemoveOrphanFiles(*table, {.older_than_millis = -1000}).status());
  const TableContext& context = *table->context();
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> latest, context.snapshots->Latest());
  std::set<std::string> wanted;
  if (latest) {
    ARROW_ASSIGN_OR_RAISE(const auto manifests, ReadSnapshotManifests(context, *latest));
    ARROW_ASSIGN_OR_RAISE(const auto live, ReadLiveFiles(context, *latest, nullptr));
    wanted = {"LATEST", "EARLIEST", "snapshot-" + std::to_string(latest->id), latest->base_manifest_list,
              latest->delta_manifest_list};
    for (const auto& manifest : manifests) wanted.insert(manifest.file_name);
    for (const auto& entry : live) wanted.insert(entry.file.file_name);
  }
  ARROW_ASSIGN_OR_RAISE(const auto files, context.store->List(warehouse_, /*recursive=*/true));
  for (const FileStatus& file : files) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (file.is_directory || wanted.contains(name) || name.starts_with("schema-")) continue;
    return Corrupt("left behind: ", file.path);
  }
  return arrow::Status::OK();
}

arrow::Status History::Run() {
  ARROW_RETURN_NOT_OK(Setup());
  const int64_t steps = 10 + Below(20);
  for (int64_t step = 0; step < steps; ++step) ARROW_RETURN_NOT_OK(Step());
  return CheckCleaned();
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  int64_t seeds = 100, first = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--first") == 0) first = std::atoll(argv[i + 1]);
  }
  if (!arrow::compute::Initialize().ok()) return 2;
  int64_t acknowledged = 0, refused = 0, unknown = 0, crashes = 0, failed = 0;
  for (int64_t seed = first; seed < first + seeds; ++seed) {
    bactrian::History history(static_cast<uint64_t>(seed));
    const arrow::Status status = history.Run();
    acknowledged += history.acknowledged, refused += history.refused, unknown += history.unknown, crashes += history.crashes;
    if (status.ok()) continue;
    ++failed;
    std::printf("seed %lld: %s\n", static_cast<long long>(seed), status.ToString().c_str());
  }
  std::printf("%lld seeds, %lld failed: %lld operations acknowledged, %lld refused, %lld in doubt, %lld crashes\n",
              static_cast<long long>(seeds), static_cast<long long>(failed), static_cast<long long>(acknowledged),
              static_cast<long long>(refused), static_cast<long long>(unknown), static_cast<long long>(crashes));
  return failed == 0 ? 0 : 1;
}
