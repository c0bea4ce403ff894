/// Random histories of one table under faults: writes, overwrites, drops, compaction, expiry, cleaning and schema changes, each
/// perhaps hit by an I/O error before or after its effect, a torn write, or the end of the process, at any step. After each:
/// what was acknowledged is there once, what was refused is not, and every file of every snapshot exists; at the end all
/// leftovers lie in the table's folders and orphan cleaning removes them.
///
///   bactrian_fault_history [--seeds N] [--first S] [--jobs J]
///   bactrian_fault_history --every-step [--stride N] [--jobs J]
///       each operation once for every (N-th) step of it at which something can fail
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <thread>

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

/// What operations came to.
struct Counts {
  int64_t histories = 0, failed = 0, acknowledged = 0, refused = 0, unknown = 0, crashes = 0;

  void Add(const Counts& other) {
    histories += other.histories, failed += other.failed, acknowledged += other.acknowledged;
    refused += other.refused, unknown += other.unknown, crashes += other.crashes;
  }
};

class History {
 public:
  explicit History(uint64_t seed)
      : random_(seed),
        base_path_("memory://fault_history_" + std::to_string(number_++) + "/lake"),
        warehouse_("fault:" + base_path_) {}

  /// Random operations under random faults.
  arrow::Status Run();
  /// One operation under one fault, on a table with something to expire, compact and clean.
  arrow::Status RunOne(int64_t operation, const std::optional<Fault>& fault);

  Counts counts;
  std::map<FileOp, int64_t> steps;  ///< of the one operation, by what they count as

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

  static inline int64_t number_ = 0;
  std::mt19937_64 random_;
  const std::string base_path_, warehouse_;
  std::shared_ptr<FaultStore> faults_;
  std::shared_ptr<Session> session_;
  Model model_;
  int64_t next_id_ = 0, next_column_ = 0;
  WholeTable whole_;
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
  schema.options = {{"manifest.merge-min-count", "3"},
                    {"target-file-row-num", "7"},
                    {"commit.max-retries", "2"},
                    {"commit.min-retry-wait", "0 ms"},
                    {"commit.max-retry-wait", "0 ms"},
                    {"compaction.min.file-num", "2"},
                    // Commits expire snapshots too.
                    {"snapshot.num-retained.min", "4"},
                    {"snapshot.num-retained.max", "6"}};
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
  ARROW_RETURN_NOT_OK(whole_.Check(*table->context()));
  // Before a process has reported, its end leaves open what happened; an error that says so does as well.
  const bool open = died || (!outcome.ok() && KindOf(outcome) == ErrorKind::kCommitOutcomeUnknown);
  counts.acknowledged += outcome.ok();
  counts.unknown += !outcome.ok() && open;
  counts.refused += !outcome.ok() && !open;
  counts.crashes += died;
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
  ARROW_RETURN_NOT_OK(whole_.Check(*table->context()));
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

arrow::Status History::RunOne(int64_t operation, const std::optional<Fault>& fault) {
  ARROW_RETURN_NOT_OK(Setup());
  constexpr int64_t kAppend = 6, kOverwrite = 5;
  for (const int64_t before : {kAppend, kAppend, kOverwrite, kAppend}) {
    Model after = model_;
    ARROW_RETURN_NOT_OK(Settle(Perform(before, &after), after));
  }
  counts = {};
  constexpr std::array kStepKinds = {FileOp::kAny, FileOp::kAnyMutation, FileOp::kAnyWrite};
  for (const FileOp kind : kStepKinds) steps[kind] = -faults_->Count(kind);
  if (fault) faults_->Arm(*fault);
  Model after = model_;
  const arrow::Status outcome = Perform(operation, &after);
  for (const FileOp kind : kStepKinds) steps[kind] += faults_->Count(kind);
  ARROW_RETURN_NOT_OK(Settle(outcome, after));
  return CheckCleaned();
}

/// Counts a history and reports its failure.
void Note(const std::string& name, const arrow::Status& status, const History& history, Counts* counts) {
  counts->Add(history.counts);
  ++counts->histories;
  if (status.ok()) return;
  ++counts->failed;
  std::printf("%s: %s\n", name.c_str(), status.ToString().c_str());
  std::fflush(stdout);
}

/// Every `jobs`-th seed from `first` + `job` on.
Counts RunSeeds(int64_t first, int64_t seeds, int64_t jobs, int64_t job) {
  Counts counts;
  for (int64_t seed = first + job; seed < first + seeds; seed += jobs) {
    History history(static_cast<uint64_t>(seed));
    const arrow::Status status = history.Run();
    Note("seed " + std::to_string(seed), status, history, &counts);
  }
  return counts;
}

Counts RunEveryStep(int64_t stride, int64_t jobs, int64_t job) {
  constexpr std::array<const char*, 7> kOperations = {"alter", "compact", "expire", "clean", "drop", "overwrite", "append"};
  struct Kind {
    const char* name;
    Fault fault;
  };
  const std::array<Kind, 7> kinds = {
      {{"error before", {.op = FileOp::kAny}},
       {"error after", {.op = FileOp::kAnyMutation, .moment = FaultMoment::kAfter}},
       {"torn write", {.op = FileOp::kAnyWrite, .moment = FaultMoment::kTorn}},
       {"crash before", {.op = FileOp::kAnyMutation, .crash = true}},
       {"crash after", {.op = FileOp::kAnyMutation, .moment = FaultMoment::kAfter, .crash = true}},
       {"crash amid", {.op = FileOp::kAnyWrite, .moment = FaultMoment::kTorn, .crash = true}},
       {"full disk", {.op = FileOp::kAnyWrite, .moment = FaultMoment::kTorn, .repeat = true}}}};
  Counts counts;
  int64_t number = 0;
  for (int64_t operation = 0; operation < static_cast<int64_t>(kOperations.size()); ++operation) {
    History sound(static_cast<uint64_t>(operation));
    Note(kOperations[operation], sound.RunOne(operation, std::nullopt), sound, &counts);
    for (const Kind& kind : kinds) {
      for (int64_t nth = 1; nth <= sound.steps[kind.fault.op]; nth += stride) {
        if (number++ % jobs != job) continue;
        History history(static_cast<uint64_t>(operation));
        Fault fault = kind.fault;
        fault.nth = nth;
        const arrow::Status status = history.RunOne(operation, fault);
        Note(std::string(kOperations[operation]) + ", " + kind.name + " at step " + std::to_string(nth), status, history,
             &counts);
      }
    }
  }
  return counts;
}

/// Runs `part` in `jobs` processes at once and adds up.
Counts InProcesses(int64_t jobs, const std::function<Counts(int64_t job)>& part) {
  Counts total;
  std::vector<int> pipes;
  for (int64_t job = 0; job < jobs; ++job) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    if (fork() == 0) {
      const Counts counts = arrow::compute::Initialize().ok() ? part(job) : Counts{.failed = 1};
      _exit(write(ends[1], &counts, sizeof(counts)) == sizeof(counts) ? 0 : 1);
    }
    close(ends[1]);
    pipes.push_back(ends[0]);
  }
  for (const int end : pipes) {
    Counts counts;
    // A process that died without a word counts as a failure.
    if (read(end, &counts, sizeof(counts)) != sizeof(counts)) counts = Counts{.failed = 1};
    total.Add(counts);
    close(end);
  }
  while (wait(nullptr) > 0) {
  }
  return total;
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  int64_t seeds = 100, first = 1, jobs = std::max(1U, std::thread::hardware_concurrency()), stride = 1;
  bool every_step = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--every-step") == 0) every_step = true;
    if (i + 1 == argc) break;
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--first") == 0) first = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--stride") == 0) stride = std::max(1LL, std::atoll(argv[i + 1]));
    if (std::strcmp(argv[i], "--jobs") == 0) jobs = std::max(1LL, std::atoll(argv[i + 1]));
  }
  const bactrian::Counts counts = bactrian::InProcesses(jobs, [&](int64_t job) {
    return every_step ? bactrian::RunEveryStep(stride, jobs, job) : bactrian::RunSeeds(first, seeds, jobs, job);
  });
  std::printf("%lld histories, %lld failed: %lld operations acknowledged, %lld refused, %lld in doubt, %lld crashes\n",
              static_cast<long long>(counts.histories), static_cast<long long>(counts.failed),
              static_cast<long long>(counts.acknowledged), static_cast<long long>(counts.refused),
              static_cast<long long>(counts.unknown), static_cast<long long>(counts.crashes));
  return counts.failed == 0 ? 0 : 1;
}
