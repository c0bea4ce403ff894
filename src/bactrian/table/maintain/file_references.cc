#include "bactrian/table/maintain/file_references.h"

#include <algorithm>
#include <optional>

#include "bactrian/meta/changelog_store.h"
#include "bactrian/meta/index_manifest.h"
#include "bactrian/table/commit/live_files.h"

namespace bactrian {

namespace {

void AddDataFile(const DataFileMeta& file, FileReferences* references) {
  references->data_files.insert(file.file_name);
  references->data_files.insert(file.extra_files.begin(), file.extra_files.end());
}

arrow::Status AddAddedFiles(const TableContext& context, const std::string& list, std::optional<int64_t> size,
                            FileReferences* references) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests,
                        ReadManifestList(*context.store, context.paths.ManifestFile(list), size));
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, ReadManifestEntries(context, manifests, nullptr));
  for (const ManifestEntry& entry : entries) {
    if (entry.kind == FileKind::kAdd) AddDataFile(entry.file, references);
  }
  return arrow::Status::OK();
}

arrow::Status AddChangelogMetadataOf(const TableContext& context, const Snapshot& snapshot, FileReferences* references) {
  if (!snapshot.changelog_manifest_list) return arrow::Status::OK();
  const std::string& list = *snapshot.changelog_manifest_list;
  ARROW_RETURN_NOT_OK(ValidateFileName(list, "snapshot " + std::to_string(snapshot.id)));
  references->metadata.insert(list);
  ARROW_ASSIGN_OR_RAISE(
      const std::vector<ManifestFileMeta> manifests,
      ReadManifestList(*context.store, context.paths.ManifestFile(list), snapshot.changelog_manifest_list_size));
  for (const ManifestFileMeta& manifest : manifests) references->metadata.insert(manifest.file_name);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status AddMetadataOf(const TableContext& context, const Snapshot& snapshot, FileReferences* references) {
  references->metadata.insert({snapshot.base_manifest_list, snapshot.delta_manifest_list});
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests, ReadSnapshotManifests(context, snapshot));
  for (const ManifestFileMeta& manifest : manifests) references->metadata.insert(manifest.file_name);
  ARROW_RETURN_NOT_OK(AddChangelogMetadataOf(context, snapshot, references));
  if (snapshot.statistics) references->metadata.insert(*snapshot.statistics);
  if (!snapshot.index_manifest) return arrow::Status::OK();
  references->metadata.insert(*snapshot.index_manifest);
  ARROW_RETURN_NOT_OK(ValidateFileName(*snapshot.index_manifest, "snapshot " + std::to_string(snapshot.id)));
  ARROW_ASSIGN_OR_RAISE(const std::vector<IndexFileEntry> index_files,
                        ReadIndexManifest(*context.store, context.paths.ManifestFile(*snapshot.index_manifest)));
  for (const IndexFileEntry& entry : index_files) references->metadata.insert(entry.file_name);
  return arrow::Status::OK();
}

arrow::Status AddDataFilesOf(const TableContext& context, const Snapshot& snapshot, FileReferences* references) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> live, ReadLiveFiles(context, snapshot, nullptr));
  for (const ManifestEntry& entry : live) AddDataFile(entry.file, references);
  if (!snapshot.changelog_manifest_list) return arrow::Status::OK();
  return AddAddedFiles(context, *snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size, references);
}

arrow::Status AddReferencesOfBranch(const TableContext& context, FileReferences* references) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, context.snapshots->ListIds());
  std::optional<int64_t> previous;
  for (const int64_t id : ids) {
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, context.snapshots->Load(id));
    ARROW_RETURN_NOT_OK(AddMetadataOf(context, snapshot, references));
    if (previous == id - 1) {
      // What lives here lived in the snapshot before or was added by this one.
      ARROW_RETURN_NOT_OK(AddAddedFiles(context, snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, references));
      if (snapshot.changelog_manifest_list) {
        ARROW_RETURN_NOT_OK(
            AddAddedFiles(context, *snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size, references));
      }
    } else {
      ARROW_RETURN_NOT_OK(AddDataFilesOf(context, snapshot, references));
    }
    previous = id;
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<Tag> tags, TagStore(context.store, context.paths).List());
  for (const Tag& tag : tags) {
    ARROW_RETURN_NOT_OK(AddMetadataOf(context, tag.snapshot, references));
    ARROW_RETURN_NOT_OK(AddDataFilesOf(context, tag.snapshot, references));
  }
  const ChangelogStore changelogs(context.store, context.paths);
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> changelog_ids, changelogs.ListIds());
  for (const int64_t id : changelog_ids) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> loaded, changelogs.Load(id));
    if (!loaded || !loaded->changelog_manifest_list) continue;
    const Snapshot& changelog = *loaded;
    // Expiry has deleted some of its manifests, those of the changelog itself stay.
    ARROW_RETURN_NOT_OK(AddChangelogMetadataOf(context, changelog, references));
    ARROW_RETURN_NOT_OK(
        AddAddedFiles(context, *changelog.changelog_manifest_list, changelog.changelog_manifest_list_size, references));
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<TableContext>> OtherBranches(const TableContext& context) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Branch> branches, ListBranches(*context.store, context.paths));
  std::vector<std::string> names = {"main"};
  for (const Branch& branch : branches) names.push_back(branch.name);
  std::vector<TableContext> contexts;
  for (const std::string& name : names) {
    if (name == context.paths.branch) continue;
    TableContext other = context;
    other.paths.branch = name;
    other.schemas = std::make_shared<SchemaStore>(other.store, other.paths);
    other.snapshots = std::make_shared<SnapshotStore>(other.store, other.paths);
    contexts.push_back(std::move(other));
  }
  return contexts;
}

}  // namespace bactrian
