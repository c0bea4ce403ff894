#include "bactrian/meta/manifest_merge.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_set>

#include "bactrian/meta/entry_replay.h"
#include "bactrian/meta/metadata_writer.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/value.h"

namespace bactrian {
namespace {

/// A full merge writes what it has read whenever so many entries piled up.
constexpr size_t kMaxBufferedEntries = 200000;

/// A row of partition values with what a manifest says about them.
struct PartitionBounds {
  std::vector<Value> min, max;
  std::vector<std::optional<int64_t>> null_counts;

  bool MayHold(const std::vector<Value>& partition) const {
    for (size_t i = 0; i < partition.size(); ++i) {
      if (IsNull(partition[i])) {
        if (i < null_counts.size() && null_counts[i] == 0) return false;
      } else if (!IsNull(min[i]) && !IsNull(max[i])) {
        if (CompareValues(partition[i], min[i]) < 0 || CompareValues(partition[i], max[i]) > 0) return false;
      }
    }
    return true;
  }
};

class Merger {
 public:
  Merger(FileStore& store, const TablePaths& paths, std::string_view uuid, int* counter, const ManifestMergeOptions& options)
      : store_(store), paths_(paths), uuid_(uuid), counter_(counter), options_(options) {
    for (const Field& field : options.partition_fields) partition_types_.push_back(field.type);
  }

  arrow::Status Run(const std::vector<ManifestFileMeta>& manifests);
  MergedManifests& result() { return result_; }

 private:
  /// False, with nothing done, when there is no more than one manifest to rewrite.
  arrow::Result<bool> Full(const std::vector<ManifestFileMeta>& manifests);
  arrow::Status Minor(const std::vector<ManifestFileMeta>& manifests);
  bool MustChange(const ManifestFileMeta& manifest) const {
    return manifest.num_deleted_files > 0 || manifest.file_size < options_.write.target_file_size;
  }
  arrow::Status MergeGroup(const std::vector<ManifestFileMeta>& group);
  arrow::Status Write(const std::vector<ManifestEntry>& entries);
  arrow::Status Read(const ManifestFileMeta& manifest, const EntryHeadFilter& filter, std::vector<ManifestEntry>* entries);
  arrow::Result<bool> MayHoldAny(const ManifestFileMeta& manifest, const std::vector<std::vector<Value>>& partitions) const;

  FileStore& store_;
  const TablePaths& paths_;
  std::string_view uuid_;
  int* counter_;
  const ManifestMergeOptions& options_;
  std::vector<TypePtr> partition_types_;
  MergedManifests result_;
};

arrow::Status Merger::Read(const ManifestFileMeta& manifest, const EntryHeadFilter& filter,
                           std::vector<ManifestEntry>* entries) {
  return ReadManifest(store_, paths_.ManifestFile(manifest.file_name), manifest.file_size, filter, entries);
}

arrow::Status Merger::Write(const std::vector<ManifestEntry>& entries) {
  if (entries.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(std::vector<ManifestFileMeta> written,
                        WriteManifests(store_, paths_, uuid_, counter_, entries, options_.partition_fields, options_.write));
  result_.manifests.insert(result_.manifests.end(), written.begin(), written.end());
  result_.written.insert(result_.written.end(), written.begin(), written.end());
  return arrow::Status::OK();
}

arrow::Status Merger::MergeGroup(const std::vector<ManifestFileMeta>& group) {
  if (group.size() == 1) {
    result_.manifests.push_back(group.front());
    return arrow::Status::OK();
  }
  EntryReplay replay;
  for (const ManifestFileMeta& manifest : group) {
    std::vector<ManifestEntry> entries;
    ARROW_RETURN_NOT_OK(Read(manifest, nullptr, &entries));
    for (ManifestEntry& entry : entries) ARROW_RETURN_NOT_OK(replay.Apply(std::move(entry)));
  }
  return Write(replay.Finish());
}

arrow::Status Merger::Minor(const std::vector<ManifestFileMeta>& manifests) {
  std::vector<ManifestFileMeta> group;
  int64_t group_bytes = 0;
  for (const ManifestFileMeta& manifest : manifests) {
    group.push_back(manifest);
    group_bytes += manifest.file_size;
    if (group_bytes < options_.write.target_file_size) continue;
    ARROW_RETURN_NOT_OK(MergeGroup(group));
    group.clear();
    group_bytes = 0;
  }
  if (!group.empty() && static_cast<int64_t>(group.size()) >= options_.min_count) return MergeGroup(group);
  result_.manifests.insert(result_.manifests.end(), group.begin(), group.end());
  return arrow::Status::OK();
}

arrow::Result<bool> Merger::MayHoldAny(const ManifestFileMeta& manifest,
                                       const std::vector<std::vector<Value>>& partitions) const {
  const SimpleStats& stats = manifest.partition_stats;
  PartitionBounds bounds{std::vector<Value>(partition_types_.size()), std::vector<Value>(partition_types_.size()),
                         stats.null_counts};
  if (!stats.min_values.empty() && !stats.max_values.empty()) {
    ARROW_ASSIGN_OR_RAISE(bounds.min, DecodeSerializedRow(stats.min_values, partition_types_));
    ARROW_ASSIGN_OR_RAISE(bounds.max, DecodeSerializedRow(stats.max_values, partition_types_));
  }
  return std::any_of(partitions.begin(), partitions.end(),
                     [&](const std::vector<Value>& partition) { return bounds.MayHold(partition); });
}

arrow::Result<bool> Merger::Full(const std::vector<ManifestFileMeta>& manifests) {
  std::vector<ManifestEntry> deletes;
  const EntryHeadFilter only_deletes = [](FileKind kind, std::string_view, int32_t, int32_t) {
    return kind == FileKind::kDelete;
  };
  for (const ManifestFileMeta& manifest : manifests) {
    if (manifest.num_deleted_files > 0) ARROW_RETURN_NOT_OK(Read(manifest, only_deletes, &deletes));
  }
  IdentitySet deleted;
  std::unordered_set<std::string_view> seen;
  std::vector<std::vector<Value>> partitions;
  for (const ManifestEntry& entry : deletes) {
    deleted.insert(&entry);
    if (!seen.insert(entry.partition).second) continue;
    ARROW_ASSIGN_OR_RAISE(std::vector<Value> partition, DecodeSerializedRow(entry.partition, partition_types_));
    partitions.push_back(std::move(partition));
  }

  std::vector<const ManifestFileMeta*> rewritten;
  for (const ManifestFileMeta& manifest : manifests) {
    ARROW_ASSIGN_OR_RAISE(const bool touched, MayHoldAny(manifest, partitions));
    if (touched || MustChange(manifest)) {
      rewritten.push_back(&manifest);
    } else {
      result_.manifests.push_back(manifest);
    }
  }
  if (rewritten.size() <= 1) {
    result_ = {};
    return false;
  }
  std::vector<ManifestEntry> kept;
  for (const ManifestFileMeta* manifest : rewritten) {
    std::vector<ManifestEntry> entries;
    ARROW_RETURN_NOT_OK(Read(*manifest, nullptr, &entries));
    const size_t before = entries.size();
    std::erase_if(entries,
                  [&](const ManifestEntry& entry) { return entry.kind == FileKind::kDelete || deleted.count(&entry) > 0; });
    if (entries.size() == before && !MustChange(*manifest)) {
      result_.manifests.push_back(*manifest);  // its bounds only seemed to hold a deleted file
      continue;
    }
    std::move(entries.begin(), entries.end(), std::back_inserter(kept));
    if (kept.size() < kMaxBufferedEntries) continue;
    ARROW_RETURN_NOT_OK(Write(kept));
    kept.clear();
  }
  ARROW_RETURN_NOT_OK(Write(kept));
  return true;
}

arrow::Status Merger::Run(const std::vector<ManifestFileMeta>& manifests) {
  int64_t changing_bytes = 0;
  for (const ManifestFileMeta& manifest : manifests) {
    if (MustChange(manifest)) changing_bytes += manifest.file_size;
  }
  if (changing_bytes >= options_.full_compaction_threshold_size) {
    ARROW_ASSIGN_OR_RAISE(const bool done, Full(manifests));
    if (done) return arrow::Status::OK();
  }
  return Minor(manifests);
}

}  // namespace

arrow::Result<MergedManifests> MergeManifests(FileStore& store, const TablePaths& paths, std::string_view uuid, int* counter,
                                              const std::vector<ManifestFileMeta>& manifests,
                                              const ManifestMergeOptions& options) {
  Merger merger(store, paths, uuid, counter, options);
  const arrow::Status status = merger.Run(manifests);
  if (!status.ok()) {
    DeleteMetadataFiles(store, paths, merger.result().written);
    return status;
  }
  return std::move(merger.result());
}

}  // namespace bactrian
