// Writing, committing and compacting through the public API. Prints {"seconds":…,"cpu":…,"rows":…,"bytes":…} for bench/run.py.
//   bactrian_write_bench write SOURCE TABLE_PATH [--partition COLUMN] [--threads N] [--option KEY=VALUE]…
//       a new table with the rows of a Parquet file, a writer a thread, one commit
//   bactrian_write_bench commit TABLE_PATH [--commits N]
//       N commits of one row each, one after the other, to a table that is made if it is not there
//   bactrian_write_bench compact TABLE_PATH
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "bactrian/bactrian.h"

namespace bactrian {
namespace {

struct Arguments {
  std::vector<std::string> positional;
  std::vector<std::string> partition_keys;
  Options table_options;
  int threads = 2;
  int64_t commits = 100;
};

class Stopwatch {
 public:
  void Print(int64_t rows, int64_t bytes) const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    std::printf("{\"seconds\":%.6f,\"cpu\":%.6f,\"rows\":%lld,\"bytes\":%lld}\n", seconds.count(), CpuSeconds() - cpu_,
                static_cast<long long>(rows), static_cast<long long>(bytes));
    std::fflush(stdout);
  }

 private:
  static double CpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const double cpu_ = CpuSeconds();
};

/// Of the Parquet files below a folder.
int64_t DataBytes(const std::string& table_path) {
  int64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(table_path)) {
    if (entry.path().extension() == ".parquet") bytes += static_cast<int64_t>(entry.file_size());
  }
  return bytes;
}

/// The table of "<warehouse>/<database>.db/<table>", made if it is not there.
arrow::Result<std::shared_ptr<Table>> MakeTable(const std::shared_ptr<Session>& session, const std::string& path,
                                                Schema schema) {
  const size_t slash = path.rfind('/'), database = path.rfind('/', slash - 1);
  ARROW_ASSIGN_OR_RAISE(auto catalog, session->OpenCatalog({.warehouse = path.substr(0, database)}));
  const std::string folder = path.substr(database + 1, slash - database - 1);
  const Identifier identifier{folder.substr(0, folder.rfind(".db")), path.substr(slash + 1)};
  ARROW_RETURN_NOT_OK(catalog->CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
  ARROW_RETURN_NOT_OK(catalog->CreateTable(identifier, std::move(schema), /*ignore_if_exists=*/true));
  return catalog->GetTable(identifier);
}

arrow::Result<std::unique_ptr<parquet::arrow::FileReader>> OpenParquet(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Open(std::move(file)));
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_batch_size(16384);
  builder.properties(properties);
  std::unique_ptr<parquet::arrow::FileReader> reader;
  ARROW_RETURN_NOT_OK(builder.Build(&reader));
  return reader;
}

arrow::Result<std::vector<CommitMessagePtr>> WriteRowGroups(Table& table, const std::string& source, std::vector<int> groups,
                                                            int64_t* rows) {
  ARROW_ASSIGN_OR_RAISE(auto parquet, OpenParquet(source));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet->GetRecordBatchReader(groups));
  ARROW_ASSIGN_OR_RAISE(auto writer, table.NewWriter());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
    if (batch == nullptr) return writer->Finish();
    *rows += batch->num_rows();
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
  }
}

arrow::Status RunWrite(const Arguments& arguments) {
  const std::string source = arguments.positional.at(1), path = arguments.positional.at(2);
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  ARROW_ASSIGN_OR_RAISE(auto parquet, OpenParquet(source));
  std::shared_ptr<arrow::Schema> arrow_schema;
  ARROW_RETURN_NOT_OK(parquet->GetSchema(&arrow_schema));
  Schema schema;
  for (const auto& field : arrow_schema->fields()) {
    ARROW_ASSIGN_OR_RAISE(TypePtr type, FromArrowType(*field->type()));
    schema.fields.push_back({.name = field->name(), .type = std::move(type)});
  }
  schema.partition_keys = arguments.partition_keys;
  schema.options = arguments.table_options;

  const Stopwatch stopwatch;
  ARROW_ASSIGN_OR_RAISE(auto table, MakeTable(session, path, std::move(schema)));
  const size_t num_threads = static_cast<size_t>(arguments.threads);
  std::vector<arrow::Result<std::vector<CommitMessagePtr>>> results(num_threads, std::vector<CommitMessagePtr>{});
  std::vector<int64_t> rows(num_threads);
  std::vector<std::thread> threads;
  const int num_groups = parquet->num_row_groups();
  for (size_t i = 0; i < num_threads; ++i) {
    std::vector<int> groups;
    for (int group = static_cast<int>(num_groups * i / num_threads);
         group < static_cast<int>(num_groups * (i + 1) / num_threads); ++group) {
      groups.push_back(group);
    }
    threads.emplace_back([&, i, groups] { results[i] = WriteRowGroups(*table, source, groups, &rows[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<CommitMessagePtr> messages;
  int64_t num_rows = 0;
  for (size_t i = 0; i < num_threads; ++i) {
    ARROW_RETURN_NOT_OK(results[i].status());
    messages.insert(messages.end(), results[i]->begin(), results[i]->end());
    num_rows += rows[i];
  }
  ARROW_ASSIGN_OR_RAISE(auto committer, table->NewCommitter());
  ARROW_RETURN_NOT_OK(committer->Commit(messages).status());
  stopwatch.Print(num_rows, DataBytes(path));
  return arrow::Status::OK();
}

arrow::Status RunCommits(const Arguments& arguments) {
  const std::string path = arguments.positional.at(1);
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  Schema schema;
  schema.fields.push_back({.name = "id", .type = DataType::Bigint()});
  ARROW_ASSIGN_OR_RAISE(auto table, MakeTable(session, path, std::move(schema)));
  arrow::Int64Builder ids;
  ARROW_RETURN_NOT_OK(ids.Append(1));
  ARROW_ASSIGN_OR_RAISE(auto array, ids.Finish());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64())}), 1, {array});
  const Stopwatch stopwatch;
  for (int64_t i = 0; i < arguments.commits; ++i) {
    ARROW_ASSIGN_OR_RAISE(auto writer, table->NewWriter());
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
    ARROW_ASSIGN_OR_RAISE(auto messages, writer->Finish());
    ARROW_ASSIGN_OR_RAISE(auto committer, table->NewCommitter());
    ARROW_RETURN_NOT_OK(committer->Commit(messages).status());
  }
  stopwatch.Print(arguments.commits, 0);
  return arrow::Status::OK();
}

arrow::Status RunCompaction(const Arguments& arguments) {
  const std::string path = arguments.positional.at(1);
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  // The table was cut into small files by an option, which must not cut the large ones.
  ARROW_ASSIGN_OR_RAISE(auto table, session->OpenTable(path, {{"target-file-row-num", "1000000000"}}));
  const Stopwatch stopwatch;
  ARROW_ASSIGN_OR_RAISE(const CompactResult result, Compact(table, {.full = true}));
  stopwatch.Print(result.files_before, result.files_after);
  return arrow::Status::OK();
}

arrow::Result<Arguments> Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      arguments.positional.push_back(word);
      continue;
    }
    if (++i == argc) return Invalid("option ", word, " needs a value");
    const std::string value = argv[i];
    if (word == "--partition") {
      arguments.partition_keys.push_back(value);
    } else if (word == "--threads") {
      arguments.threads = std::atoi(value.c_str());
    } else if (word == "--commits") {
      arguments.commits = std::atoll(value.c_str());
    } else if (word == "--option") {
      arguments.table_options[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
    } else {
      return Invalid("no option ", word);
    }
  }
  return arguments;
}

arrow::Status Run(int argc, char** argv) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_ASSIGN_OR_RAISE(const Arguments arguments, Parse(argc, argv));
  const size_t words = arguments.positional.size();
  const std::string what = words > 0 ? arguments.positional[0] : "";
  if (what == "write" && words == 3) return RunWrite(arguments);
  if (what == "commit" && words == 2) return RunCommits(arguments);
  if (what == "compact" && words == 2) return RunCompaction(arguments);
  return Invalid("usage: bactrian_write_bench write SOURCE TABLE_PATH | commit TABLE_PATH | compact TABLE_PATH");
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  const arrow::Status status = bactrian::Run(argc, argv);
  if (!status.ok()) std::cerr << "bactrian_write_bench: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
