#include "bactrian/format/avro/avro_batch_reader.h"

#include <arrow/api.h>

#include <algorithm>
#include <utility>

#include "bactrian/format/avro/avro_decoder.h"
#include "bactrian/format/avro/avro_head_filter.h"

namespace bactrian {
namespace {

constexpr int64_t kReadAhead = 1 << 20;
// A batch ends early after so many bytes of records (far below what 32-bit offsets hold, a record being one block at most)…
constexpr int64_t kMaxBatchBytes = 32 << 20;
// … or where its rows alone, all null, would take so much memory.
constexpr int64_t kMaxNullBytes = 256 << 20;

arrow::Result<std::shared_ptr<arrow::Schema>> MakeSchema(const AvroReadOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto schema, ToArrowSchema(options.fields));
  arrow::FieldVector fields = schema->fields();
  for (auto& field : fields) {
    if (!options.string_views) break;
    if (field->type()->id() == arrow::Type::STRING) field = field->WithType(arrow::utf8_view());
    if (field->type()->id() == arrow::Type::BINARY) field = field->WithType(arrow::binary_view());
  }
  if (options.position_column.has_value()) fields.push_back(arrow::field(*options.position_column, arrow::int64(), false));
  return arrow::schema(std::move(fields), schema->metadata());
}

/// Tells, for positions that only grow, whether they are selected.
class SelectionCursor {
 public:
  explicit SelectionCursor(std::optional<RowRanges> selection) : selection_(std::move(selection)) {}
  /// Whether any row of [begin, end) is selected.
  bool Overlaps(int64_t begin, int64_t end) {
    if (!selection_.has_value()) return true;
    const auto& ranges = selection_->ranges();
    while (next_ < ranges.size() && ranges[next_].end <= begin) ++next_;
    return next_ < ranges.size() && ranges[next_].begin < end;
  }

 private:
  const std::optional<RowRanges> selection_;
  size_t next_ = 0;
};

class BatchReader : public arrow::RecordBatchReader {
 public:
  static arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Make(std::shared_ptr<const AvroContainer> container,
                                                                       const AvroReadOptions& options) {
    if (options.batch_rows <= 0) return Invalid("batches of ", options.batch_rows, " rows");
    arrow::MemoryPool* pool = options.pool != nullptr ? options.pool : arrow::default_memory_pool();
    ARROW_ASSIGN_OR_RAISE(auto schema, MakeSchema(options));
    auto decoder = AvroRecordDecoder::Make(container->record(), options.fields, options.string_views, pool);
    if (!decoder.ok()) return decoder.status().WithMessage(container->path(), ": ", decoder.status().message());
    std::optional<CompiledHeadFilter> head_filter;
    if (options.head_filter != nullptr && !options.head_filter->field_names.empty()) {
      ARROW_ASSIGN_OR_RAISE(head_filter, CompiledHeadFilter::Make(container->record(), *options.head_filter));
    }
    ARROW_ASSIGN_OR_RAISE(auto blocks, AvroBlockReader::Make(container, kReadAhead));
    return std::shared_ptr<BatchReader>(new BatchReader(std::move(container), options, std::move(schema), *std::move(decoder),
                                                        std::move(head_filter), std::move(blocks), pool));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    int64_t rows = 0, bytes = 0;
    while (rows < max_rows_ && bytes < kMaxBatchBytes) {
      if (records_left_ == 0) {
        ARROW_ASSIGN_OR_RAISE(const bool more, NextBlock());
        if (!more) break;
        continue;
      }
      const int64_t before = records_.remaining();
      auto decoded = DecodeRecord();
      if (!decoded.ok()) return AtRecord(decoded.status());
      ++position_;
      if (--records_left_ == 0 && !records_.at_end()) return AtRecord(Corrupt("bytes after the block's last record"));
      if (*decoded) {
        ++rows;
        bytes += before - records_.remaining();
      }
    }
    return rows == 0 ? arrow::Status::OK() : Finish(rows, batch);
  }

 private:
  BatchReader(std::shared_ptr<const AvroContainer> container, const AvroReadOptions& options,
              std::shared_ptr<arrow::Schema> schema, std::unique_ptr<AvroRecordDecoder> decoder,
              std::optional<CompiledHeadFilter> head_filter, AvroBlockReader blocks, arrow::MemoryPool* pool)
      : container_(std::move(container)),
        schema_(std::move(schema)),
        decoder_(std::move(decoder)),
        head_filter_(std::move(head_filter)),
        selection_(options.selection),
        blocks_(std::move(blocks)),
        positions_(pool),
        wants_position_(options.position_column.has_value()),
        max_rows_(
            std::max<int64_t>(std::min(options.batch_rows, kMaxNullBytes / std::max<int64_t>(decoder_->null_bytes(), 1)), 1)) {}

  /// Moves to the next block that holds selected rows; false at the end of the file.
  arrow::Result<bool> NextBlock() {
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(const bool more, blocks_.Next());
      if (!more) return false;
      int64_t end;
      if (__builtin_add_overflow(position_, blocks_.num_records(), &end)) {
        return Corrupt(container_->path(), ": a block of ", blocks_.num_records(), " records");
      }
      if (selection_.Overlaps(position_, end)) break;
      position_ = end;
    }
    ARROW_ASSIGN_OR_RAISE(const std::string_view data, blocks_.ReadData());
    records_ = AvroCursor(data);
    records_left_ = blocks_.num_records();
    return true;
  }

  /// Whether the record became a row.
  arrow::Result<bool> DecodeRecord() {
    const AvroNullable& root = container_->root();
    if (root.value_branch >= 0) {
      int64_t branch = 0;
      ARROW_RETURN_NOT_OK(records_.ReadLong(&branch));
      if (branch != root.value_branch) return Corrupt("a record that is null");
    }
    if (!selection_.Overlaps(position_, position_ + 1)) {
      ARROW_RETURN_NOT_OK(SkipAvroValue(container_->record(), records_));
      return false;
    }
    if (head_filter_.has_value()) {
      ARROW_ASSIGN_OR_RAISE(const bool accepted, head_filter_->Accepts(records_));
      if (!accepted) return false;
    }
    ARROW_RETURN_NOT_OK(decoder_->Decode(records_));
    if (wants_position_) ARROW_RETURN_NOT_OK(positions_.Append(position_));
    return true;
  }

  arrow::Status Finish(int64_t rows, std::shared_ptr<arrow::RecordBatch>* batch) {
    auto columns = decoder_->Finish();
    if (!columns.ok()) return columns.status().WithMessage(container_->path(), ": ", columns.status().message());
    if (wants_position_) {
      ARROW_ASSIGN_OR_RAISE(auto positions, positions_.Finish());
      columns->push_back(std::move(positions));
    }
    *batch = arrow::RecordBatch::Make(schema_, rows, *std::move(columns));
    return arrow::Status::OK();
  }

  arrow::Status AtRecord(const arrow::Status& status) const {
    return status.WithMessage(container_->path(), ": record ", position_, ": ", status.message());
  }

  const std::shared_ptr<const AvroContainer> container_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::unique_ptr<AvroRecordDecoder> decoder_;
  std::optional<CompiledHeadFilter> head_filter_;
  SelectionCursor selection_;
  AvroBlockReader blocks_;
  arrow::Int64Builder positions_;
  const bool wants_position_;
  const int64_t max_rows_;
  AvroCursor records_;
  int64_t records_left_ = 0;
  int64_t position_ = 0;  ///< of the next record
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAvroBatches(std::shared_ptr<const AvroContainer> container,
                                                                         const AvroReadOptions& options) {
  return BatchReader::Make(std::move(container), options);
}

}  // namespace bactrian
