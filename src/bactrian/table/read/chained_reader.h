#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace bactrian {

/// Readers one after the other, each opened when its turn comes, cut off after `limit` rows.
class ChainedReader final : public arrow::RecordBatchReader {
 public:
  /// Opens reader number i; nullptr after the last one.
  using Open = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatchReader>>(size_t i)>;

  ChainedReader(std::shared_ptr<arrow::Schema> schema, Open open, std::optional<int64_t> limit)
      : schema_(std::move(schema)), open_(std::move(open)), left_(limit.value_or(INT64_MAX)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    while (left_ > 0) {
      if (!current_) {
        ARROW_ASSIGN_OR_RAISE(current_, open_(next_++));
        if (!current_) break;
      }
      ARROW_RETURN_NOT_OK(current_->ReadNext(batch));
      if (!*batch) {
        current_.reset();
        continue;
      }
      if ((*batch)->num_rows() > left_) *batch = (*batch)->Slice(0, left_);
      left_ -= (*batch)->num_rows();
      return arrow::Status::OK();
    }
    left_ = 0;
    current_.reset();
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  Open open_;
  int64_t left_;
  size_t next_ = 0;
  std::shared_ptr<arrow::RecordBatchReader> current_;
};

}  // namespace bactrian
