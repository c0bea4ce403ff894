#include "link_files.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <filesystem>
#include <memory>

#include "bactrian/data_type.h"
#include "bactrian/format/column_stats.h"
#include "bactrian/format/file_format.h"
#include "bactrian/table/table_context.h"
#include "bactrian/table/write/append_file_meta.h"
#include "bactrian/table/write/commit_message.h"
#include "bactrian/types/binary_row.h"
#include "failure.h"

namespace bactrian::cli {

namespace {

namespace fs = std::filesystem;

/// All statistics of a file, by reading it: a footer's bounds may be cut short or missing.
FileWriteResult ReadStatistics(const TableContext& context, const std::string& path, Progress& progress) {
  FileWriteResult result;
  result.size = static_cast<int64_t>(fs::file_size(path));
  const FileFormat* format = ValueOrFail(FormatOfFile(path));
  const auto file = ValueOrFail(format->Open(context.store, path, result.size));
  const std::vector<Field>& fields = context.schema->fields;
  const auto batches = ValueOrFail(file->Read({.fields = fields, .pool = context.pool}));
  std::vector<std::unique_ptr<ColumnStatsCollector>> collectors;
  collectors.reserve(fields.size());
  for (const Field& field : fields) collectors.push_back(ColumnStatsCollector::Make(*field.type));
  for (std::shared_ptr<arrow::RecordBatch> batch; CheckOk(batches->ReadNext(&batch)), batch != nullptr;) {
    for (size_t i = 0; i < collectors.size(); ++i) collectors[i]->Update(*batch->column(static_cast<int>(i)));
    result.num_rows += batch->num_rows();
    progress.Add(batch->num_rows());
  }
  for (const auto& collector : collectors) result.columns.push_back(collector->Finish());
  return result;
}

DataFileMeta MakeMeta(const TableContext& context, std::string name, const FileWriteResult& file) {
  const std::vector<StatsMode> modes = ValueOrFail(StatsModes(*context.schema));
  ValueStats stats = ValueOrFail(MakeValueStats(context.schema->fields, modes, file.columns, /*dense=*/true));
  return MakeAppendFileMeta(std::move(name), file, std::move(stats), context.schema->id, /*first_sequence=*/0,
                            FileSource::kAppend);
}

void LinkOrCopy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(fs::canonical(from), to, error);
  if (error) fs::copy_file(from, to, error);
  if (error) throw Failure(from.string() + ": cannot be linked or copied to " + to.string() + ": " + error.message());
}

}  // namespace

std::vector<CommitMessagePtr> LinkFiles(Table& table, const std::vector<std::string>& files, Progress& progress) {
  const TableContext& context = *table.context();
  if (!context.schema->partition_keys.empty()) throw Failure("files can be linked into an unpartitioned table only");
  auto message = std::make_shared<CommitMessage>();
  message->partition = std::string(EmptySerializedRow());
  const fs::path folder = fs::path(table.path()) / "bucket-0";
  fs::create_directories(folder);
  const std::string prefix = "data-" + NewUuid() + "-";
  try {
    for (const std::string& file : files) {
      std::string name = prefix + std::to_string(message->new_files.size()) + fs::path(file).extension().string();
      DataFileMeta meta = MakeMeta(context, name, ReadStatistics(context, fs::absolute(file).string(), progress));
      LinkOrCopy(file, folder / name);
      message->new_files.push_back(std::move(meta));
    }
  } catch (...) {
    for (const DataFileMeta& meta : message->new_files) fs::remove(folder / meta.file_name);
    throw;
  }
  return {message};
}

}  // namespace bactrian::cli
