#include "bactrian/table/plan/bucket_files.h"

#include <map>
#include <string_view>
#include <utility>

#include "bactrian/types/core_options.h"

namespace bactrian {

arrow::Result<const std::vector<Value>*> BucketGrouping::PartitionOf(const std::string& row) {
  if (!paths_) {
    ARROW_ASSIGN_OR_RAISE(paths_, DataFilePaths::Make(context_.paths, *context_.schema));
  }
  auto [found, is_new] = partitions_.try_emplace(row);
  if (is_new) {
    ARROW_ASSIGN_OR_RAISE(found->second, paths_->PartitionValues(row));
  }
  return &found->second;
}

arrow::Status BucketGrouping::CheckExternal(const std::string& path, std::string_view named_by) {
  if (!guard_) {
    ARROW_ASSIGN_OR_RAISE(guard_, PathGuard::Make(context_, session_));
  }
  return guard_->Check(path, named_by);
}

arrow::Result<std::vector<BucketFiles>> BucketGrouping::Group(const Snapshot& snapshot, const std::vector<EntryPtr>& entries) {
  std::vector<BucketFiles> buckets;
  std::map<std::pair<std::string_view, int32_t>, size_t> index;
  const std::string named_by = "a manifest of table " + context_.paths.root;
  for (const EntryPtr& entry : entries) {
    auto [found, is_new] = index.try_emplace({entry->partition, entry->bucket}, buckets.size());
    if (is_new) {
      DataSplit& head = buckets.emplace_back().head;
      ARROW_ASSIGN_OR_RAISE(const std::vector<Value>* partition, PartitionOf(entry->partition));
      ARROW_ASSIGN_OR_RAISE(head.path, paths_->BucketPath(*partition, entry->bucket));
      head.snapshot_id = snapshot.id;
      head.partition_bytes = entry->partition;
      head.partition_values = *partition;
      head.bucket_id = entry->bucket;
      head.total_buckets = entry->total_buckets;
    }
    BucketFiles& bucket = buckets[found->second];
    SplitFile& file = bucket.files.emplace_back();
    file.meta = std::shared_ptr<const DataFileMeta>(entry, &entry->file);
    if (entry->file.external_path) {
      file.path = *entry->file.external_path;
      ARROW_RETURN_NOT_OK(CheckExternal(file.path, named_by));
    } else {
      ARROW_RETURN_NOT_OK(ValidateFileName(entry->file.file_name, named_by));
      file.path = JoinPath(bucket.head.path, entry->file.file_name);
    }
  }
  return buckets;
}

arrow::Status BucketGrouping::AttachDeletionVectors(const Snapshot& snapshot, const std::vector<IndexFileEntry>& index_files,
                                                    std::vector<BucketFiles>* buckets) {
  std::unordered_map<std::string_view, std::pair<SplitFile*, const DataSplit*>> files;
  for (const IndexFileEntry& index_file : index_files) {
    if (index_file.index_type != kDeletionVectorsIndex || !index_file.deletion_vectors) continue;
    if (files.empty()) {
      for (BucketFiles& bucket : *buckets) {
        for (SplitFile& file : bucket.files) files.emplace(file.meta->file_name, std::pair(&file, &bucket.head));
      }
    }
    for (const DeletionVectorRange& range : *index_file.deletion_vectors) {
      auto found = files.find(range.data_file);
      if (found == files.end()) continue;
      auto [file, head] = found->second;
      if (head->partition_bytes != index_file.partition || head->bucket_id != index_file.bucket) continue;
      if (file->deletion) {
        return Corrupt("index manifest ", *snapshot.index_manifest, " has two deletion vectors for file ", range.data_file);
      }
      ARROW_ASSIGN_OR_RAISE(std::string path, IndexFilePath(index_file, *head));
      file->deletion = DeletionFile{std::move(path), range};
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::string> BucketGrouping::IndexFilePath(const IndexFileEntry& index_file, const DataSplit& bucket) {
  const std::string named_by = "an index manifest of table " + context_.paths.root;
  if (index_file.external_path) {
    ARROW_RETURN_NOT_OK(CheckExternal(*index_file.external_path, named_by));
    return *index_file.external_path;
  }
  ARROW_RETURN_NOT_OK(ValidateFileName(index_file.file_name, named_by));
  ARROW_ASSIGN_OR_RAISE(bool beside_data, CoreOptions(context_.schema->options).GetBool("index-file-in-data-file-dir", false));
  return beside_data ? JoinPath(bucket.path, index_file.file_name) : context_.paths.IndexFile(index_file.file_name);
}

}  // namespace bactrian
