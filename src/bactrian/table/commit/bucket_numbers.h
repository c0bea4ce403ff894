#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bactrian/table/commit/snapshot_change.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// kCommitConflict unless the files of each partition, `live` and `added`, are in one number of buckets: rows of a partition
/// lie in buckets by one function, unless an overwrite replaces them all (format reference: snapshot.md §8).
arrow::Status CheckBucketNumbers(const std::vector<ManifestEntry>& live, const std::vector<ManifestEntry>& added);

/// The same check for a committer that appends again and again: a partition's files are looked at once, later only the
/// changes of the snapshots that came since. Thread-safe.
class BucketNumbers {
 public:
  arrow::Status Check(const TableContext& context, const Snapshot& latest, const SnapshotChange& change);

 private:
  /// Partition (serialised row) to its bucket number; 0: no file of it has one.
  using Numbers = std::map<std::string, int32_t, std::less<>>;

  arrow::Status CatchUp(const TableContext& context, const Snapshot& latest);
  arrow::Status Follow(const TableContext& context, const Snapshot& snapshot);

  std::mutex mutex_;
  int64_t snapshot_id_ = 0;  ///< the snapshot in which `numbers_` hold
  Numbers numbers_;
};

}  // namespace bactrian
