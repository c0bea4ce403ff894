#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "bactrian/table/commit/commit_settings.h"
#include "bactrian/table/commit/snapshot_change.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// One snapshot to publish.
struct SnapshotRequest {
  CommitKind kind = CommitKind::kAppend;
  int64_t identifier = kBatchCommitIdentifier;
  std::string operation;
  bool check_conflicts = false;
  bool allow_empty = false;  ///< publish even if nothing changes
  /// What to change, given the newest snapshot: asked anew in each attempt.
  std::function<arrow::Result<SnapshotChange>(const std::optional<Snapshot>& latest)> change;
};

/// Publishes snapshots by put-if-absent until one succeeds (format reference: snapshot.md §7). Thread-safe.
class SnapshotCommitter {
 public:
  SnapshotCommitter(const TableContext& context, const CommitSettings& settings, const std::string& commit_user)
      : context_(context), settings_(settings), commit_user_(commit_user) {}

  /// snapshot_id is nullopt when there is nothing to publish. kCommitConflict: not published, nothing of it is left.
  /// kCommitOutcomeUnknown: perhaps published, nothing was deleted.
  arrow::Result<CommitResult> Commit(const SnapshotRequest& request) const;

 private:
  /// How one attempt ended: a status that is OK and an id (published), or no id (nothing to do), or neither (lost: try again).
  struct Attempt {
    bool done = false;
    std::optional<int64_t> snapshot_id;
  };
  /// Uuids under which earlier attempts of this commit may have been published, and the id after which.
  struct Doubt {
    std::set<std::string> uuids;
    int64_t after_id = 0;
  };

  arrow::Result<Attempt> TryOnce(const SnapshotRequest& request, bool merge, Doubt* doubt) const;
  arrow::Result<Attempt> TryAfter(const std::optional<Snapshot>& latest, const SnapshotRequest& request, bool merge,
                                  Doubt* doubt) const;
  arrow::Result<bool> IsThere(const std::optional<Snapshot>& latest) const;
  arrow::Result<Attempt> Publish(const Snapshot& snapshot, const SnapshotChange& change, Doubt* doubt, bool* lost) const;
  arrow::Result<bool> IsInHistory(const Snapshot& snapshot, const SnapshotChange& change) const;
  arrow::Result<std::optional<int64_t>> FindDoubtful(const Doubt& doubt, int64_t latest_id) const;
  arrow::Result<Snapshot> NewSnapshot(const SnapshotRequest& request, const std::optional<Snapshot>& latest) const;

  const TableContext& context_;
  const CommitSettings& settings_;
  const std::string& commit_user_;
};

}  // namespace bactrian
