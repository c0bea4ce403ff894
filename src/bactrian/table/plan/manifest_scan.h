#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/scan.h"
#include "bactrian/session.h"
#include "bactrian/table/plan/head_pruner.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// An entry of a manifest that stays in the session's cache or is kept alive by this pointer.
using EntryPtr = std::shared_ptr<const ManifestEntry>;

/// Reads manifests through the session's cache: what a second scan of an unchanged snapshot needs is there.
class ManifestScan {
 public:
  ManifestScan(const TableContext& context, Session::State& session, std::shared_ptr<HeadPruner> pruner, PlanMetrics* metrics)
      : context_(context), session_(session), pruner_(std::move(pruner)), metrics_(metrics) {}

  /// The live files of a snapshot, in the order in which they were added (manifest.md §4).
  arrow::Result<std::vector<EntryPtr>> LiveFiles(const Snapshot& snapshot);
  /// The files that one snapshot added.
  arrow::Result<std::vector<EntryPtr>> AddedFiles(const Snapshot& snapshot);
  /// The files that one snapshot removed.
  arrow::Result<std::vector<EntryPtr>> RemovedFiles(const Snapshot& snapshot);
  /// The changelog files that one snapshot added; none if it has no changelog.
  arrow::Result<std::vector<EntryPtr>> ChangelogFiles(const Snapshot& snapshot);
  /// The index files of a snapshot.
  arrow::Result<std::shared_ptr<const std::vector<IndexFileEntry>>> IndexFiles(const Snapshot& snapshot);

 private:
  struct CachedManifest;
  using ManifestMetas = std::vector<ManifestFileMeta>;

  /// The entries of one kind in the manifests of a list.
  arrow::Result<std::vector<EntryPtr>> EntriesOf(FileKind kind, const std::string& list, std::optional<int64_t> list_size);

  arrow::Result<std::shared_ptr<const ManifestMetas>> List(const std::string& name, std::optional<int64_t> size);
  arrow::Result<std::vector<std::shared_ptr<const CachedManifest>>> Read(const std::vector<const ManifestFileMeta*>& manifests);
  int64_t LiveInPartitions(const CachedManifest& manifest) const;
  arrow::Result<std::shared_ptr<const CachedManifest>> ReadOne(const ManifestFileMeta& manifest, bool* was_read);

  const TableContext& context_;
  Session::State& session_;
  std::shared_ptr<HeadPruner> pruner_;
  PlanMetrics* metrics_;
};

}  // namespace bactrian
