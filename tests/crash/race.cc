/// Processes that commit to one table at once, are killed and come back, beside a process that compacts and one that expires
/// snapshots and removes orphans. At the end every acknowledged commit is there once, no other, and every file of every
/// snapshot exists.
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

arrow::Result<std::shared_ptr<Catalog>> OpenCatalog(const std::string& root) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  return session->OpenCatalog({.warehouse = root, .options = {}, .read_only = false});
}

arrow::Result<std::shared_ptr<Table>> OpenTable(const std::string& root) {
  ARROW_ASSIGN_OR_RAISE(auto catalog, OpenCatalog(root));
  return catalog->GetTable({"db", "t"});
}

std::string LogPath(const std::string& root, int64_t worker) { return root + "/log-" + std::to_string(worker); }

/// "identifier attempts" of each acknowledged commit, in order.
std::vector<std::pair<int64_t, int64_t>> ReadLog(const std::string& root, int64_t worker) {
  std::vector<std::pair<int64_t, int64_t>> acknowledged;
  std::ifstream log(LogPath(root, worker));
  for (int64_t identifier, attempts; log >> identifier >> attempts;) acknowledged.emplace_back(identifier, attempts);
  return acknowledged;
}

/// Commits 1 … n under one commit user; goes on after the last acknowledged one. A commit that was made but not acknowledged
/// before a kill is known by its identifier.
arrow::Status Work(const std::string& root, int64_t worker, int64_t commits) {
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenTable(root));
  const auto log = ReadLog(root, worker);
  const int64_t first = log.empty() ? 1 : log.back().first + 1;
  const int out = open(LogPath(root, worker).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ARROW_ASSIGN_OR_RAISE(const auto committer, table->NewCommitter({.commit_user = "worker-" + std::to_string(worker)}));
  for (int64_t identifier = first; identifier <= commits; ++identifier) {
    ARROW_ASSIGN_OR_RAISE(const auto writer, table->NewWriter());
    arrow::Int64Builder ids;
    for (int64_t row = 0; row < kRowsPerCommit; ++row) {
      ARROW_RETURN_NOT_OK(ids.Append(worker * kIdsPerWorker + identifier * kRowsPerCommit + row));
    }
    ARROW_ASSIGN_OR_RAISE(auto array, ids.Finish());
    const auto schema = arrow::schema({arrow::field("id", arrow::int64())});
    ARROW_RETURN_NOT_OK(writer->Write(*arrow::RecordBatch::Make(schema, kRowsPerCommit, {array})));
    ARROW_ASSIGN_OR_RAISE(const auto messages, writer->Finish());
    ARROW_ASSIGN_OR_RAISE(const CommitResult result, committer->Commit(messages, identifier));
    if (result.attempts == 0) ARROW_RETURN_NOT_OK(committer->Abort(messages));
    const std::string line = std::to_string(identifier) + " " + std::to_string(result.attempts) + "\n";
    if (write(out, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return arrow::Status::IOError("log");
  }
  close(out);
  return arrow::Status::OK();
}

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
    schema.options = {{"commit.max-retries", "100000"}, {"commit.max-retry-wait", "200 ms"}};
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
    ARROW_RETURN_NOT_OK(CheckWhole(*table->context()));
    std::vector<int64_t> wanted;
    int64_t acknowledged = 0, attempts = 0;
    for (int64_t worker = 0; worker < processes_; ++worker) {
      for (const auto& [identifier, tries] : ReadLog(root_, worker)) {
        ++acknowledged;
        attempts += std::max<int64_t>(tries, 1);
        for (int64_t row = 0; row < kRowsPerCommit; ++row) {
          wanted.push_back(worker * kIdsPerWorker + identifier * kRowsPerCommit + row);
        }
      }
    }
    std::sort(wanted.begin(), wanted.end());
    ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, ReadIds(*table));
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> latest, table->context()->snapshots->LatestId());
    std::printf("%lld commits acknowledged, %lld retries, %lld kills, newest snapshot %lld\n",
                static_cast<long long>(acknowledged), static_cast<long long>(attempts - acknowledged),
                static_cast<long long>(killed_), static_cast<long long>(latest.value_or(0)));
    if (acknowledged != processes_ * commits_) return Corrupt(acknowledged, " commits acknowledged of ", processes_ * commits_);
    if (ids != wanted) return Corrupt("the table holds ", ids.size(), " rows, ", wanted.size(), " were acknowledged");
    return arrow::Status::OK();
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
    if (role == "work") return Report("worker", bactrian::Work(argv[2], std::atoll(argv[3]), std::atoll(argv[4])));
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
