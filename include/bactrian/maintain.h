/// Keeping a table small and clean: compaction, expiry of snapshots, removal of files that nothing refers to.
///
///   ARROW_ASSIGN_OR_RAISE(ExpireResult expired, ExpireSnapshots(*table, {.retain_max = 100}));
///   ARROW_ASSIGN_OR_RAISE(OrphanResult orphans, RemoveOrphanFiles(*table, {.dry_run = true}));
///   ARROW_ASSIGN_OR_RAISE(CompactResult compacted, Compact(table));
///
/// Compaction in steps, so that tasks can run where there is room for them:
///
///   ARROW_ASSIGN_OR_RAISE(auto compactor, Compactor::Make(table));
///   ARROW_ASSIGN_OR_RAISE(CompactionPlan plan, compactor->Plan());
///   for (const auto& task : plan.tasks) { ARROW_ASSIGN_OR_RAISE(CommitMessagePtr message, compactor->Run(*task)); … }
///   ARROW_ASSIGN_OR_RAISE(CommitResult result, committer->Commit(messages));
///
/// All of it is safe beside writers and readers of the newest snapshot, in any number of processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/write.h"

namespace bactrian {

class Table;

struct ExpireOptions {
  std::optional<int64_t> retain_min = std::nullopt;            ///< default: option snapshot.num-retained.min (10)
  std::optional<int64_t> retain_max = std::nullopt;            ///< default: option snapshot.num-retained.max (no limit)
  std::optional<int64_t> time_retained_millis = std::nullopt;  ///< default: option snapshot.time-retained (1 h)
  std::optional<int64_t> limit = std::nullopt;                 ///< snapshots a call; default: option snapshot.expire.limit (50)
  bool dry_run = false;
};

struct ExpireResult {
  int64_t snapshots = 0;           ///< expired
  std::vector<std::string> files;  ///< deleted: data, manifests, indexes, statistics; not the snapshots' own
};

/// Removes the oldest snapshots and the files that only they used (format reference: snapshot.md §10). Snapshots that tags,
/// consumers or other branches need keep their files. All is read before anything is deleted: a missing manifest is an error
/// that leaves the table as it was.
BACTRIAN_EXPORT arrow::Result<ExpireResult> ExpireSnapshots(const Table& table, const ExpireOptions& options = {});

struct OrphanOptions {
  /// Younger files are kept: they may belong to commits that are under way.
  int64_t older_than_millis = 24 * 60 * 60 * 1000;
  bool dry_run = false;
  /// Clean the roots of option data-file.external-paths too. Only for roots that no other table writes to: its files would
  /// look like orphans of this one.
  bool external_paths = false;
};

struct OrphanFile {
  std::string path;
  int64_t size = 0;
};

struct OrphanResult {
  std::vector<OrphanFile> files;  ///< deleted, or to be deleted in a dry run
  int64_t bytes = 0;
};

/// Deletes files in the table's own folders that no snapshot, tag or changelog of any branch refers to (format reference:
/// snapshot.md §11), and on request in its external data paths. Files in places where Paimon puts none are never touched.
BACTRIAN_EXPORT arrow::Result<OrphanResult> RemoveOrphanFiles(const Table& table, const OrphanOptions& options = {});

struct CompactionOptions {
  PartitionSpec partition = {};  ///< only partitions in it
  /// Rewrite every file that is not of the target size or has deleted rows, however few there are.
  bool full = false;
  /// Compact() calls it, from the threads that run tasks, when one has ended: with the bytes of that task and of all.
  std::function<void(int64_t bytes, int64_t total)> progress = {};
};

/// Files of one bucket to be rewritten together. Immutable.
class BACTRIAN_EXPORT CompactionTask {
 public:
  virtual ~CompactionTask() = default;
  virtual int num_files() const = 0;
  virtual int64_t bytes() const = 0;
};
using CompactionTaskPtr = std::shared_ptr<const CompactionTask>;

struct CompactionPlan {
  std::optional<int64_t> snapshot_id;
  std::vector<CompactionTaskPtr> tasks;
};

/// Merges small files of append tables and drops deleted rows (options target-file-size, compaction.small-file-ratio,
/// compaction.min.file-num, compaction.delete-ratio-threshold). Thread-safe.
class BACTRIAN_EXPORT Compactor {
 public:
  /// kUnsupported for tables that cannot be compacted yet.
  static arrow::Result<std::unique_ptr<Compactor>> Make(std::shared_ptr<Table> table, const CompactionOptions& options = {});
  virtual ~Compactor() = default;
  /// What the newest snapshot needs. No two tasks touch the same file.
  virtual arrow::Result<CompactionPlan> Plan() const = 0;
  /// Rewrites a task's files, one batch at a time in memory. Nothing changes until the message is committed.
  virtual arrow::Result<CommitMessagePtr> Run(const CompactionTask& task) const = 0;
};

struct CompactResult {
  std::optional<int64_t> snapshot_id;  ///< nullopt: nothing to do
  int64_t files_before = 0, files_after = 0;
};

/// Plans, runs tasks on the session's threads, commits. When another commit took a file away it plans again, a few times.
BACTRIAN_EXPORT arrow::Result<CompactResult> Compact(const std::shared_ptr<Table>& table,
                                                     const CompactionOptions& options = {});

}  // namespace bactrian
