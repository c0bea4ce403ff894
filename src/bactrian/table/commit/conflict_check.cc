#include "bactrian/table/commit/conflict_check.h"

#include <unordered_set>

#include "bactrian/meta/entry_replay.h"
#include "bactrian/table/commit/bucket_numbers.h"
#include "bactrian/table/commit/live_files.h"

namespace bactrian {

namespace {

arrow::Status CheckFiles(const std::vector<ManifestEntry>& live, const SnapshotChange& change) {
  IdentitySet present;
  for (const ManifestEntry& entry : live) present.insert(&entry);
  for (const ManifestEntry& entry : change.files) {
    if (entry.kind == FileKind::kAdd && !present.insert(&entry).second) {
      return CommitConflict("data file ", entry.file.file_name, " is in the table already");
    }
    if (entry.kind == FileKind::kDelete && present.erase(&entry) == 0) {
      return CommitConflict("data file ", entry.file.file_name, " was deleted by another commit");
    }
  }
  return arrow::Status::OK();
}

/// A data file that goes, or gets a new deletion vector, must have the vector that the change knows of.
arrow::Status CheckDeletionVectors(const TableContext& context, const Snapshot& latest, const SnapshotChange& change) {
  if (!latest.index_manifest) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const std::vector<IndexFileEntry> index_files,
                        ReadIndexManifest(*context.store, context.paths.ManifestFile(*latest.index_manifest)));
  std::unordered_set<std::string_view> replaced;
  for (const IndexFileEntry& entry : change.deleted_index_files) replaced.insert(entry.file_name);
  std::unordered_set<std::string_view> touched;
  for (const ManifestEntry& entry : change.files) {
    if (entry.kind == FileKind::kDelete) touched.insert(entry.file.file_name);
  }
  for (const IndexFileEntry& entry : change.new_index_files) {
    if (!entry.deletion_vectors) continue;
    for (const DeletionVectorRange& range : *entry.deletion_vectors) touched.insert(range.data_file);
  }
  for (const IndexFileEntry& entry : index_files) {
    if (!entry.deletion_vectors || replaced.contains(entry.file_name)) continue;
    for (const DeletionVectorRange& range : *entry.deletion_vectors) {
      if (touched.contains(range.data_file)) {
        return CommitConflict("another commit deleted rows of data file ", range.data_file);
      }
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckConflicts(const TableContext& context, const Snapshot& latest, const SnapshotChange& change,
                             CommitKind kind) {
  const std::set<std::string, std::less<>> partitions = change.Partitions();
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> live, ReadLiveFiles(context, latest, &partitions));
  if (kind != CommitKind::kOverwrite) ARROW_RETURN_NOT_OK(CheckBucketNumbers(live, change.files));
  ARROW_RETURN_NOT_OK(CheckFiles(live, change));
  return CheckDeletionVectors(context, latest, change);
}

}  // namespace bactrian
