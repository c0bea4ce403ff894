#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bactrian/meta/manifest.h"
#include "bactrian/predicate.h"
#include "bactrian/scan.h"
#include "bactrian/table/table_context.h"
#include "bactrian/types/bucket.h"

namespace bactrian {

/// Decides on manifests and on the heads of their entries: partition and bucket (format reference: query.md §1). Whatever is
/// rejected holds no row for which the predicate is true. Thread-safe.
class HeadPruner {
 public:
  static arrow::Result<std::shared_ptr<HeadPruner>> Make(const TableContext& context, const PredicatePtr& predicate,
                                                         const ScanPruning& pruning);

  bool KeepsManifest(const ManifestFileMeta& manifest) const;
  bool KeepsPartition(std::string_view partition_row);
  /// For ADD entries only: a DELETE must meet its ADD whatever bucket count it carries.
  bool KeepsBucket(int32_t bucket, int32_t total_buckets);
  bool keeps_all() const { return !prunes_partitions_ && !bucket_only_ && key_types_.empty(); }
  /// Pruners with the same text keep the same entries of a manifest.
  std::string CacheKey() const;

 private:
  struct StringHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  arrow::Status FindBucketKeys(const TableContext& context, const PredicatePtr& predicate);

  std::vector<std::string> partition_keys_;
  std::vector<TypePtr> partition_types_;
  PredicatePtr partition_predicate_;  ///< the conjuncts over partition columns alone
  bool prunes_manifests_ = false, prunes_partitions_ = false;

  std::optional<int64_t> bucket_only_;  ///< option scan.bucket
  BucketFunction bucket_function_ = BucketFunction::kDefault;
  std::vector<TypePtr> key_types_;              ///< empty: the predicate fixes no bucket key
  std::vector<std::vector<Value>> key_values_;  ///< the bucket keys that can match; none when nothing can

  std::mutex mutex_;
  std::unordered_map<std::string, bool, StringHash, std::equal_to<>> partitions_;  ///< decided so far
  /// By bucket count: where the keys can lie; nullopt: anywhere.
  std::map<int32_t, std::optional<std::set<int32_t>>> buckets_;
};

}  // namespace bactrian
