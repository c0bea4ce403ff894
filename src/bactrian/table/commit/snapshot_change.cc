#include "bactrian/table/commit/snapshot_change.h"

#include <algorithm>
#include <set>

#include "bactrian/table/write/commit_message.h"

namespace bactrian {

namespace {

void AddEntries(const CommitMessage& message, FileKind kind, const std::vector<DataFileMeta>& files,
                std::vector<ManifestEntry>* entries) {
  for (const DataFileMeta& file : files) {
    entries->push_back({kind, message.partition, message.bucket, message.total_buckets, file});
  }
}

void Append(const std::vector<IndexFileEntry>& from, std::vector<IndexFileEntry>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

/// Whether a bucket has at most one index file of the type, so that a new one replaces it.
bool OnePerBucket(const IndexFileEntry& entry, bool unaware) {
  return entry.index_type == kHashIndex || (entry.index_type == kDeletionVectorsIndex && !unaware);
}

}  // namespace

bool SnapshotChange::RemovesRows() const {
  return std::any_of(files.begin(), files.end(), [](const ManifestEntry& e) { return e.kind == FileKind::kDelete; }) ||
         std::any_of(new_index_files.begin(), new_index_files.end(),
                     [](const IndexFileEntry& e) { return e.index_type == kDeletionVectorsIndex; });
}

std::set<std::string, std::less<>> SnapshotChange::Partitions() const {
  std::set<std::string, std::less<>> partitions;
  for (const ManifestEntry& entry : files) partitions.insert(entry.partition);
  for (const auto* index_files : {&new_index_files, &deleted_index_files}) {
    for (const IndexFileEntry& entry : *index_files) partitions.insert(entry.partition);
  }
  return partitions;
}

SnapshotChange AppendChangeOf(const std::vector<CommitMessagePtr>& messages) {
  SnapshotChange change;
  for (const CommitMessagePtr& message : messages) {
    AddEntries(*message, FileKind::kDelete, message->deleted_files, &change.files);
    AddEntries(*message, FileKind::kAdd, message->new_files, &change.files);
    AddEntries(*message, FileKind::kAdd, message->changelog_files, &change.changelog);
    Append(message->new_index_files, &change.new_index_files);
    Append(message->deleted_index_files, &change.deleted_index_files);
  }
  return change;
}

SnapshotChange CompactChangeOf(const std::vector<CommitMessagePtr>& messages) {
  SnapshotChange change;
  for (const CommitMessagePtr& message : messages) {
    AddEntries(*message, FileKind::kDelete, message->compact_before, &change.files);
    AddEntries(*message, FileKind::kAdd, message->compact_after, &change.files);
    AddEntries(*message, FileKind::kAdd, message->compact_changelog, &change.changelog);
    Append(message->compact_new_index_files, &change.new_index_files);
    Append(message->compact_deleted_index_files, &change.deleted_index_files);
  }
  return change;
}

arrow::Result<std::vector<IndexFileEntry>> CombineIndexFiles(std::vector<IndexFileEntry> previous, const SnapshotChange& change,
                                                             bool unaware) {
  std::set<std::string_view> deleted;
  for (const IndexFileEntry& entry : change.deleted_index_files) deleted.insert(entry.file_name);
  const size_t before = previous.size();
  std::erase_if(previous, [&](const IndexFileEntry& entry) { return deleted.contains(entry.file_name); });
  if (before - previous.size() != deleted.size()) {
    return CommitConflict("an index file to delete is not in the table any more");
  }
  for (const IndexFileEntry& entry : change.new_index_files) {
    if (!OnePerBucket(entry, unaware)) continue;
    std::erase_if(previous, [&](const IndexFileEntry& old) {
      return old.index_type == entry.index_type && old.partition == entry.partition && old.bucket == entry.bucket;
    });
  }
  previous.insert(previous.end(), change.new_index_files.begin(), change.new_index_files.end());
  return previous;
}

}  // namespace bactrian
