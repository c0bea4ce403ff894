#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bactrian/table/plan/bucket_files.h"

namespace bactrian {

/// The files of one bucket by key range. Immutable.
class BucketIndex {
 public:
  /// `key_types` are those of the trimmed primary key. kCorrupt for key bounds that are no rows of them.
  static arrow::Result<std::shared_ptr<const BucketIndex>> Make(BucketFiles bucket, const std::vector<TypePtr>& key_types);

  const DataSplit& head() const { return head_; }  ///< without the files
  bool raw() const { return raw_; }
  const SplitFile& file(uint32_t i) const { return files_[i]; }
  /// Files whose key range holds `key`: at most one of each sorted run, no order among them.
  void AppendCandidates(std::span<const Value> key, std::vector<uint32_t>* files) const;
  int64_t memory_bytes() const;

 private:
  DataSplit head_;
  bool raw_ = false;
  std::vector<SplitFile> files_;
  std::vector<std::vector<Value>> min_keys_, max_keys_;  ///< by file
  std::vector<std::vector<uint32_t>> runs_;              ///< files with ascending, disjoint ranges
};

/// The live files of a snapshot, by partition, bucket and key range. Immutable.
struct LookupIndex {
  struct Partition {
    int32_t total_buckets = -1;  ///< not positive: the key does not tell the bucket
    std::map<int32_t, std::shared_ptr<const BucketIndex>> buckets;
  };

  std::optional<int64_t> snapshot_id;
  std::map<std::string, Partition, std::less<>> partitions;  ///< by BinaryRow, without arity

  int64_t memory_bytes() const;
};

arrow::Result<std::shared_ptr<const LookupIndex>> MakeLookupIndex(std::optional<int64_t> snapshot_id,
                                                                  std::vector<BucketFiles> buckets, const TableSchema& schema);

}  // namespace bactrian
