/// Naming states of a table (tags), lines of history beside the main one (branches), and going back.
///
///   ARROW_ASSIGN_OR_RAISE(int64_t snapshot_id, CreateTag(*table, "before-import"));
///   ARROW_RETURN_NOT_OK(CreateBranch(*table, "trial", "before-import"));
///   ARROW_ASSIGN_OR_RAISE(RollbackResult result, RollbackToTag(*table, "before-import"));
///
/// The calls work on the branch that the table's handle is of; branches are made and deleted through the main one. System
/// tables are kUnsupported. Files that nothing refers to any more afterwards are left to RemoveOrphanFiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bactrian/status.h"

namespace bactrian {

class Table;

struct TagOptions {
  std::optional<int64_t> snapshot_id = std::nullopt;           ///< default: the newest
  std::optional<int64_t> time_retained_millis = std::nullopt;  ///< kept in the tag for whoever expires tags; default: for good
  bool replace = false;                                        ///< take the place of a tag of this name
};

/// Keeps a snapshot's state under a name, beyond its expiry (format reference: snapshot.md §3). Returns the snapshot's id.
/// kNotFound, kSnapshotExpired for the snapshot, kAlreadyExists for the name.
BACTRIAN_EXPORT arrow::Result<int64_t> CreateTag(const Table& table, const std::string& name, const TagOptions& options = {});
/// kNotFound if there is none.
BACTRIAN_EXPORT arrow::Status DeleteTag(const Table& table, const std::string& name);

/// A branch with the rows of a tag, or without rows if none is given (format reference: snapshot.md §12). kInvalid for the
/// name "main" and for names that are no plain file name or all digits.
BACTRIAN_EXPORT arrow::Status CreateBranch(const Table& table, const std::string& name,
                                           const std::optional<std::string>& tag = std::nullopt);
/// Deletes a branch's metadata; kNotFound if there is none.
BACTRIAN_EXPORT arrow::Status DeleteBranch(const Table& table, const std::string& name);

struct RollbackResult {
  int64_t snapshot_id = 0;  ///< the newest one now
  int64_t snapshots = 0;    ///< deleted
  int64_t tags = 0;         ///< deleted: those of later snapshots
};

/// Deletes all later snapshots, changelogs and tags, newest first (format reference: snapshot.md §7). Nobody may write to the
/// table meanwhile: a commit that is under way would land above the gap.
BACTRIAN_EXPORT arrow::Result<RollbackResult> RollbackToSnapshot(const Table& table, int64_t snapshot_id);
/// The same for a tag, whose snapshot comes back if it has expired.
BACTRIAN_EXPORT arrow::Result<RollbackResult> RollbackToTag(const Table& table, const std::string& name);

}  // namespace bactrian
