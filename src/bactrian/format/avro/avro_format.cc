#include "bactrian/format/avro/avro_format.h"

#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/format/avro/avro_batch_reader.h"
#include "bactrian/format/avro/avro_container.h"
#include "bactrian/format/avro/avro_file.h"
#include "bactrian/format/column_stats.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

/// Passes on the rows for which a predicate is true, without the columns that only the predicate needs.
class FilteredReader final : public arrow::RecordBatchReader {
 public:
  FilteredReader(std::shared_ptr<arrow::RecordBatchReader> source, std::shared_ptr<const BoundPredicate> predicate,
                 std::vector<int> predicate_columns, std::vector<int> columns, arrow::MemoryPool* pool)
      : source_(std::move(source)),
        predicate_(std::move(predicate)),
        predicate_columns_(std::move(predicate_columns)),
        columns_(std::move(columns)),
        pool_(pool) {
    arrow::FieldVector fields;
    for (const int column : columns_) fields.push_back(source_->schema()->field(column));
    schema_ = arrow::schema(std::move(fields), source_->schema()->metadata());
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    for (;;) {
      ARROW_RETURN_NOT_OK(source_->ReadNext(out));
      if (*out == nullptr) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(const auto filtered, (*out)->SelectColumns(predicate_columns_));
      mask_.resize(static_cast<size_t>(filtered->num_rows()));
      ARROW_RETURN_NOT_OK(predicate_->Evaluate(*filtered, mask_.data()));
      ARROW_ASSIGN_OR_RAISE(*out, (*out)->SelectColumns(columns_));
      ARROW_ASSIGN_OR_RAISE(*out, FilterByMask(*out, mask_.data(), pool_));
      if ((*out)->num_rows() > 0) return arrow::Status::OK();
    }
  }

 private:
  const std::shared_ptr<arrow::RecordBatchReader> source_;
  const std::shared_ptr<const BoundPredicate> predicate_;
  const std::vector<int> predicate_columns_;
  const std::vector<int> columns_;
  arrow::MemoryPool* const pool_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<uint8_t> mask_;
};

class AvroDataFile final : public FileHandle {
 public:
  AvroDataFile(std::shared_ptr<const AvroContainer> container, int64_t num_rows)
      : container_(std::move(container)), num_rows_(num_rows) {}

  int64_t num_rows() const override { return num_rows_; }
  int64_t memory_bytes() const override { return container_->memory_bytes(); }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const ReadRequest& request) const override {
    AvroReadOptions options;
    options.fields = request.fields;
    options.batch_rows = request.batch_rows;
    options.string_views = request.string_views;
    options.selection = request.selection;
    options.position_column = request.position_column;
    options.pool = request.pool != nullptr ? request.pool : arrow::default_memory_pool();
    if (request.predicate == nullptr || request.predicate->op() == PredicateOp::kTrue)
      return ReadAvroBatches(container_, options);

    std::vector<Field> predicate_fields;
    std::vector<int> predicate_columns;
    for (const std::string& name : ColumnsOf(request.predicate)) {
      const auto known = std::find_if(request.predicate_fields.begin(), request.predicate_fields.end(),
                                      [&](const Field& field) { return field.name == name; });
      if (known == request.predicate_fields.end()) return Invalid("predicate over unknown column ", name);
      predicate_fields.push_back(*known);
      predicate_columns.push_back(ColumnOf(*known, &options.fields));
    }
    ARROW_ASSIGN_OR_RAISE(auto predicate, BoundPredicate::Bind(request.predicate, predicate_fields));
    std::vector<int> columns;
    for (size_t i = 0; i < request.fields.size(); ++i) columns.push_back(static_cast<int>(i));
    if (request.position_column.has_value()) columns.push_back(static_cast<int>(options.fields.size()));
    ARROW_ASSIGN_OR_RAISE(auto source, ReadAvroBatches(container_, options));
    return std::make_shared<FilteredReader>(std::move(source), std::move(predicate), std::move(predicate_columns),
                                            std::move(columns), options.pool);
  }

 private:
  /// The column among `fields` that holds `field`, which is added if there is none.
  static int ColumnOf(const Field& field, std::vector<Field>* fields) {
    const auto same = std::find_if(fields->begin(), fields->end(), [&](const Field& other) {
      return other.name == field.name && other.type->EqualsIgnoreNullable(*field.type);
    });
    const auto index = static_cast<int>(same - fields->begin());
    if (same == fields->end()) fields->push_back(field);
    return index;
  }

  const std::shared_ptr<const AvroContainer> container_;
  const int64_t num_rows_;
};

class AvroDataWriter final : public FileWriter {
 public:
  AvroDataWriter(const std::vector<Field>& fields, std::unique_ptr<AvroFileWriter> writer) : writer_(std::move(writer)) {
    for (const Field& field : fields) collectors_.push_back(ColumnStatsCollector::Make(*field.type));
    null_counts_.resize(fields.size());
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(writer_->Write(batch));
    num_rows_ += batch.num_rows();
    for (int i = 0; i < batch.num_columns(); ++i) {
      collectors_[static_cast<size_t>(i)]->Update(*batch.column(i));
      null_counts_[static_cast<size_t>(i)] += batch.column(i)->null_count();
    }
    return arrow::Status::OK();
  }

  int64_t bytes_written() const override { return writer_->bytes_written().ValueOr(0); }

  arrow::Result<FileWriteResult> Finish() override {
    ARROW_RETURN_NOT_OK(writer_->Close());
    FileWriteResult result;
    ARROW_ASSIGN_OR_RAISE(result.size, writer_->bytes_written());
    result.num_rows = num_rows_;
    for (size_t i = 0; i < collectors_.size(); ++i) {
      result.columns.push_back(collectors_[i]->Finish());
      // Unlike for Parquet, the reference counts the nulls of nested columns too.
      result.columns.back().null_count = null_counts_[i];
    }
    return result;
  }

 private:
  const std::unique_ptr<AvroFileWriter> writer_;
  std::vector<std::unique_ptr<ColumnStatsCollector>> collectors_;
  std::vector<int64_t> null_counts_;
  int64_t num_rows_ = 0;
};

class Avro final : public FileFormat {
 public:
  std::string_view identifier() const override { return "avro"; }

  arrow::Result<std::shared_ptr<FileHandle>> Open(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                  int64_t length) const override {
    ARROW_ASSIGN_OR_RAISE(auto file, store->OpenInput(path, length));
    ARROW_ASSIGN_OR_RAISE(auto container, AvroContainer::Open(std::move(file), path, length));
    ARROW_ASSIGN_OR_RAISE(const int64_t num_rows, CountAvroRows(container));
    return std::make_shared<AvroDataFile>(std::move(container), num_rows);
  }

  arrow::Result<std::unique_ptr<FileWriter>> OpenWriter(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                        const WriteRequest& request) const override {
    const CoreOptions core(request.options);
    AvroWriteOptions options;
    options.codec = CodecOf(core.GetString("file.compression", "zstd"));
    ARROW_ASSIGN_OR_RAISE(const int64_t level, core.GetInt("file.compression.zstd-level", options.zstd_level));
    options.zstd_level = static_cast<int32_t>(level);
    ARROW_RETURN_NOT_OK(AvroSchemaJson(request.fields, options.root_name).status());  // before there is a file
    ARROW_ASSIGN_OR_RAISE(auto sink, store->OpenOutput(path));
    ARROW_ASSIGN_OR_RAISE(auto writer, AvroFileWriter::Make(std::move(sink), request.fields, options));
    return std::make_unique<AvroDataWriter>(request.fields, std::move(writer));
  }

 private:
  /// The Avro codec for a value of the option file.compression; others are Avro's own names.
  static std::string CodecOf(std::string compression) {
    std::transform(compression.begin(), compression.end(), compression.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (compression == "zstd") return "zstandard";
    if (compression == "none") return "null";
    return compression;
  }
};

}  // namespace

const FileFormat* AvroFormat() {
  static const Avro format;
  return &format;
}

}  // namespace bactrian
