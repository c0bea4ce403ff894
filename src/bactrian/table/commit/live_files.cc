#include "bactrian/table/commit/live_files.h"

#include "bactrian/meta/entry_replay.h"

namespace bactrian {

arrow::Result<std::vector<ManifestFileMeta>> ReadSnapshotManifests(const TableContext& context, const Snapshot& snapshot) {
  std::vector<ManifestFileMeta> manifests;
  ARROW_RETURN_NOT_OK(ValidateFileName(snapshot.base_manifest_list, "snapshot " + std::to_string(snapshot.id)));
  ARROW_RETURN_NOT_OK(ValidateFileName(snapshot.delta_manifest_list, "snapshot " + std::to_string(snapshot.id)));
  ARROW_ASSIGN_OR_RAISE(manifests, ReadManifestList(*context.store, context.paths.ManifestFile(snapshot.base_manifest_list),
                                                    snapshot.base_manifest_list_size));
  ARROW_ASSIGN_OR_RAISE(std::vector<ManifestFileMeta> delta,
                        ReadManifestList(*context.store, context.paths.ManifestFile(snapshot.delta_manifest_list),
                                         snapshot.delta_manifest_list_size));
  manifests.insert(manifests.end(), std::make_move_iterator(delta.begin()), std::make_move_iterator(delta.end()));
  return manifests;
}

arrow::Result<std::vector<ManifestEntry>> ReadManifestEntries(const TableContext& context,
                                                              const std::vector<ManifestFileMeta>& manifests,
                                                              const EntryHeadFilter& head_filter) {
  std::vector<ManifestEntry> entries;
  for (const ManifestFileMeta& manifest : manifests) {
    ARROW_RETURN_NOT_OK(ValidateFileName(manifest.file_name, "manifest list"));
    ARROW_RETURN_NOT_OK(ReadManifest(*context.store, context.paths.ManifestFile(manifest.file_name), manifest.file_size,
                                     head_filter, &entries));
  }
  return entries;
}

arrow::Result<std::vector<ManifestEntry>> ReadLiveFiles(const TableContext& context, const Snapshot& snapshot,
                                                        const std::set<std::string, std::less<>>* partitions) {
  EntryHeadFilter filter;
  if (partitions != nullptr) {
    filter = [partitions](FileKind, std::string_view partition, int32_t, int32_t) { return partitions->contains(partition); };
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<ManifestFileMeta> manifests, ReadSnapshotManifests(context, snapshot));
  ARROW_ASSIGN_OR_RAISE(std::vector<ManifestEntry> entries, ReadManifestEntries(context, manifests, filter));
  EntryReplay replay;
  for (ManifestEntry& entry : entries) ARROW_RETURN_NOT_OK(replay.Apply(std::move(entry)));
  arrow::Result<std::vector<ManifestEntry>> live = replay.FinishLive();
  if (!live.ok()) return live.status().WithMessage("snapshot ", snapshot.id, ": ", live.status().message());
  return live;
}

arrow::Result<std::vector<ManifestEntry>> ReadNewestLiveFiles(const TableContext& context,
                                                              const std::set<std::string, std::less<>>* partitions) {
  constexpr int kMaxAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> latest, context.snapshots->Latest());
    if (!latest) return std::vector<ManifestEntry>{};
    arrow::Result<std::vector<ManifestEntry>> live = ReadLiveFiles(context, *latest, partitions);
    if (live.ok() || !MayHaveExpired(live.status()) || attempt == kMaxAttempts) return live;
  }
}

bool MayHaveExpired(const arrow::Status& error) {
  return KindOf(error) == ErrorKind::kNotFound || KindOf(error) == ErrorKind::kSnapshotExpired;
}

}  // namespace bactrian
