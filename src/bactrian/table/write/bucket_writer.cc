#include "bactrian/table/write/bucket_writer.h"

#include <arrow/record_batch.h>

#include <algorithm>

#include "bactrian/table/write/append_file_meta.h"

namespace bactrian {

namespace {

/// Rows between two looks at the size of the open file.
constexpr int64_t kSliceRows = 8192;

}  // namespace

arrow::Result<std::shared_ptr<FileStore>> StoreOfPath(const TableContext& context, const std::string& path) {
  const std::string scheme = SchemeOf(path), own_scheme = SchemeOf(context.paths.root);
  const bool local = (scheme.empty() || scheme == "file") && (own_scheme.empty() || own_scheme == "file");
  if (local || scheme == own_scheme) return context.store;
  return FileStore::Open(path);
}

arrow::Result<std::unique_ptr<BucketWriter>> BucketWriter::Make(WriteSettings* settings, BucketId id, FileSource source,
                                                                int64_t next_sequence) {
  auto writer = std::unique_ptr<BucketWriter>(new BucketWriter(settings, std::move(id), source, next_sequence));
  ARROW_ASSIGN_OR_RAISE(writer->relative_path_,
                        settings->paths.RelativeBucketPath(std::string_view(writer->id_.partition), writer->id_.bucket));
  return writer;
}

BucketWriter::BucketWriter(WriteSettings* settings, BucketId id, FileSource source, int64_t next_sequence)
    : settings_(settings), id_(std::move(id)), source_(source), uuid_(NewUuid()), next_sequence_(next_sequence) {}

BucketWriter::~BucketWriter() {
  // Best effort: what stays behind is unreferenced, and orphan cleaning finds it.
  if (file_ != nullptr) {
    file_.reset();
    (void)file_store_->DeleteFile(file_path_);
  }
  for (const Written& file : written_) (void)file.store->DeleteFile(file.path);
}

arrow::Status BucketWriter::Write(const arrow::RecordBatch& batch) {
  int64_t offset = 0;
  while (offset < batch.num_rows()) {
    if (file_ == nullptr) ARROW_RETURN_NOT_OK(OpenFile());
    const int64_t rows = std::min({kSliceRows, batch.num_rows() - offset, settings_->target_file_rows - file_rows_});
    ARROW_RETURN_NOT_OK(file_->Write(*batch.Slice(offset, rows)));
    offset += rows;
    file_rows_ += rows;
    if (file_rows_ >= settings_->target_file_rows || file_->bytes_written() >= settings_->target_file_bytes) {
      ARROW_RETURN_NOT_OK(CloseFile());
    }
  }
  return arrow::Status::OK();
}

arrow::Status BucketWriter::OpenFile() {
  const TableContext& context = settings_->context;
  file_name_ = settings_->file_prefix + uuid_ + "-" + std::to_string(next_file_++) + settings_->file_extension;
  file_path_ = settings_->external.enabled() ? settings_->external.NextFile(relative_path_, file_name_)
                                             : JoinPath(JoinPath(context.paths.root, relative_path_), file_name_);
  ARROW_ASSIGN_OR_RAISE(file_store_, StoreOfPath(context, file_path_));
  file_rows_ = 0;
  const WriteRequest request{
      .fields = context.schema->fields, .options = context.schema->options, .pool = context.pool, .tasks = settings_->tasks};
  arrow::Result<std::unique_ptr<FileWriter>> file = settings_->format->OpenWriter(file_store_, file_path_, request);
  if (!file.ok()) {
    (void)file_store_->DeleteFile(file_path_);
    return file.status();
  }
  file_ = std::move(*file);
  return arrow::Status::OK();
}

arrow::Status BucketWriter::CloseFile() {
  if (file_ == nullptr) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const FileWriteResult result, file_->Finish());
  ARROW_ASSIGN_OR_RAISE(ValueStats stats, MakeValueStats(settings_->context.schema->fields, settings_->stats_modes,
                                                         result.columns, settings_->dense_stats));
  DataFileMeta meta =
      MakeAppendFileMeta(file_name_, result, std::move(stats), settings_->context.schema->id, next_sequence_, source_);
  if (settings_->external.enabled()) meta.external_path = file_path_;
  written_.push_back({std::move(meta), file_store_, file_path_});
  next_sequence_ += result.num_rows;
  file_.reset();
  return arrow::Status::OK();
}

arrow::Result<std::vector<DataFileMeta>> BucketWriter::TakeFiles() {
  ARROW_RETURN_NOT_OK(CloseFile());
  std::vector<DataFileMeta> files;
  for (Written& file : written_) files.push_back(std::move(file.meta));
  written_.clear();
  return files;
}

}  // namespace bactrian
