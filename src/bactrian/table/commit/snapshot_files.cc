#include "bactrian/table/commit/snapshot_files.h"

#include "bactrian/meta/manifest_merge.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

int64_t RowsOf(const std::vector<ManifestEntry>& entries) {
  int64_t rows = 0;
  for (const ManifestEntry& entry : entries) {
    rows += entry.kind == FileKind::kAdd ? entry.file.row_count : -entry.file.row_count;
  }
  return rows;
}

}  // namespace

SnapshotFiles::SnapshotFiles(const TableContext& context, const CommitSettings& settings)
    : context_(context), settings_(settings), partition_fields_(context.schema->PartitionFields()), uuid_(NewUuid()) {}

arrow::Status SnapshotFiles::Write(const std::optional<Snapshot>& latest, const SnapshotChange& change, bool merge,
                                   Snapshot* snapshot) {
  ARROW_RETURN_NOT_OK(WriteBase(latest, merge, snapshot));
  ARROW_RETURN_NOT_OK(WriteDelta(change, snapshot));
  snapshot->total_record_count = (latest ? latest->total_record_count.value_or(0) : 0) + *snapshot->delta_record_count;
  return WriteIndex(latest, change, snapshot);
}

arrow::Status SnapshotFiles::WriteBase(const std::optional<Snapshot>& latest, bool merge, Snapshot* snapshot) {
  std::vector<ManifestFileMeta> manifests;
  if (latest) {
    ARROW_ASSIGN_OR_RAISE(manifests, ReadSnapshotManifests(context_, *latest));
  }
  if (merge) {
    const ManifestMergeOptions options{settings_.manifests, settings_.full_merge_bytes, settings_.merge_min_count,
                                       partition_fields_};
    ARROW_ASSIGN_OR_RAISE(MergedManifests merged,
                          MergeManifests(*context_.store, context_.paths, uuid_, &manifests_, manifests, options));
    manifests = std::move(merged.manifests);
  }
  ARROW_ASSIGN_OR_RAISE(WrittenFile list, WriteList(manifests));
  snapshot->base_manifest_list = std::move(list.name);
  snapshot->base_manifest_list_size = list.size;
  return arrow::Status::OK();
}

arrow::Status SnapshotFiles::WriteDelta(const SnapshotChange& change, Snapshot* snapshot) {
  const auto write = [&](const std::vector<ManifestEntry>& entries) -> arrow::Result<WrittenFile> {
    std::vector<ManifestFileMeta> manifests;
    if (!entries.empty()) {
      ARROW_ASSIGN_OR_RAISE(manifests, WriteManifests(*context_.store, context_.paths, uuid_, &manifests_, entries,
                                                      partition_fields_, settings_.manifests));
    }
    return WriteList(manifests);
  };
  ARROW_ASSIGN_OR_RAISE(WrittenFile delta, write(change.files));
  snapshot->delta_manifest_list = std::move(delta.name);
  snapshot->delta_manifest_list_size = delta.size;
  snapshot->delta_record_count = RowsOf(change.files);
  if (change.changelog.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(WrittenFile changelog, write(change.changelog));
  snapshot->changelog_manifest_list = std::move(changelog.name);
  snapshot->changelog_manifest_list_size = changelog.size;
  snapshot->changelog_record_count = RowsOf(change.changelog);
  return arrow::Status::OK();
}

arrow::Status SnapshotFiles::WriteIndex(const std::optional<Snapshot>& latest, const SnapshotChange& change,
                                        Snapshot* snapshot) {
  const std::optional<std::string> previous = latest ? latest->index_manifest : std::nullopt;
  if (change.new_index_files.empty() && change.deleted_index_files.empty()) {
    snapshot->index_manifest = previous;
    return arrow::Status::OK();
  }
  std::vector<IndexFileEntry> entries;
  if (previous) {
    ARROW_ASSIGN_OR_RAISE(entries, ReadIndexManifest(*context_.store, context_.paths.ManifestFile(*previous)));
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t bucket, CoreOptions(context_.schema->options).bucket());
  ARROW_ASSIGN_OR_RAISE(entries, CombineIndexFiles(std::move(entries), change, /*unaware=*/bucket == -1));
  if (entries.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(WrittenFile written, WriteIndexManifest(*context_.store, context_.paths, uuid_, &index_manifests_,
                                                                entries, settings_.manifests));
  snapshot->index_manifest = std::move(written.name);
  return arrow::Status::OK();
}

arrow::Result<WrittenFile> SnapshotFiles::WriteList(const std::vector<ManifestFileMeta>& manifests) {
  return WriteManifestList(*context_.store, context_.paths, uuid_, &lists_, manifests, settings_.manifests);
}

void SnapshotFiles::TakeBack() {
  // A writer may have failed before it counted its file: one more of each kind.
  const auto remove = [&](std::string_view kind, int count) {
    for (int i = 0; i <= count; ++i) {
      (void)context_.store->DeleteFile(context_.paths.ManifestFile(std::string(kind) + uuid_ + "-" + std::to_string(i)));
    }
  };
  remove("manifest-list-", lists_);
  remove("manifest-", manifests_);
  remove("index-manifest-", index_manifests_);
}

}  // namespace bactrian
