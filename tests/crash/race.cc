/// Processes that commit to one table at once, are killed and come back, beside a process that compacts and one that expires
/// snapshots and removes orphans. Now and then a worker also makes a commit that gives up when it loses, and takes its files
/// back. At the end every acknowledged commit is there once, none that was refused, and every file of every snapshot exists.
///
///   bactrian_race [--processes 8] [--commits 200] [--kills 20] [--keep]
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "whole_table.h"

namespace bactrian {
namespace {

constexpr int64_t kRowsPerCommit = 3;
constexpr int64_t kIdsPerWorker = 1'000'000'000;
constexpr int64_t kImpatientIds = kIdsPerWorker / 2;
constexpr int64_t kImpatientEvery = 5;

arrow::Result<std::shared_ptr<Catalog>> OpenCatalog(const std::string& root) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  return session->OpenCatalog({.warehouse = root, .options = {}, .read_only = false});
}

arrow::Result<std::shared_ptr<Table>> OpenTable(const std::string& root) {
  ARROW_ASSIGN_OR_RAISE(auto catalog, OpenCatalog(root));
  return catalog->GetTable({"db", "t"});
}

std::string LogPath(const std::string& root, int64_t worker) { return root + "/log-" + std::to_string(worker); }

/// What became of a commit, as its worker wrote it down.
enum class Outcome : char {
  kAcknowledged = 'A',
  kBegun = 'B',      ///< impatient, before the outcome is known
  kRefused = 'R',    ///< impatient
  kPublished = 'P',  ///< impatient
};

struct LogLine {
  Outcome outcome;
  int64_t identifier, attempts;
};

std::vector<LogLine> ReadLog(const std::string& root, int64_t worker) {
  std::vector<LogLine> lines;
  std::ifstream log(LogPath(root, worker));
  char outcome;
  for (int64_t identifier, attempts; log >> outcome >> identifier >> attempts;) {
    lines.push_back({static_cast<Outcome>(outcome), identifier, attempts});
  }
  return lines;
}

std::vector<int64_t> IdsOf(int64_t worker, int64_t identifier, bool impatient) {
  std::vector<int64_t> ids;
  const int64_t first = worker * kIdsPerWorker + identifier * kRowsPerCommit + (impatient ? kImpatientIds : 0);
  for (int64_t row = 0; row < kRowsPerCommit; ++row) ids.push_back(first + row);
  return ids;
}

class Worker {
 public:
  static arrow::Status Run(const std::string& root, int64_t number, int64_t commits) {
    Worker worker;
    worker.number_ = number;
    ARROW_ASSIGN_OR_RAISE(worker.table_, OpenTable(root));
    int64_t first = 1;
    std::set<int64_t> begun;  // before a kill: nobody knows how it ended
    for (const LogLine& line : ReadLog(root, number)) {
      if (line.outcome == Outcome::kAcknowledged) first = line.identifier + 1;
      if (line.outcome == Outcome::kBegun) begun.insert(line.identifier);
    }
    worker.log_ = open(LogPath(root, number).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ARROW_ASSIGN_OR_RAISE(worker.committer_, worker.table_->NewCommitter({.commit_user = "worker-" + std::to_string(number)}));
    ARROW_ASSIGN_OR_RAISE(const auto catalog, OpenCatalog(root));
    ARROW_ASSIGN_OR_RAISE(const auto impatient, catalog->GetTable({"db", "t"}, {{"commit.max-retries", "0"}}));
    ARROW_ASSIGN_OR_RAISE(worker.impatient_, impatient->NewCommitter());
    for (int64_t identifier = first; identifier <= commits; ++identifier) {
      if (identifier % kImpatientEvery == 0 && !begun.contains(identifier))
        ARROW_RETURN_NOT_OK(worker.CommitImpatiently(identifier));
      ARROW_RETURN_NOT_OK(worker.Commit(identifier));
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Result<std::vector<CommitMessagePtr>> Write(const std::vector<int64_t>& ids) const {
    ARROW_ASSIGN_OR_RAISE(const auto writer, table_->NewWriter());
    arrow::Int64Builder builder;
    ARROW_RETURN_NOT_OK(builder.AppendValues(ids));
    ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());
    const auto schema = arrow::schema({arrow::field("id", arrow::int64())});
    ARROW_RETURN_NOT_OK(writer->Write(*arrow::RecordBatch::Make(schema, array->length(), {array})));
    return writer->Finish();
  }

  arrow::Status Note(Outcome outcome, int64_t identifier, int64_t attempts) const {
    const std::string line =
        static_cast<char>(outcome) + (" " + std::to_string(identifier)) + " " + std::to_string(attempts) + "\n";
    if (write(log_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return arrow::Status::IOError("log");
    return arrow::Status::OK();
  }

  /// Under the worker's commit user: one that was made but not acknowledged before a kill is known by its identifier.
  arrow::Status Commit(int64_t identifier) const {
    ARROW_ASSIGN_OR_RAISE(const auto messages, Write(IdsOf(number_, identifier, /*impatient=*/false)));
    ARROW_ASSIGN_OR_RAISE(const CommitResult result, committer_->Commit(messages, identifier));
    ARROW_RETURN_NOT_OK(result.expiry);
    if (result.attempts == 0) ARROW_RETURN_NOT_OK(committer_->Abort(messages));
    return Note(Outcome::kAcknowledged, identifier, result.attempts);
  }

  /// Without identifier and without a second attempt.
  arrow::Status CommitImpatiently(int64_t identifier) const {
    ARROW_RETURN_NOT_OK(Note(Outcome::kBegun, identifier, 0));
    ARROW_ASSIGN_OR_RAISE(const auto messages, Write(IdsOf(number_, identifier, /*impatient=*/true)));
    const arrow::Result<CommitResult> result = impatient_->Commit(messages);
    if (result.ok()) return Note(Outcome::kPublished, identifier, result->attempts);
    if (KindOf(result.status()) != ErrorKind::kCommitConflict) return result.status();
    ARROW_RETURN_NOT_OK(Note(Outcome::kRefused, identifier, 1));
    return impatient_->Abort(messages);
  }

  int64_t number_ = 0;
  std::shared_ptr<Table> table_;
  std::unique_ptr<Committer> committer_, impatient_;
  int log_ = -1;
};

/// Until told to stop. Losing to a commit is part of the game; other errors are not.
arrow::Status Maintain(const std::string& root, bool compact) {
  while (!std::filesystem::exists(root + "/stop")) {
    ARROW_ASSIGN_OR_RAISE(const auto table, OpenTable(root));
    arrow::Status status;
    if (compact) {
      status = Compact(table).status();
    } else {
      status = ExpireSnapshots(*table, {.retain_min = 5, .retain_max = 20, .time_retained_millis = 0}).status();
      // Writers' files are seconds old until they are committed: cleaning must know better than to take them.
      if (status.ok()) status = RemoveOrphanFiles(*table, {.older_than_millis = 60'000}).status();
    }
    if (!status.ok() && KindOf(status) != ErrorKind::kCommitConflict) return status;
    std::ofstream(root + (compact ? "/compactions" : "/expiries"), std::ios::app) << (status.ok() ? "done\n" : "refused\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return arrow::Status::OK();
}

class Race {
 public:
  Race(std::string root, int64_t processes, int64_t commits, int64_t kills)
      : root_(std::move(root)), processes_(processes), commits_(commits), kills_(kills) {}

  arrow::Status Run() {
    ARROW_RETURN_NOT_OK(Setup());
    for (int64_t worker = 0; worker < processes_; ++worker) ARROW_RETURN_NOT_OK(Start("work", worker));
    ARROW_RETURN_NOT_OK(Start("compact", -1));
    ARROW_RETURN_NOT_OK(Start("expire", -2));
    ARROW_RETURN_NOT_OK(WaitForWorkers());
    std::ofstream(root_ + "/stop").put('\n');
    while (!children_.empty()) ARROW_RETURN_NOT_OK(Reap(/*block=*/true));
    return Check();
  }

 private:
  arrow::Status Setup() {
    ARROW_ASSIGN_OR_RAISE(const auto catalog, OpenCatalog(root_));
    ARROW_RETURN_NOT_OK(catalog->CreateDatabase("db", false));
    Schema schema;
    schema.fields.resize(1);
    schema.fields[0].name = "id";
    schema.fields[0].type = DataType::Bigint(false);
    schema.options = {{"commit.max-retries", "100000"},
                      {"commit.max-retry-wait", "200 ms"},
                      // Commits expire snapshots as well.
                      {"snapshot.num-retained.min", "5"},
                      {"snapshot.num-retained.max", "30"}};
    return catalog->CreateTable({"db", "t"}, schema);
  }

  arrow::Status Start(const char* role, int64_t worker) {
    const pid_t child = fork();
    if (child < 0) return arrow::Status::IOError("fork failed");
    if (child == 0) {
      execl("/proc/self/exe", "race", role, root_.c_str(), std::to_string(worker).c_str(), std::to_string(commits_).c_str(),
            nullptr);
      _exit(127);
    }
    children_[child] = worker;
    return arrow::Status::OK();
  }

  /// Notes one that ended; a worker that was killed comes back.
  arrow::Status Reap(bool block) {
    int state = 0;
    const pid_t child = waitpid(-1, &state, block ? 0 : WNOHANG);
    if (child <= 0) return arrow::Status::OK();
    const int64_t worker = children_.at(child);
    children_.erase(child);
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL && worker >= 0) return Start("work", worker);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) return arrow::Status::IOError("process ", worker, " failed");
    return arrow::Status::OK();
  }

  arrow::Status WaitForWorkers() {
    std::minstd_rand random{std::random_device{}()};
    const auto working = [&] {
      return std::any_of(children_.begin(), children_.end(), [](const auto& child) { return child.second >= 0; });
    };
    while (working()) {
      ARROW_RETURN_NOT_OK(Reap(/*block=*/false));
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 100));
      if (killed_ >= kills_) continue;
      auto victim = children_.begin();
      std::advance(victim, random() % children_.size());
      if (victim->second < 0) continue;
      kill(victim->first, SIGKILL);
      ++killed_;
    }
    return arrow::Status::OK();
  }

  arrow::Status Check() {
    ARROW_ASSIGN_OR_RAISE(const auto table, OpenTable(root_));
    ARROW_RETURN_NOT_OK(WholeTable().Check(*table->context()));
    std::set<int64_t> wanted, open;  // open: a kill came before the outcome was written down
    int64_t acknowledged = 0, refused = 0, published = 0, attempts = 0;
    for (int64_t worker = 0; worker < processes_; ++worker) {
      for (const LogLine& line : ReadLog(root_, worker)) {
        const bool impatient = line.outcome != Outcome::kAcknowledged;
        acknowledged += !impatient;
        refused += line.outcome == Outcome::kRefused;
        published += line.outcome == Outcome::kPublished;
        attempts += impatient ? 0 : std::max<int64_t>(line.attempts, 1);
        for (const int64_t id : IdsOf(worker, line.identifier, impatient)) {
          if (line.outcome == Outcome::kBegun) open.insert(id);
          if (line.outcome == Outcome::kRefused) open.erase(id);
          if (line.outcome == Outcome::kPublished || !impatient) wanted.insert(id), open.erase(id);
        }
      }
    }
    ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ReadIds(*table));
    const size_t rows = ids.size();
    std::erase_if(ids, [&](int64_t id) { return open.contains(id); });
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> latest, table->context()->snapshots->LatestId());
    std::printf(
        "%lld commits acknowledged after %lld retries, %lld impatient ones published and %lld refused, %lld kills; compactions "
        "%s; expiries %s; newest snapshot %lld\n",
        static_cast<long long>(acknowledged), static_cast<long long>(attempts - acknowledged),
        static_cast<long long>(published), static_cast<long long>(refused), static_cast<long long>(killed_),
        Tally("compactions").c_str(), Tally("expiries").c_str(), static_cast<long long>(latest.value_or(0)));
    if (acknowledged != processes_ * commits_) return Corrupt(acknowledged, " commits acknowledged of ", processes_ * commits_);
    if (!std::equal(ids.begin(), ids.end(), wanted.begin(), wanted.end())) {
      return Corrupt("the table holds ", rows, " rows, ", wanted.size(), " were acknowledged");
    }
    return arrow::Status::OK();
  }

  /// "12 done, 3 refused" of what a maintenance process wrote down.
  std::string Tally(const std::string& name) const {
    int64_t done = 0, refused = 0;
    std::ifstream log(root_ + "/" + name);
    for (std::string word; log >> word;) ++(word == "done" ? done : refused);
    return std::to_string(done) + " done, " + std::to_string(refused) + " refused";
  }

  const std::string root_;
  const int64_t processes_, commits_, kills_;
  int64_t killed_ = 0;
  std::map<pid_t, int64_t> children_;  ///< worker's number; below 0: maintenance
};

int Report(const char* who, const arrow::Status& status) {
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", who, status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  using bactrian::Report;
  if (!arrow::compute::Initialize().ok()) return 2;
  if (argc == 5 && argv[1][0] != '-') {
    const std::string role = argv[1];
    if (role == "work") return Report("worker", bactrian::Worker::Run(argv[2], std::atoll(argv[3]), std::atoll(argv[4])));
    return Report(argv[1], bactrian::Maintain(argv[2], role == "compact"));
  }
  int64_t processes = 8, commits = 200, kills = 20;
  bool keep = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--keep") == 0) keep = true;
    if (i + 1 == argc) break;
    if (std::strcmp(argv[i], "--processes") == 0) processes = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--commits") == 0) commits = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--kills") == 0) kills = std::atoll(argv[i + 1]);
  }
  std::string root = (std::filesystem::temp_directory_path() / "bactrian-race-XXXXXX").string();
  if (mkdtemp(root.data()) == nullptr) return 2;
  const int code = Report("race", bactrian::Race(root, processes, commits, kills).Run());
  if (keep) std::printf("%s\n", root.c_str());
  if (!keep) std::filesystem::remove_all(root);
  return code;
}
