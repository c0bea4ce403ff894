#include "bactrian/table/write/bucket_restore.h"

#include <algorithm>

#include "bactrian/table/commit/live_files.h"

namespace bactrian {

arrow::Status BucketRestore::Load(const std::set<std::string, std::less<>>& partitions) {
  std::set<std::string, std::less<>> fresh;
  std::set_difference(partitions.begin(), partitions.end(), loaded_.begin(), loaded_.end(), std::inserter(fresh, fresh.end()));
  if (fresh.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> files, ReadNewestLiveFiles(context_, &fresh));
  for (const ManifestEntry& entry : files) {
    if (entry.total_buckets > 0 && entry.total_buckets != num_buckets_) {
      return Invalid("a partition of the table has ", entry.total_buckets, " buckets, but option bucket is ", num_buckets_,
                     ": overwrite it before appending to it");
    }
    if (!read_sequences_) continue;
    int64_t& next = next_sequence_[{entry.partition, entry.bucket}];
    next = std::max(next, entry.file.max_sequence_number + 1);
  }
  loaded_.merge(fresh);
  return arrow::Status::OK();
}

int64_t BucketRestore::NextSequence(const std::string& partition, int32_t bucket) const {
  const auto it = next_sequence_.find({partition, bucket});
  return it == next_sequence_.end() ? 0 : it->second;
}

}  // namespace bactrian
