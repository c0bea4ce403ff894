#include "bactrian/table/system/live_files.h"

#include "bactrian/meta/entry_replay.h"

namespace bactrian {

arrow::Result<std::vector<ManifestEntry>> AllEntries(const SystemTableContext& context) {
  std::vector<ManifestEntry> entries;
  if (!context.snapshot) return entries;
  const Snapshot& snapshot = *context.snapshot;
  auto append_list = [&](const std::string& name, std::optional<int64_t> size) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests,
                          ReadManifestList(*context.store, context.paths.ManifestFile(name), size));
    for (const ManifestFileMeta& manifest : manifests) {
      ARROW_RETURN_NOT_OK(
          ReadManifest(*context.store, context.paths.ManifestFile(manifest.file_name), manifest.file_size, nullptr, &entries));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(append_list(snapshot.base_manifest_list, snapshot.base_manifest_list_size));
  ARROW_RETURN_NOT_OK(append_list(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size));
  return entries;
}

arrow::Result<std::vector<ManifestEntry>> LiveFiles(const SystemTableContext& context) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ManifestEntry> entries, AllEntries(context));
  EntryReplay replay;
  for (ManifestEntry& entry : entries) ARROW_RETURN_NOT_OK(replay.Apply(std::move(entry)));
  return replay.FinishLive();
}

arrow::Result<std::vector<IndexFileEntry>> LiveIndexFiles(const SystemTableContext& context) {
  if (!context.snapshot || !context.snapshot->index_manifest) return std::vector<IndexFileEntry>();
  return ReadIndexManifest(*context.store, context.paths.ManifestFile(*context.snapshot->index_manifest));
}

}  // namespace bactrian
