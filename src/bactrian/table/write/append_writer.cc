#include "bactrian/table/write/append_writer.h"

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <numeric>

#include "bactrian/io/pending_directories.h"
#include "bactrian/table/write/commit_message.h"
#include "bactrian/table/write/partition_spec.h"
#include "bactrian/table/write/table_writer.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

/// Below the usual limit of 1,024 file descriptors of a process, with room for others.
constexpr int kMaxOpenFiles = 500;

/// Row positions of a batch sorted by group, in their order within a group.
struct GroupedRows {
  std::vector<int64_t> rows;
  std::vector<int64_t> begins;  ///< of each group in `rows`, and the end
};

GroupedRows GroupRows(const std::vector<uint32_t>& groups, size_t num_groups) {
  GroupedRows result;
  result.begins.assign(num_groups + 1, 0);
  for (const uint32_t group : groups) ++result.begins[group + 1];
  std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
  std::vector<int64_t> next(result.begins.begin(), result.begins.end() - 1);
  result.rows.resize(groups.size());
  for (size_t row = 0; row < groups.size(); ++row) result.rows[next[groups[row]]++] = static_cast<int64_t>(row);
  return result;
}

/// The rows at ascending positions; no copy where they are adjacent.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                            std::span<const int64_t> rows, arrow::MemoryPool* pool) {
  const auto count = static_cast<int64_t>(rows.size());
  if (rows.back() - rows.front() + 1 == count) return batch->Slice(rows.front(), count);
  const auto indices = std::make_shared<arrow::Int64Array>(count, arrow::Buffer::Wrap(rows.data(), rows.size()));
  arrow::compute::ExecContext context(pool);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken,
                        arrow::compute::Take(batch, indices, arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.record_batch();
}

}  // namespace

arrow::Result<std::unique_ptr<AppendWriter>> AppendWriter::Make(TableContext context, const WriteOptions& options) {
  const TableSchema& schema = *context.schema;
  if (schema.is_primary_key_table()) return Unsupported("writing primary-key tables is not supported yet");
  ARROW_RETURN_NOT_OK(CheckPartitionSpec(schema, options.static_partition));
  if (options.buffer_bytes <= 0) return Invalid("WriteOptions.buffer_bytes must be positive");
  if (context.pool == nullptr) context.pool = arrow::default_memory_pool();

  const CoreOptions core(schema.options);
  ARROW_ASSIGN_OR_RAISE(const int64_t num_buckets, core.bucket());
  if (num_buckets != -1 && (num_buckets < 1 || num_buckets > INT32_MAX)) {
    return Invalid("option bucket: an append table has -1 or a positive number of buckets, not ", num_buckets);
  }
  ARROW_ASSIGN_OR_RAISE(const bool ordered, core.GetBool("bucket-append-ordered", true));

  auto writer = std::unique_ptr<AppendWriter>(new AppendWriter());
  ARROW_ASSIGN_OR_RAISE(WriteSettings settings, WriteSettings::Make(context));
  writer->settings_ = std::make_unique<WriteSettings>(std::move(settings));
  ARROW_ASSIGN_OR_RAISE(writer->conformer_, BatchConformer::Make(context.schema, options.static_partition, context.pool));
  writer->buffer_budget_ = options.buffer_bytes / 4;
  writer->file_budget_ = options.buffer_bytes - writer->buffer_budget_;
  if (num_buckets > 0 || !schema.partition_keys.empty()) {
    ARROW_ASSIGN_OR_RAISE(
        writer->router_, BucketRouter::Make(schema, static_cast<int32_t>(num_buckets), options.static_partition, context.pool));
  }
  if (num_buckets > 0 && !options.for_overwrite) {
    writer->restore_.emplace(std::move(context), static_cast<int32_t>(num_buckets), ordered);
  }
  return writer;
}

arrow::Status AppendWriter::Write(const arrow::RecordBatch& batch) {
  ARROW_RETURN_NOT_OK(failure_);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> rows, conformer_->Conform(batch));
  if (rows->num_rows() == 0) return arrow::Status::OK();
  if (router_ != nullptr) return Buffer(std::move(rows));
  failure_ = WriteGroup(0, *rows);
  return failure_;
}

arrow::Status AppendWriter::Buffer(std::shared_ptr<arrow::RecordBatch> batch) {
  // Refusals come first: nothing of the batch is kept then.
  ARROW_ASSIGN_OR_RAISE(const std::vector<uint32_t> groups, router_->Route(*batch));
  if (restore_) ARROW_RETURN_NOT_OK(LoadPartitions(groups));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*batch));
  buffer_.push_back(std::move(batch));
  buffer_groups_.insert(buffer_groups_.end(), groups.begin(), groups.end());
  buffer_bytes_ += bytes;
  if (buffer_bytes_ >= buffer_budget_) failure_ = FlushBuffer();
  return failure_;
}

arrow::Status AppendWriter::LoadPartitions(const std::vector<uint32_t>& groups) {
  std::set<std::string, std::less<>> partitions;
  writers_.resize(router_->num_groups());
  for (const uint32_t group : groups) {
    if (writers_[group] == nullptr) partitions.insert(router_->bucket(group).partition);
  }
  return restore_->Load(partitions);
}

arrow::Status AppendWriter::FlushBuffer() {
  if (buffer_.empty()) return arrow::Status::OK();
  arrow::MemoryPool* pool = settings_->context.pool;
  std::shared_ptr<arrow::RecordBatch> batch = buffer_.front();
  if (buffer_.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(batch, arrow::ConcatenateRecordBatches(buffer_, pool));
  }
  const std::vector<uint32_t> groups = std::exchange(buffer_groups_, {});
  buffer_.clear();
  buffer_bytes_ = 0;
  const GroupedRows grouped = GroupRows(groups, router_->num_groups());
  for (uint32_t group = 0; group + 1 < grouped.begins.size(); ++group) {
    const std::span<const int64_t> rows(grouped.rows.data() + grouped.begins[group],
                                        grouped.rows.data() + grouped.begins[group + 1]);
    if (rows.empty()) continue;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> taken, TakeRows(batch, rows, pool));
    ARROW_RETURN_NOT_OK(WriteGroup(group, *taken));
  }
  return arrow::Status::OK();
}

arrow::Status AppendWriter::WriteGroup(uint32_t group, const arrow::RecordBatch& rows) {
  ARROW_ASSIGN_OR_RAISE(BucketWriter * writer, WriterOf(group));
  open_files_ -= writer->has_open_file();
  ARROW_RETURN_NOT_OK(writer->Write(rows));
  open_files_ += writer->has_open_file();
  total_open_bytes_ += writer->buffered_bytes() - open_bytes_[group];
  open_bytes_[group] = writer->buffered_bytes();
  return KeepToBudget();
}

arrow::Result<BucketWriter*> AppendWriter::WriterOf(uint32_t group) {
  if (writers_.size() <= group) writers_.resize(group + 1);
  if (open_bytes_.size() < writers_.size()) open_bytes_.resize(writers_.size());
  std::unique_ptr<BucketWriter>& writer = writers_[group];
  if (writer == nullptr) {
    const BucketId id = router_ != nullptr ? router_->bucket(group) : BucketId{.partition = std::string(EmptySerializedRow())};
    const int64_t next_sequence = restore_ ? restore_->NextSequence(id.partition, id.bucket) : 0;
    ARROW_ASSIGN_OR_RAISE(writer, BucketWriter::Make(settings_.get(), id, FileSource::kAppend, next_sequence));
  }
  return writer.get();
}

arrow::Status AppendWriter::KeepToBudget() {
  while ((total_open_bytes_ > file_budget_ || open_files_ > kMaxOpenFiles) && open_files_ > 1) {
    size_t largest = writers_.size();
    for (size_t group = 0; group < writers_.size(); ++group) {
      if (writers_[group] == nullptr || !writers_[group]->has_open_file()) continue;
      if (largest == writers_.size() || open_bytes_[group] > open_bytes_[largest]) largest = group;
    }
    ARROW_RETURN_NOT_OK(writers_[largest]->EncodeHeld());
    const int64_t encoded_bytes = writers_[largest]->buffered_bytes();
    if (encoded_bytes < open_bytes_[largest] && open_files_ <= kMaxOpenFiles) {
      total_open_bytes_ -= open_bytes_[largest] - encoded_bytes;
      open_bytes_[largest] = encoded_bytes;
      continue;
    }
    ARROW_RETURN_NOT_OK(writers_[largest]->CloseFile());
    --open_files_;
    total_open_bytes_ -= std::exchange(open_bytes_[largest], 0);
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<CommitMessagePtr>> AppendWriter::Finish() {
  ARROW_RETURN_NOT_OK(failure_);
  arrow::Result<std::vector<CommitMessagePtr>> messages = FinishFiles();
  failure_ = messages.status();
  return messages;
}

arrow::Result<std::vector<CommitMessagePtr>> AppendWriter::FinishFiles() {
  ARROW_RETURN_NOT_OK(FlushBuffer());
  // Everything is closed before anything is handed out: what a failure leaves is then this writer's to delete.
  for (const auto& writer : writers_) {
    if (writer != nullptr) ARROW_RETURN_NOT_OK(writer->CloseFile());
  }
  ARROW_RETURN_NOT_OK(SyncPendingDirectories());
  std::fill(open_bytes_.begin(), open_bytes_.end(), 0);
  total_open_bytes_ = open_files_ = 0;
  std::vector<CommitMessagePtr> messages;
  for (const auto& writer : writers_) {
    if (writer == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(std::vector<DataFileMeta> files, writer->TakeFiles());
    if (files.empty()) continue;
    auto message = std::make_shared<CommitMessage>();
    message->partition = writer->id().partition;
    message->bucket = writer->id().bucket;
    message->total_buckets = writer->id().total_buckets;
    message->new_files = std::move(files);
    messages.push_back(std::move(message));
  }
  return messages;
}

arrow::Result<std::unique_ptr<Writer>> MakeAppendWriter(TableContext context, const WriteOptions& options) {
  return AppendWriter::Make(std::move(context), options);
}

}  // namespace bactrian
