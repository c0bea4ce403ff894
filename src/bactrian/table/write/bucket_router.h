#pragma once

#include <arrow/compute/row/grouper.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "bactrian/table/write/bucket_writer.h"
#include "bactrian/types/bucket.h"
#include "bactrian/write.h"

namespace bactrian {

/// Tells for each row of a batch which bucket of which partition it belongs to, column-wise. Buckets are numbered as they
/// appear; the numbers stay the same from batch to batch. Not thread-safe.
class BucketRouter {
 public:
  /// `num_buckets` > 0: fixed buckets by the table's bucket key; -1: all rows of a partition in bucket 0.
  static arrow::Result<std::unique_ptr<BucketRouter>> Make(const TableSchema& schema, int32_t num_buckets,
                                                           const PartitionSpec& static_partition, arrow::MemoryPool* pool);

  /// One number a row: an index for bucket(). kInvalid for a row outside of the static partition.
  arrow::Result<std::vector<uint32_t>> Route(const arrow::RecordBatch& batch);

  size_t num_groups() const { return buckets_.size(); }
  const BucketId& bucket(size_t group) const { return buckets_[group]; }

 private:
  arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> KeyColumns(const arrow::RecordBatch& batch) const;
  arrow::Status AddNewGroups();
  arrow::Status CheckStaticPartition(const std::vector<uint32_t>& groups) const;

  int32_t num_buckets_ = -1;
  arrow::MemoryPool* pool_ = nullptr;
  std::vector<Field> partition_fields_;
  std::vector<TypePtr> partition_types_;
  std::vector<int> partition_columns_;
  BucketFunction function_ = BucketFunction::kDefault;
  std::vector<TypePtr> bucket_key_types_;
  std::vector<int> bucket_key_columns_;
  PartitionSpec static_partition_;

  std::unique_ptr<arrow::compute::ExecContext> exec_context_;
  std::unique_ptr<arrow::compute::Grouper> grouper_;
  std::vector<BucketId> buckets_;
  std::vector<bool> outside_;  ///< of the static partition
  bool any_outside_ = false;
};

}  // namespace bactrian
