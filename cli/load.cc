#include "load.h"

#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "bactrian/bactrian.h"
#include "failure.h"
#include "link_files.h"
#include "progress.h"

namespace bactrian::cli {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kBatchRows = 64 << 10;

std::vector<std::string> ListFiles(const std::vector<std::string>& sources) {
  std::vector<std::string> files;
  for (const std::string& source : sources) {
    if (!fs::exists(source)) throw Failure("no file or folder " + source);
    if (!fs::is_directory(source)) {
      files.push_back(source);
      continue;
    }
    const size_t first = files.size();
    for (const auto& entry : fs::directory_iterator(source)) {
      if (entry.is_regular_file() && entry.path().extension() == ".parquet") files.push_back(entry.path().string());
    }
    if (files.size() == first) throw Failure("no *.parquet in the folder " + source);
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

std::unique_ptr<parquet::arrow::FileReader> OpenParquet(const std::string& path) {
  const auto file = ValueOrFail(arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_batch_size(kBatchRows);
  parquet::arrow::FileReaderBuilder builder;
  arrow::Status status = builder.Open(file);
  if (!status.ok()) throw Failure(path + ": " + status.message());
  std::unique_ptr<parquet::arrow::FileReader> reader;
  CheckOk(builder.properties(properties)->Build(&reader));
  return reader;
}

/// A row group of one of the files.
struct RowGroup {
  size_t file;
  int index;
  int64_t rows;
};

/// Cuts the row groups, in order, into at most `parts` runs of about the same number of rows.
std::vector<std::vector<RowGroup>> Cut(const std::vector<RowGroup>& groups, size_t parts) {
  int64_t total = 0;
  for (const RowGroup& group : groups) total += group.rows;
  std::vector<std::vector<RowGroup>> runs(1);
  int64_t done = 0;
  for (const RowGroup& group : groups) {
    if (runs.size() < parts && !runs.back().empty() &&
        done * static_cast<int64_t>(parts) >= total * static_cast<int64_t>(runs.size())) {
      runs.emplace_back();
    }
    runs.back().push_back(group);
    done += group.rows;
  }
  return runs;
}

Schema MakeSchema(const arrow::Schema& file_schema, const LoadRequest& request) {
  Schema schema;
  for (const auto& field : file_schema.fields()) {
    arrow::Result<TypePtr> type = FromArrowType(*field->type(), field->nullable());
    if (!type.ok()) throw Failure("column \"" + field->name() + "\": " + type.status().message());
    schema.fields.push_back({.name = field->name(), .type = *type});
  }
  schema.partition_keys = request.partition_keys;
  schema.options = request.options;
  return schema;
}

bool SameColumns(const TableSchema& table, const Schema& wanted) {
  return std::equal(table.fields.begin(), table.fields.end(), wanted.fields.begin(), wanted.fields.end(),
                    [](const Field& a, const Field& b) { return a.name == b.name && a.type->EqualsIgnoreNullable(*b.type); });
}

/// Reads a run of row groups of one file after the other into a writer of its own.
std::vector<CommitMessagePtr> WriteRun(Table& table, const WriteOptions& options, const std::vector<std::string>& files,
                                       const std::vector<RowGroup>& run, Progress& progress) {
  std::unique_ptr<Writer> writer = ValueOrFail(table.NewWriter(options));
  for (size_t i = 0; i < run.size();) {
    std::vector<int> indices;
    const size_t file = run[i].file;
    for (; i < run.size() && run[i].file == file; ++i) indices.push_back(run[i].index);
    const auto reader = OpenParquet(files[file]);
    const std::shared_ptr<arrow::RecordBatchReader> batches = ValueOrFail(reader->GetRecordBatchReader(indices));
    for (std::shared_ptr<arrow::RecordBatch> batch; CheckOk(batches->ReadNext(&batch)), batch != nullptr;) {
      arrow::Status status = writer->Write(*batch);
      if (!status.ok()) throw Failure(files[file] + ": " + status.message());
      progress.Add(batch->num_rows());
    }
  }
  return ValueOrFail(writer->Finish());
}

/// All runs at once, a thread each; the messages in the order of the runs. Throws the first failure, with nothing left behind.
std::vector<CommitMessagePtr> WriteRuns(Table& table, int64_t memory_limit_bytes, const std::vector<std::string>& files,
                                        const std::vector<std::vector<RowGroup>>& runs, Progress& progress) {
  WriteOptions options;
  if (memory_limit_bytes > 0) options.buffer_bytes = memory_limit_bytes / static_cast<int64_t>(runs.size());
  std::vector<std::vector<CommitMessagePtr>> written(runs.size());
  std::vector<std::exception_ptr> failures(runs.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < runs.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        written[i] = WriteRun(table, options, files, runs[i], progress);
      } catch (const std::exception&) {  // Failure, or Parquet's own
        failures[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<CommitMessagePtr> messages;
  for (const auto& part : written) messages.insert(messages.end(), part.begin(), part.end());
  for (const std::exception_ptr& failure : failures) {
    if (failure == nullptr) continue;
    (void)ValueOrFail(table.NewCommitter())->Abort(messages);
    std::rethrow_exception(failure);
  }
  return messages;
}

}  // namespace

LoadReport Load(const LoadRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const Identifier identifier = ValueOrFail(Identifier::Parse(request.table));
  const std::shared_ptr<Session> session = ValueOrFail(Session::Make({}));
  const std::shared_ptr<Catalog> catalog =
      ValueOrFail(session->OpenCatalog({.warehouse = request.warehouse, .options = {}, .read_only = false}));

  LoadReport report{.status = "loaded"};
  arrow::Result<std::shared_ptr<Table>> existing = catalog->GetTable(identifier);
  if (!existing.ok() && KindOf(existing.status()) != ErrorKind::kNotFound) CheckOk(existing.status());
  if (existing.ok() && request.if_exists == IfExists::kError) {
    throw Failure("table " + request.table + " exists (--if-exists skip or overwrite)");
  }
  if (existing.ok() && request.if_exists == IfExists::kSkip) {
    report.status = "skipped";
    return report;
  }

  const std::vector<std::string> files = ListFiles(request.sources);
  std::vector<RowGroup> groups;
  std::shared_ptr<arrow::Schema> file_schema;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto reader = OpenParquet(files[i]);
    if (file_schema == nullptr) CheckOk(reader->GetSchema(&file_schema));
    for (int g = 0; g < reader->num_row_groups(); ++g) {
      groups.push_back({i, g, reader->parquet_reader()->metadata()->RowGroup(g)->num_rows()});
      report.rows += groups.back().rows;
    }
  }
  const Schema schema = MakeSchema(*file_schema, request);

  const bool existed = existing.ok();
  bool overwrite = existed;
  if (existed && !SameColumns(*(*existing)->schema(), schema)) {
    CheckOk(catalog->DropTable(identifier, /*ignore_if_missing=*/true));
    overwrite = false;
  }
  if (!overwrite) {
    CheckOk(catalog->CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
    CheckOk(catalog->CreateTable(identifier, schema));
  }
  bool keep = overwrite;
  try {
    const std::shared_ptr<Table> table = ValueOrFail(catalog->GetTable(identifier));
    Progress progress(request.table, report.rows);
    const size_t threads =
        request.threads > 0 ? static_cast<size_t>(request.threads) : std::max(1U, std::thread::hardware_concurrency());
    const std::vector<CommitMessagePtr> messages =
        request.link ? LinkFiles(*table, files, progress)
                     : WriteRuns(*table, request.memory_limit_bytes, files, Cut(groups, threads), progress);
    const std::unique_ptr<Committer> committer = ValueOrFail(table->NewCommitter());
    const arrow::Status status = (overwrite ? committer->Overwrite(messages) : committer->Commit(messages)).status();
    if (!status.ok() && KindOf(status) == ErrorKind::kCommitOutcomeUnknown) {
      keep = true;  // the snapshot may live: its files and its table stay
    } else if (!status.ok()) {
      (void)committer->Abort(messages);
    }
    CheckOk(status);
  } catch (const std::exception& error) {
    if (!keep) (void)catalog->DropTable(identifier, /*ignore_if_missing=*/true);
    throw Failure(error.what());
  }
  if (existed) report.status = "overwritten";
  report.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace bactrian::cli
