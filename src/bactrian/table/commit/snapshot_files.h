#pragma once

#include <optional>
#include <string>

#include "bactrian/table/commit/commit_settings.h"
#include "bactrian/table/commit/snapshot_change.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Writes the manifests of one attempt at a snapshot under names of its own, and can take them back. Not thread-safe.
class SnapshotFiles {
 public:
  SnapshotFiles(const TableContext& context, const CommitSettings& settings);

  /// Fills the manifest fields of `snapshot`, which follows `latest`. `merge`: small manifests may be merged into fewer
  /// (snapshot.md §9).
  arrow::Status Write(const std::optional<Snapshot>& latest, const SnapshotChange& change, bool merge, Snapshot* snapshot);

  /// Deletes what it wrote, best effort. Only when it is certain that no snapshot refers to it.
  void TakeBack();

 private:
  arrow::Status WriteBase(const std::optional<Snapshot>& latest, bool merge, Snapshot* snapshot);
  arrow::Status WriteDelta(const SnapshotChange& change, Snapshot* snapshot);
  arrow::Status WriteIndex(const std::optional<Snapshot>& latest, const SnapshotChange& change, Snapshot* snapshot);
  arrow::Result<WrittenFile> WriteList(const std::vector<ManifestFileMeta>& manifests);

  const TableContext& context_;
  const CommitSettings& settings_;
  std::vector<Field> partition_fields_;
  std::string uuid_;
  int manifests_ = 0, lists_ = 0, index_manifests_ = 0;  ///< numbers of the next files
};

}  // namespace bactrian
