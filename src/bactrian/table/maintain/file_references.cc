#include "bactrian/table/maintain/file_references.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/table/commit/live_files.h"

namespace bactrian {

namespace {

constexpr std::string_view kChangelogPrefix = "changelog-";

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

/// Long-lived changelogs: the same documents as snapshots, under other names (snapshot.md §4).
arrow::Result<std::vector<Snapshot>> ReadChangelogs(const TableContext& context) {
  std::vector<Snapshot> changelogs;
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileStatus> files, context.store->List(context.paths.ChangelogDirectory()));
  for (const FileStatus& file : files) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (file.is_directory || !name.starts_with(kChangelogPrefix)) continue;
    ARROW_ASSIGN_OR_RAISE(const std::string json, context.store->ReadAll(file.path));
    arrow::Result<Snapshot> changelog = Snapshot::FromJson(json);
    if (!changelog.ok()) return Corrupt(file.path, ": ", changelog.status().message());
    changelogs.push_back(std::move(*changelog));
  }
  return changelogs;
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
  ARROW_ASSIGN_OR_RAISE(const std::vector<Snapshot> changelogs, ReadChangelogs(context));
  for (const Snapshot& changelog : changelogs) {
    // Expiry has deleted some of its manifests, those of the changelog itself stay.
    ARROW_RETURN_NOT_OK(AddChangelogMetadataOf(context, changelog, references));
    if (!changelog.changelog_manifest_list) continue;
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
