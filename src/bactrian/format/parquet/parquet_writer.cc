#include "bactrian/format/parquet/parquet_writer.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>

#include <optional>
#include <utility>
#include <vector>

#include "bactrian/base/idle_threads.h"
#include "bactrian/format/column_stats.h"
#include "bactrian/format/parquet/parquet_error.h"
#include "bactrian/format/parquet/parquet_schema.h"
#include "bactrian/format/parquet/writer_properties.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

constexpr int64_t kDefaultBlockBytes = 128 << 20;
constexpr int64_t kSampleRows = 20000;
constexpr int64_t kSampleBytes = 16 << 20;
constexpr int64_t kCompressionGuess = 3;  // for rows that are not encoded yet

/// Lets the row group under construction be seen: parquet::arrow::FileWriter, which cuts Arrow arrays into levels, does not
/// show it, and rolling as well as row groups by bytes need its size.
class ObservedContents final : public parquet::ParquetFileWriter::Contents {
 public:
  ObservedContents(std::unique_ptr<parquet::ParquetFileWriter> writer, std::shared_ptr<parquet::schema::GroupNode> schema)
      : Contents(std::move(schema), nullptr), writer_(std::move(writer)) {}

  void Close() override {
    row_group_ = nullptr;
    writer_->Close();
    file_metadata_ = writer_->metadata();
  }
  parquet::RowGroupWriter* AppendRowGroup() override { return row_group_ = writer_->AppendRowGroup(); }
  parquet::RowGroupWriter* AppendBufferedRowGroup() override { return row_group_ = writer_->AppendBufferedRowGroup(); }
  int64_t num_rows() const override { return writer_->num_rows(); }
  int num_columns() const override { return writer_->num_columns(); }
  int num_row_groups() const override { return writer_->num_row_groups(); }
  const std::shared_ptr<parquet::WriterProperties>& properties() const override { return writer_->properties(); }
  void AddKeyValueMetadata(const std::shared_ptr<const parquet::KeyValueMetadata>& metadata) override {
    writer_->AddKeyValueMetadata(metadata);
  }

  /// Bytes of the open row group: compressed pages, and what is not in a page yet at its encoded size.
  int64_t row_group_bytes() const {
    if (!row_group_) return 0;
    const auto buffered = row_group_->estimated_buffered_stats();
    return row_group_->total_compressed_bytes() + row_group_->total_compressed_bytes_written() + buffered.def_level_bytes +
           buffered.rep_level_bytes + buffered.value_bytes + buffered.dict_bytes;
  }

 private:
  std::unique_ptr<parquet::ParquetFileWriter> writer_;
  parquet::RowGroupWriter* row_group_ = nullptr;  // owned by writer_
};

/// The same data under `type`, which may differ in names and nullability of nested fields: levels are cut by the type's.
arrow::Result<std::shared_ptr<arrow::ArrayData>> Retype(const std::shared_ptr<arrow::ArrayData>& data,
                                                        const std::shared_ptr<arrow::DataType>& type) {
  if (data->type->Equals(*type)) return data;
  if (data->type->id() != type->id() || data->child_data.size() != static_cast<size_t>(type->num_fields()) ||
      (type->num_fields() == 0)) {
    return Invalid(data->type->ToString(), " is not ", type->ToString());
  }
  std::shared_ptr<arrow::ArrayData> copy = data->Copy();
  copy->type = type;
  for (int i = 0; i < type->num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(copy->child_data[i], Retype(data->child_data[i], type->field(i)->type()));
  }
  return copy;
}

/// Decimals that Parquet stores as integers: handed to Arrow's writer as such, which would convert them value by value.
bool IsStoredAsInteger(const DataType& type) { return type.root() == TypeRoot::kDecimal && type.precision() <= 18; }

template <typename T>
std::shared_ptr<arrow::Buffer> LowParts(const arrow::ArrayData& decimals, std::unique_ptr<arrow::Buffer> out) {
  const auto* values = decimals.GetValues<int64_t>(1, 0) + 2 * decimals.offset;  // little-endian: the low half is first
  auto* low = reinterpret_cast<T*>(out->mutable_data());
  for (int64_t i = 0; i < decimals.length; ++i) low[i] = static_cast<T>(values[2 * i]);
  return out;
}

/// The unscaled values as int32 (up to 9 digits) or int64.
arrow::Result<std::shared_ptr<arrow::ArrayData>> UnscaledIntegers(const arrow::ArrayData& decimals, int precision,
                                                                  arrow::MemoryPool* pool) {
  const auto type = precision <= 9 ? arrow::int32() : arrow::int64();
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(decimals.length * type->byte_width(), pool));
  auto values =
      precision <= 9 ? LowParts<int32_t>(decimals, std::move(buffer)) : LowParts<int64_t>(decimals, std::move(buffer));
  std::shared_ptr<arrow::Buffer> valid;
  if (decimals.GetNullCount() > 0) {
    ARROW_ASSIGN_OR_RAISE(valid,
                          arrow::internal::CopyBitmap(pool, decimals.buffers[0]->data(), decimals.offset, decimals.length));
  }
  return arrow::ArrayData::Make(type, decimals.length, {std::move(valid), std::move(values)}, decimals.GetNullCount());
}

class ParquetWriter final : public FileWriter {
 public:
  ParquetWriter(std::string path, const WriteRequest& request)
      : path_(std::move(path)), request_(request), pool_(request.pool ? request.pool : arrow::default_memory_pool()) {}

  arrow::Status Open(FileStore& store) {
    ARROW_ASSIGN_OR_RAISE(schema_, ToArrowSchema(request_.fields));
    ARROW_RETURN_NOT_OK(CatchParquet(path_, [&] { return ToParquetSchema(request_.fields).Value(&parquet_schema_); }));
    ARROW_ASSIGN_OR_RAISE(block_bytes_, BlockBytes());
    ARROW_RETURN_NOT_OK(PrepareColumns());
    if (request_.tasks != nullptr) idle_threads_.emplace(request_.tasks);
    ARROW_RETURN_NOT_OK(MakeProperties().status());  // an invalid option fails here, not with the first row
    ARROW_ASSIGN_OR_RAISE(sink_, store.OpenOutput(path_));
    return arrow::Status::OK();
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    if (batch.num_rows() == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto typed, Checked(batch));
    for (size_t i = 0; i < stats_.size(); ++i) stats_[i]->Update(*typed->column(static_cast<int>(i)));
    num_rows_ += batch.num_rows();
    if (writer_) return WriteBatch(*typed);
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*typed));
    held_bytes_ += bytes;
    held_.push_back(std::move(typed));
    if (num_rows_ < kSampleRows && held_bytes_ < kSampleBytes) return arrow::Status::OK();
    return WriteHeld();
  }

  int64_t bytes_written() const override {
    if (!writer_) return held_bytes_ / kCompressionGuess;
    const auto position = sink_->Tell();
    return (position.ok() ? *position : 0) + contents_->row_group_bytes();
  }

  int64_t buffered_bytes() const override { return writer_ ? contents_->row_group_bytes() : held_bytes_; }

  arrow::Status EncodeHeld() override { return writer_ ? arrow::Status::OK() : WriteHeld(); }

  arrow::Result<FileWriteResult> Finish() override {
    if (!writer_) ARROW_RETURN_NOT_OK(WriteHeld());
    FileWriteResult result;
    ARROW_RETURN_NOT_OK(CatchParquet(path_, [&] { return writer_->Close(); }));
    ARROW_ASSIGN_OR_RAISE(result.size, sink_->Tell());
    ARROW_RETURN_NOT_OK(sink_->Close());
    result.num_rows = num_rows_;
    for (size_t i = 0; i < stats_.size(); ++i) {
      result.columns.push_back(stats_[i]->Finish());
      if (!HasBounds(*request_.fields[i].type)) result.columns[i].min = result.columns[i].max = Value();
    }
    return result;
  }

 private:
  // INT96 has no order in Parquet, so the reference has no bounds for it.
  static bool HasBounds(const DataType& type) { return !(type.is_timestamp() && type.precision() > 6); }

  arrow::Status PrepareColumns() {
    stored_schema_ = schema_;
    for (int i = 0; i < schema_->num_fields(); ++i) {
      const DataType& type = *request_.fields[i].type;
      if (!IsStoredAsInteger(type)) {
        stats_.push_back(ColumnStatsCollector::Make(type));
        continue;
      }
      stats_.push_back(ColumnStatsCollector::MakeOfUnscaled(type));
      const auto field = schema_->field(i)->WithType(type.precision() <= 9 ? arrow::int32() : arrow::int64());
      ARROW_ASSIGN_OR_RAISE(stored_schema_, stored_schema_->SetField(i, field));
    }
    return arrow::Status::OK();
  }

  arrow::Result<int64_t> BlockBytes() const {
    const std::string key = request_.options.contains("file.block-size") ? "file.block-size" : "parquet.block.size";
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, CoreOptions(request_.options).GetMemorySize(key, kDefaultBlockBytes));
    if (bytes <= 0) return Invalid("option ", key, " must be positive, is ", bytes);
    return bytes;
  }

  /// The batch under stored_schema_.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Checked(const arrow::RecordBatch& batch) const {
    if (batch.num_columns() != schema_->num_fields()) {
      return Invalid("parquet file ", path_, ": a batch of ", batch.num_columns(), " columns for ", schema_->num_fields());
    }
    arrow::ArrayVector columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      const auto& field = schema_->field(i);
      const auto data = Retype(batch.column_data(i), field->type());
      if (!data.ok()) return Invalid("parquet file ", path_, ": column ", field->name(), ": ", data.status().message());
      columns.push_back(arrow::MakeArray(*data));
      const DataType& type = *request_.fields[i].type;
      if (IsStoredAsInteger(type)) {
        ARROW_ASSIGN_OR_RAISE(auto integers, UnscaledIntegers(**data, type.precision(), pool_));
        columns.back() = arrow::MakeArray(std::move(integers));
      }
      if (!field->nullable() && columns.back()->null_count() > 0) {
        return Invalid("parquet file ", path_, ": column ", field->name(), " is NOT NULL but has ",
                       columns.back()->null_count(), " nulls");
      }
    }
    return arrow::RecordBatch::Make(stored_schema_, batch.num_rows(), std::move(columns));
  }

  arrow::Result<std::shared_ptr<parquet::WriterProperties>> MakeProperties() const {
    parquet::SchemaDescriptor descriptor;
    descriptor.Init(parquet_schema_);
    return MakeWriterProperties(request_.options, descriptor, held_, pool_);
  }

  arrow::Status WriteHeld() {
    ARROW_ASSIGN_OR_RAISE(auto properties, MakeProperties());
    ARROW_RETURN_NOT_OK(CatchParquet(path_, [&] {
      auto contents = std::make_unique<ObservedContents>(
          parquet::ParquetFileWriter::Open(sink_, parquet_schema_, std::move(properties)), parquet_schema_);
      contents_ = contents.get();
      auto file = std::make_unique<parquet::ParquetFileWriter>();
      file->Open(std::move(contents));
      parquet::ArrowWriterProperties::Builder arrow_properties;
      if (idle_threads_) arrow_properties.set_use_threads(true)->set_executor(&*idle_threads_);
      return parquet::arrow::FileWriter::Make(pool_, std::move(file), stored_schema_, arrow_properties.build(), &writer_);
    }));
    for (const auto& batch : std::exchange(held_, {})) ARROW_RETURN_NOT_OK(WriteBatch(*batch));
    return arrow::Status::OK();
  }

  arrow::Status WriteBatch(const arrow::RecordBatch& batch) {
    return CatchParquet(path_, [&]() -> arrow::Status {
      if (contents_->row_group_bytes() >= block_bytes_) ARROW_RETURN_NOT_OK(writer_->NewBufferedRowGroup());
      return writer_->WriteRecordBatch(batch);
    });
  }

  const std::string path_;
  const WriteRequest request_;
  arrow::MemoryPool* const pool_;
  std::shared_ptr<arrow::Schema> schema_;         // of the batches handed in
  std::shared_ptr<arrow::Schema> stored_schema_;  // with integers for decimals that are stored so
  std::shared_ptr<parquet::schema::GroupNode> parquet_schema_;
  int64_t block_bytes_ = 0;
  std::vector<std::unique_ptr<ColumnStatsCollector>> stats_;
  std::shared_ptr<arrow::io::OutputStream> sink_;
  int64_t num_rows_ = 0;
  std::vector<std::shared_ptr<arrow::RecordBatch>> held_;  // until writer_ is there
  int64_t held_bytes_ = 0;
  std::optional<IdleThreads> idle_threads_;  // that encode columns beside the caller's
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  ObservedContents* contents_ = nullptr;  // owned by writer_
};

}  // namespace

arrow::Result<std::unique_ptr<FileWriter>> MakeParquetWriter(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                             const WriteRequest& request) {
  auto writer = std::make_unique<ParquetWriter>(path, request);
  ARROW_RETURN_NOT_OK(writer->Open(*store));
  return writer;
}

}  // namespace bactrian
