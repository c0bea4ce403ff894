#include "tpcds_run.h"

#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "duckdb/common/error_data.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/pending_query_result.hpp"
#include "duckdb/main/profiling_node.hpp"
#include "failure.h"
#include "tpcds_result.h"

namespace bactrian::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kLastQuery = 99;

double Milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

/// Of this process and all of its threads.
double CpuMilliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto millis = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return millis(usage.ru_utime) + millis(usage.ru_stime);
}

/// Bytes that this process got from files, be they in the system's cache or not. (DuckDB's own figure misses most of what its
/// Parquet reader reads.)
int64_t BytesRead() {
  std::ifstream in("/proc/self/io");
  std::string name;
  int64_t bytes = 0;
  return in >> name >> bytes && name == "rchar:" ? bytes : 0;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  if (!in) throw Failure("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void Execute(Engine& engine, const std::string& sql) {
  engine.Run(sql, [](duckdb::QueryResult&) {});
}

/// How many files the tables have and their bytes.
Json Size(int64_t files, int64_t bytes) { return {{"files", files}, {"bytes", bytes}}; }

/// Makes the tables the ones that bare names mean.
Json UsePaimon(Engine& engine, const std::string& database) {
  Execute(engine, std::string("USE ") + kCatalogName + "." + QuoteIdentifier(database));
  int64_t files = 0, bytes = 0;
  std::vector<std::string> tables;
  engine.Run("SELECT table_name FROM duckdb_tables() WHERE database_name = " + QuoteText(kCatalogName) +
                 " AND schema_name = " + QuoteText(database),
             [&](duckdb::QueryResult& result) {
               for (const auto& row : result) tables.push_back(row.GetValue<std::string>(0));
             });
  if (tables.empty()) throw Failure("no tables in the database \"" + database + "\"");
  for (const std::string& table : tables) {
    engine.Run("SELECT count(*), coalesce(sum(file_size_in_bytes), 0)::BIGINT FROM " +
                   QualifiedTable(database + "." + table, "$files"),
               [&](duckdb::QueryResult& result) {
                 for (const auto& row : result) {
                   files += row.GetValue<int64_t>(0);
                   bytes += row.GetValue<int64_t>(1);
                 }
               });
  }
  return Size(files, bytes);
}

Json UseParquet(Engine& engine, const std::string& data) {
  int64_t files = 0, bytes = 0;
  if (!fs::is_directory(data)) throw Failure("no folder " + data);
  for (const auto& entry : fs::directory_iterator(data)) {
    if (entry.path().extension() != ".parquet") continue;
    const std::string path = fs::absolute(entry.path()).string();
    Execute(engine, "CREATE VIEW " + QuoteIdentifier(entry.path().stem().string()) + " AS FROM read_parquet(" +
                        QuoteText(entry.is_directory() ? path + "/*.parquet" : path) + ")");
    const auto add = [&](const fs::directory_entry& file) {
      ++files;
      bytes += static_cast<int64_t>(file.file_size());
    };
    if (!entry.is_directory()) {
      add(entry);
      continue;
    }
    for (const auto& file : fs::directory_iterator(entry.path())) add(file);
  }
  if (files == 0) throw Failure("no *.parquet in the folder " + data);
  return Size(files, bytes);
}

/// A figure that DuckDB kept of the last query.
int64_t Metric(const duckdb::ProfilingNode& root, duckdb::MetricType metric) {
  const auto& metrics = root.GetProfilingInfo().metrics;
  const auto found = metrics.find(metric);
  return found == metrics.end() ? 0 : found->second.GetValue<int64_t>();
}

/// One iteration of one query. Throws what DuckDB throws.
Json RunOnce(duckdb::Connection& connection, const std::string& sql) {
  auto statements = connection.ExtractStatements(sql);
  if (statements.size() != 1) throw Failure("a query of the benchmark is one statement");
  const auto statement = statements[0]->Copy();
  const double cpu = CpuMilliseconds();
  const int64_t bytes_read = BytesRead();
  const auto start = Clock::now();
  auto pending = connection.PendingQuery(std::move(statements[0]), /*allow_stream_result=*/false);
  const auto planned = Clock::now();
  if (pending->HasError()) pending->ThrowError();
  auto result = pending->Execute();
  const auto end = Clock::now();
  if (result->HasError()) result->ThrowError();
  Json run{{"planning_ms", Milliseconds(planned - start)},
           {"execution_ms", Milliseconds(end - planned)},
           {"total_ms", Milliseconds(end - start)},
           {"cpu_ms", CpuMilliseconds() - cpu},
           {"bytes_read", BytesRead() - bytes_read}};
  const ResultDigest digest = DigestOf(*statement, result->Cast<duckdb::MaterializedQueryResult>());
  run["rows"] = digest.rows;
  run["hash"] = digest.hash;
  if (const auto profile = connection.GetProfilingTree()) {
    run["spilled_bytes"] = Metric(*profile, duckdb::MetricType::SYSTEM_PEAK_TEMP_DIR_SIZE);
    run["peak_memory_bytes"] = Metric(*profile, duckdb::MetricType::SYSTEM_PEAK_BUFFER_MEMORY);
  }
  return run;
}

Json RunQuery(duckdb::Connection& connection, const TpcdsRun& run, int number) {
  Json query{{"query", number}, {"warmup", Json::array()}, {"runs", Json::array()}};
  try {
    const std::string sql = ReadFile(fs::path(run.queries) / ("q" + std::to_string(number) + ".sql"));
    for (int i = 0; i < run.warmup + run.iterations; ++i) {
      query[i < run.warmup ? "warmup" : "runs"].push_back(RunOnce(connection, sql));
    }
  } catch (const Failure& failure) {
    query["error"] = failure.what();
  } catch (const std::exception& error) {
    query["error"] = duckdb::ErrorData(error).Message();
  }
  return query;
}

void Report(const Json& query) {
  std::printf("q%-3d", query["query"].get<int>());
  if (query.contains("error")) {
    std::printf(" FAILED: %s\n", query["error"].get<std::string>().c_str());
  } else {
    for (const Json& run : query["runs"]) std::printf(" %9.1f ms", run["execution_ms"].get<double>());
    if (!query["runs"].empty()) std::printf("  %lld rows", query["runs"][0]["rows"].get<long long>());
    std::printf("\n");
  }
  std::fflush(stdout);
}

void WriteFile(const std::string& path, const Json& json) {
  const std::string partial = path + ".partial";
  std::ofstream(partial) << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
  std::error_code error;
  fs::rename(partial, path, error);
  if (error) throw Failure("cannot write " + path + ": " + error.message());
}

/// Only what costs nothing while a query runs: no timings of operators.
constexpr char kProfiling[] =
    "SET enable_profiling = 'no_output'; SET custom_profiling_settings = '{"
    "\"SYSTEM_PEAK_BUFFER_MEMORY\": \"true\", \"SYSTEM_PEAK_TEMP_DIR_SIZE\": \"true\"}'";

}  // namespace

std::vector<int> ParseQueryNumbers(const std::string& text) {
  std::set<int> numbers;
  const char* position = text.data();
  const char* const end = position + text.size();
  const auto number = [&] {
    int value = 0;
    const auto [next, error] = std::from_chars(position, end, value);
    if (error != std::errc() || value < 1 || value > kLastQuery) throw Failure("no queries \"" + text + "\" (as in 1-10,12)");
    position = next;
    return value;
  };
  do {
    const int first = number();
    int last = first;
    if (position != end && *position == '-') {
      ++position;
      last = number();
    }
    for (int i = first; i <= last; ++i) numbers.insert(i);
    if (position != end && *position != ',') throw Failure("no queries \"" + text + "\" (as in 1-10,12)");
  } while (position++ != end);
  return {numbers.begin(), numbers.end()};
}

bool RunTpcds(const TpcdsRun& run) {
  const bool paimon = run.source == TpcdsSource::kPaimon;
  Engine::Options options = run.engine;
  options.read_only = true;
  if (!paimon) options.warehouse.clear();
  Engine engine(options);
  Json report{{"source", paimon ? "paimon" : "parquet"},
              {"duckdb", duckdb::DuckDB::LibraryVersion()},
              {"threads", options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency())},
              {"memory_limit_gib", options.memory_limit_gib}};
  report["data"] = paimon ? UsePaimon(engine, run.database) : UseParquet(engine, run.data);
  report["queries"] = Json::array();
  Execute(engine, kProfiling);
  bool succeeded = true;
  for (const int number : run.numbers) {
    report["queries"].push_back(RunQuery(engine.connection(), run, number));
    succeeded &= !report["queries"].back().contains("error");
    Report(report["queries"].back());
    WriteFile(run.output, report);
  }
  return succeeded;
}

}  // namespace bactrian::cli
