#include "bactrian/format/avro/avro_format.h"

#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <utility>

#include "bactrian/format/avro/avro_batch_reader.h"
#include "bactrian/format/avro/avro_container.h"
#include "bactrian/format/avro/avro_file.h"
#include "bactrian/format/column_stats.h"
#include "bactrian/format/filtered_read.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

class AvroDataFile final : public FileHandle {
 public:
  AvroDataFile(std::shared_ptr<const AvroContainer> container, int64_t num_rows)
      : container_(std::move(container)), num_rows_(num_rows) {}

  int64_t num_rows() const override { return num_rows_; }
  int64_t memory_bytes() const override { return container_->memory_bytes(); }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const ReadRequest& request) const override {
    AvroReadOptions options;
    options.batch_rows = request.batch_rows;
    options.string_views = request.string_views;
    options.selection = request.selection;
    options.position_column = request.position_column;
    options.pool = request.pool != nullptr ? request.pool : arrow::default_memory_pool();
    return ReadFiltered(request, [&](const std::vector<Field>& fields) {
      options.fields = fields;
      return ReadAvroBatches(container_, options);
    });
  }

 private:
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
