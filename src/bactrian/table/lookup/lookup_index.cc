#include "bactrian/table/lookup/lookup_index.h"

#include <algorithm>
#include <utility>

#include "bactrian/merge/sections.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

arrow::Result<std::vector<Value>> DecodeBound(const SplitFile& file, const std::string& bound,
                                              const std::vector<TypePtr>& key_types) {
  auto key = DecodeSerializedRow(bound, key_types);
  if (!key.ok()) return Corrupt("the key bounds of data file ", file.path, " cannot be read");
  return key;
}

/// What lookups need of a file, without statistics of values: those would outweigh the rest.
std::shared_ptr<const DataFileMeta> WithoutStatistics(const DataFileMeta& meta) {
  auto copy = std::make_shared<DataFileMeta>(meta);
  copy->key_stats = copy->value_stats = {};
  copy->value_stats_cols.reset();
  copy->embedded_index.reset();
  copy->extra_files.clear();
  return copy;
}

}  // namespace

arrow::Result<std::shared_ptr<const BucketIndex>> BucketIndex::Make(BucketFiles bucket, const std::vector<TypePtr>& key_types) {
  auto index = std::make_shared<BucketIndex>();
  index->head_ = std::move(bucket.head);
  index->raw_ = bucket.raw;
  index->files_ = std::move(bucket.files);
  std::vector<SplitFile>& files = index->files_;
  for (SplitFile& file : files) {
    ARROW_ASSIGN_OR_RAISE(index->min_keys_.emplace_back(), DecodeBound(file, file.meta->min_key, key_types));
    ARROW_ASSIGN_OR_RAISE(index->max_keys_.emplace_back(), DecodeBound(file, file.meta->max_key, key_types));
    file.meta = WithoutStatistics(*file.meta);
  }

  std::map<int32_t, std::vector<uint32_t>> levels;
  for (uint32_t i = 0; i < files.size(); ++i) {
    if (files[i].meta->level > 0) {
      levels[files[i].meta->level].push_back(i);
    } else {
      index->runs_.push_back({i});
    }
  }
  for (auto& [level, run] : levels) {
    std::sort(run.begin(), run.end(),
              [&](uint32_t a, uint32_t b) { return CompareKeys(index->min_keys_[a], index->min_keys_[b]) < 0; });
    const bool disjoint = std::adjacent_find(run.begin(), run.end(), [&](uint32_t a, uint32_t b) {
                            return CompareKeys(index->max_keys_[a], index->min_keys_[b]) >= 0;
                          }) == run.end();
    if (disjoint) {
      index->runs_.push_back(std::move(run));
    } else {
      for (const uint32_t file : run) index->runs_.push_back({file});
    }
  }
  return index;
}

void BucketIndex::AppendCandidates(std::span<const Value> key, std::vector<uint32_t>* files) const {
  for (const std::vector<uint32_t>& run : runs_) {
    const auto after =
        std::partition_point(run.begin(), run.end(), [&](uint32_t file) { return CompareKeys(min_keys_[file], key) <= 0; });
    if (after != run.begin() && CompareKeys(max_keys_[*(after - 1)], key) >= 0) files->push_back(*(after - 1));
  }
}

int64_t BucketIndex::memory_bytes() const {
  int64_t bytes = sizeof(*this);
  for (const SplitFile& file : files_) {
    bytes += static_cast<int64_t>(sizeof(SplitFile) + sizeof(DataFileMeta) + file.path.size() + file.meta->file_name.size() +
                                  3 * (file.meta->min_key.size() + file.meta->max_key.size()) +
                                  2 * min_keys_[0].size() * sizeof(Value));
  }
  return bytes;
}

int64_t LookupIndex::memory_bytes() const {
  int64_t bytes = sizeof(*this);
  for (const auto& [row, partition] : partitions) {
    bytes += static_cast<int64_t>(row.size() + sizeof(partition));
    for (const auto& [number, bucket] : partition.buckets) bytes += bucket->memory_bytes();
  }
  return bytes;
}

arrow::Result<std::shared_ptr<const LookupIndex>> MakeLookupIndex(std::optional<int64_t> snapshot_id,
                                                                  std::vector<BucketFiles> buckets, const TableSchema& schema) {
  auto index = std::make_shared<LookupIndex>();
  index->snapshot_id = snapshot_id;
  std::vector<TypePtr> key_types, partition_types;
  for (const std::string& key : schema.TrimmedPrimaryKeys()) key_types.push_back(schema.FindField(key)->type);

  for (const Field& field : schema.PartitionFields()) partition_types.push_back(field.type);
  for (BucketFiles& bucket : buckets) {
    ARROW_ASSIGN_OR_RAISE(std::string row, EncodeBinaryRow(partition_types, bucket.head.partition_values));
    auto [found, is_new] = index->partitions.try_emplace(std::move(row));
    LookupIndex::Partition& partition = found->second;
    const int32_t total = bucket.head.total_buckets;
    if (is_new) partition.total_buckets = total;
    if (partition.total_buckets != total) partition.total_buckets = -1;
    const int32_t number = bucket.head.bucket_id;
    ARROW_ASSIGN_OR_RAISE(partition.buckets[number], BucketIndex::Make(std::move(bucket), key_types));
  }
  return index;
}

}  // namespace bactrian
