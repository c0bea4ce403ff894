#include "bactrian/format/orc/orc_reader.h"

#include <arrow/adapters/orc/adapter.h>
#include <arrow/api.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/format/orc/orc_convert.h"
#include "bactrian/format/orc/orc_timestamps.h"

namespace bactrian {
namespace {

namespace orc = arrow::adapters::orc;

class OrcReader final : public arrow::RecordBatchReader {
 public:
  OrcReader(std::shared_ptr<const OrcSource> source, std::vector<Field> fields, const ReadRequest& request)
      : source_(std::move(source)),
        fields_(std::move(fields)),
        selection_(request.selection),
        position_column_(request.position_column),
        batch_rows_(request.batch_rows),
        pool_(request.pool ? request.pool : arrow::default_memory_pool()) {}

  arrow::Status Init(bool string_views) {
    if (batch_rows_ <= 0) return Invalid("batch_rows must be positive, is ", batch_rows_);
    ARROW_RETURN_NOT_OK(Named(orc::ORCFileReader::Open(source_->file, pool_).Value(&reader_)));
    std::shared_ptr<arrow::Schema> file_schema;
    ARROW_RETURN_NOT_OK(Named(reader_->ReadSchema().Value(&file_schema)));
    arrow::FieldVector out;
    for (const Field& field : fields_) {
      ARROW_ASSIGN_OR_RAISE(auto arrow_field, ToArrowField(field));
      if (string_views && field.type->is_string()) arrow_field = arrow_field->WithType(arrow::utf8_view());
      if (string_views && field.type->is_binary()) arrow_field = arrow_field->WithType(arrow::binary_view());
      out.push_back(std::move(arrow_field));
      indexes_.push_back(file_schema->GetFieldIndex(field.name));
    }
    tail_ = OrcTail::Parse(reader_->GetSerializedFileTail());
    if (position_column_) out.push_back(arrow::field(*position_column_, arrow::int64(), false));
    schema_ = arrow::schema(std::move(out));
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    for (;;) {
      out->reset();
      if (rows_left_ == 0) {
        ARROW_ASSIGN_OR_RAISE(const bool opened, OpenStripe());
        if (!opened) return arrow::Status::OK();
      }
      std::shared_ptr<arrow::RecordBatch> decoded;
      int64_t num_rows = std::min(rows_left_, batch_rows_);
      if (!include_.empty()) {
        ARROW_RETURN_NOT_OK(Named(stripe_->ReadNext(&decoded)));
        num_rows = decoded ? decoded->num_rows() : 0;
        if (num_rows == 0 || num_rows > rows_left_) {
          return Corrupt("orc file ", source_->path, ": a stripe ends ", rows_left_, " rows early");
        }
      }
      ARROW_ASSIGN_OR_RAISE(auto batch, Convert(decoded.get(), num_rows));
      ARROW_ASSIGN_OR_RAISE(*out, Select(batch));
      row_ += num_rows;
      rows_left_ -= num_rows;
      if ((*out)->num_rows() > 0) return arrow::Status::OK();
    }
  }

 private:
  /// Errors of the adapter name no file.
  arrow::Status Named(const arrow::Status& status) const {
    if (status.ok() || KindOf(status) != ErrorKind::kUnknown) return status;
    if (status.IsOutOfMemory()) return status.WithMessage("orc file ", source_->path, ": ", status.message());
    return Corrupt("orc file ", source_->path, ": ", status.message());
  }

  arrow::Result<bool> OpenStripe() {
    while (next_stripe_ < reader_->NumberOfStripes()) {
      const int64_t index = next_stripe_++;
      const orc::StripeInformation stripe = reader_->GetStripeInformation(index);
      if (stripe.num_rows <= 0 || !IsSelected(stripe.first_row_id, stripe.first_row_id + stripe.num_rows)) continue;
      row_ = stripe.first_row_id;
      rows_left_ = stripe.num_rows;
      ARROW_RETURN_NOT_OK(DecodeTimestamps(index, stripe.num_rows));
      if (include_.empty()) return true;
      ARROW_RETURN_NOT_OK(Named(reader_->Seek(row_)));
      ARROW_RETURN_NOT_OK(Named(reader_->NextStripeReader(batch_rows_, include_).Value(&stripe_)));
      if (stripe_) return true;
      return Corrupt("orc file ", source_->path, ": no stripe at row ", row_);
    }
    return false;
  }

  /// Decodes the stripe's timestamps here and leaves the other columns to the adapter.
  arrow::Status DecodeTimestamps(int64_t stripe, int64_t num_rows) {
    stripe_begin_ = row_;
    include_.clear();
    timestamps_.assign(fields_.size(), nullptr);
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (indexes_[i] < 0) continue;
      if (tail_ && fields_[i].type->is_timestamp()) {
        ARROW_ASSIGN_OR_RAISE(timestamps_[i],
                              ReadOrcTimestamps(*source_->file, source_->path, source_->length, *tail_, stripe, indexes_[i],
                                                schema_->field(static_cast<int>(i))->type(), pool_));
        if (timestamps_[i] && timestamps_[i]->length() != num_rows) {
          return Corrupt("orc file ", source_->path, ": stripe ", stripe, " has rows of two counts");
        }
      }
      if (!timestamps_[i]) include_.push_back(indexes_[i]);
    }
    std::sort(include_.begin(), include_.end());
    include_.erase(std::unique(include_.begin(), include_.end()), include_.end());
    return arrow::Status::OK();
  }

  bool IsSelected(int64_t begin, int64_t end) const {
    if (!selection_) return true;
    const auto& ranges = selection_->ranges();
    const auto range =
        std::upper_bound(ranges.begin(), ranges.end(), begin, [](int64_t row, const RowRange& r) { return row < r.end; });
    return range != ranges.end() && range->begin < end;
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Convert(const arrow::RecordBatch* decoded, int64_t num_rows) const {
    arrow::ArrayVector columns;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const std::shared_ptr<arrow::DataType>& target = schema_->field(static_cast<int>(i))->type();
      const auto column = decoded ? decoded->GetColumnByName(fields_[i].name) : nullptr;
      if (timestamps_[i]) {
        columns.push_back(timestamps_[i]->Slice(row_ - stripe_begin_, num_rows));
      } else if (column) {
        ARROW_ASSIGN_OR_RAISE(auto array,
                              ConvertOrcArray(column, *fields_[i].type, target, source_->path, fields_[i].name, pool_));
        columns.push_back(std::move(array));
      } else {
        ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(target, num_rows, pool_));
        columns.push_back(std::move(nulls));
      }
    }
    if (position_column_) {
      arrow::Int64Builder positions(pool_);
      ARROW_RETURN_NOT_OK(positions.Reserve(num_rows));
      for (int64_t row = row_; row < row_ + num_rows; ++row) positions.UnsafeAppend(row);
      ARROW_ASSIGN_OR_RAISE(auto array, positions.Finish());
      columns.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(schema_, num_rows, std::move(columns));
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Select(const std::shared_ptr<arrow::RecordBatch>& batch) const {
    if (!selection_) return batch;
    std::vector<uint8_t> mask(batch->num_rows(), 0);
    const auto& ranges = selection_->ranges();
    auto range =
        std::upper_bound(ranges.begin(), ranges.end(), row_, [](int64_t row, const RowRange& r) { return row < r.end; });
    for (const int64_t end = row_ + batch->num_rows(); range != ranges.end() && range->begin < end; ++range) {
      std::fill(mask.begin() + (std::max(range->begin, row_) - row_), mask.begin() + (std::min(range->end, end) - row_), 1);
    }
    return FilterByMask(batch, mask.data(), pool_);
  }

  const std::shared_ptr<const OrcSource> source_;
  const std::vector<Field> fields_;
  const std::optional<RowRanges> selection_;
  const std::optional<std::string> position_column_;
  const int64_t batch_rows_;
  arrow::MemoryPool* const pool_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<orc::ORCFileReader> reader_;
  std::vector<int> indexes_;  // of each field among the file's top-level columns, or -1
  std::optional<OrcTail> tail_;
  // Of the open stripe:
  std::vector<int> include_;       // columns that the adapter decodes
  arrow::ArrayVector timestamps_;  // whole columns decoded here, by field; else null
  int64_t stripe_begin_ = 0;
  int64_t next_stripe_ = 0;
  std::shared_ptr<arrow::RecordBatchReader> stripe_;
  int64_t row_ = 0;  // of the next batch
  int64_t rows_left_ = 0;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadOrcBatches(std::shared_ptr<const OrcSource> source,
                                                                        const std::vector<Field>& fields,
                                                                        const ReadRequest& request) {
  auto reader = std::make_shared<OrcReader>(std::move(source), fields, request);
  ARROW_RETURN_NOT_OK(reader->Init(request.string_views));
  return reader;
}

}  // namespace bactrian
