#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bactrian/table/write/batch_conformer.h"
#include "bactrian/table/write/bucket_restore.h"
#include "bactrian/table/write/bucket_router.h"
#include "bactrian/table/write/bucket_writer.h"

namespace bactrian {

/// Writes an append table. Rows of one unpartitioned bucket go straight to its file. Others are held back until a quarter of
/// the budget is full and then gathered bucket by bucket, so that many buckets cost one gather each and not one a batch; open
/// files share the rest of the budget, the largest is closed when it is exceeded.
class AppendWriter final : public Writer {
 public:
  static arrow::Result<std::unique_ptr<AppendWriter>> Make(TableContext context, const WriteOptions& options);

  arrow::Status Write(const arrow::RecordBatch& batch) override;
  arrow::Result<std::vector<CommitMessagePtr>> Finish() override;

 private:
  AppendWriter() = default;

  arrow::Status Buffer(std::shared_ptr<arrow::RecordBatch> batch);
  arrow::Status FlushBuffer();
  arrow::Status WriteGroup(uint32_t group, const arrow::RecordBatch& rows);
  arrow::Status LoadPartitions(const std::vector<uint32_t>& groups);
  arrow::Result<BucketWriter*> WriterOf(uint32_t group);
  arrow::Status KeepToBudget();
  arrow::Result<std::vector<CommitMessagePtr>> FinishFiles();

  std::unique_ptr<WriteSettings> settings_;
  std::optional<BatchConformer> conformer_;
  int64_t buffer_budget_ = 0;  ///< of rows that are held back
  int64_t file_budget_ = 0;    ///< of open files

  std::unique_ptr<BucketRouter> router_;  ///< nullptr: one bucket, unpartitioned
  std::optional<BucketRestore> restore_;  ///< of fixed buckets

  std::vector<std::shared_ptr<arrow::RecordBatch>> buffer_;
  std::vector<uint32_t> buffer_groups_;  ///< one a buffered row
  int64_t buffer_bytes_ = 0;

  std::vector<std::unique_ptr<BucketWriter>> writers_;  ///< by group; nullptr before the first row
  std::vector<int64_t> open_bytes_;                     ///< by group: bytes that its open file holds
  int64_t total_open_bytes_ = 0;
  int open_files_ = 0;

  arrow::Status failure_;  ///< of storage: the writer is spent
};

}  // namespace bactrian
