// Point lookups. Prints one JSON line a figure, for bench/run.py.
//   bactrian_lookup_bench make WAREHOUSE TABLE ROWS
//     a table bench.TABLE of ROWS rows (keys 0, 3, 6, …) in one sorted run
//   bactrian_lookup_bench find TABLE_PATH ROWS LOOKUPS CACHE
//     single random keys, one in ten absent: in a new session (cold, the first of each), then again (warm)
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "bactrian/bactrian.h"
#include "key_value_table.h"
#include "measure.h"

namespace bactrian {
namespace {

constexpr int64_t kBatchRows = 65536, kFileRows = 2000000;

int64_t PeakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atoll(line.c_str() + 6) * 1024;
  }
  return 0;
}

std::vector<Field> TableFields() {
  return {{.name = "k", .type = DataType::Bigint(false)},
          {.name = "a", .type = DataType::Bigint()},
          {.name = "b", .type = DataType::Make(TypeRoot::kDouble)},
          {.name = "t", .type = DataType::String()}};
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeRows(int64_t begin, int64_t end) {
  arrow::Int64Builder keys, numbers, sequences;
  arrow::DoubleBuilder reals;
  arrow::StringBuilder texts;
  arrow::Int8Builder kinds;
  std::mt19937_64 random(static_cast<uint64_t>(begin));
  for (int64_t i = begin; i < end; ++i) {
    ARROW_RETURN_NOT_OK(keys.Append(i * 3));
    ARROW_RETURN_NOT_OK(numbers.Append(static_cast<int64_t>(random() % 1000000)));
    ARROW_RETURN_NOT_OK(reals.Append(static_cast<double>(random() % 10000) / 7));
    ARROW_RETURN_NOT_OK(texts.Append("name " + std::to_string(random() % 100000)));
    ARROW_RETURN_NOT_OK(sequences.Append(i));
    ARROW_RETURN_NOT_OK(kinds.Append(0));
  }
  arrow::ArrayVector columns(6);
  ARROW_RETURN_NOT_OK(keys.Finish(&columns[0]));
  ARROW_RETURN_NOT_OK(numbers.Finish(&columns[1]));
  ARROW_RETURN_NOT_OK(reals.Finish(&columns[2]));
  ARROW_RETURN_NOT_OK(texts.Finish(&columns[3]));
  ARROW_RETURN_NOT_OK(sequences.Finish(&columns[4]));
  ARROW_RETURN_NOT_OK(kinds.Finish(&columns[5]));
  std::vector<Field> fields = TableFields();
  fields.push_back(SequenceNumberField());
  fields.push_back(ValueKindField());
  ARROW_ASSIGN_OR_RAISE(auto schema, ToArrowSchema(fields));
  return arrow::RecordBatch::Make(schema, end - begin, std::move(columns));
}

arrow::Status Make(const std::string& warehouse, const std::string& name, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  ARROW_ASSIGN_OR_RAISE(auto catalog, session->OpenCatalog({.warehouse = warehouse}));
  ARROW_RETURN_NOT_OK(catalog->CreateDatabase("bench", /*ignore_if_exists=*/true));
  Schema schema;
  schema.fields = TableFields();
  schema.primary_keys = {"k"};
  // Small pages: a lookup that finds nothing in the cache decodes one of each column.
  schema.options = {{"bucket", "1"}, {"parquet.page.row.count.limit", "1000"}, {"parquet.enable.dictionary", "false"}};
  ARROW_RETURN_NOT_OK(catalog->CreateTable({"bench", name}, schema));
  ARROW_ASSIGN_OR_RAISE(auto table, catalog->GetTable({"bench", name}));
  KeyValueTable files(table);
  for (int64_t first = 0; first < rows; first += kFileRows) {
    const int64_t last = std::min(first + kFileRows, rows);
    ARROW_RETURN_NOT_OK(files.AddFile(5, [&](int64_t i) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
      const int64_t begin = first + i * kBatchRows;
      if (begin >= last) return nullptr;
      return MakeRows(begin, std::min(begin + kBatchRows, last));
    }));
  }
  return files.Commit();
}

void Print(const char* what, std::vector<double> seconds, int64_t rows) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double part) {
    return 1e6 * seconds[static_cast<size_t>(part * static_cast<double>(seconds.size() - 1))];
  };
  std::printf("{\"what\":\"%s\",\"p50_us\":%.1f,\"p99_us\":%.1f,\"rows\":%lld,\"peak_bytes\":%lld}\n", what, at(0.5), at(0.99),
              static_cast<long long>(rows), static_cast<long long>(PeakBytes()));
}

arrow::Status Find(const std::string& path, int64_t rows, int64_t lookups, int64_t cache_bytes) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({.cache_bytes = cache_bytes}));
  const Stopwatch opening;
  ARROW_ASSIGN_OR_RAISE(auto table, session->OpenTable(path));
  ARROW_ASSIGN_OR_RAISE(auto lookup, table->NewLookup());
  std::printf("{\"what\":\"open\",\"p50_us\":%.1f,\"p99_us\":%.1f,\"rows\":0,\"peak_bytes\":%lld}\n", opening.seconds() * 1e6,
              opening.seconds() * 1e6, static_cast<long long>(PeakBytes()));
  std::mt19937_64 random(11);
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < lookups; ++i) {
    ARROW_RETURN_NOT_OK(builder.Append(static_cast<int64_t>(random() % rows) * 3 + (i % 10 == 0 ? 1 : 0)));
  }
  ARROW_ASSIGN_OR_RAISE(auto column, builder.Finish());
  const auto keys = arrow::RecordBatch::Make(lookup->key_schema(), lookups, arrow::ArrayVector{column});
  for (const char* what : {"cold", "warm"}) {
    std::vector<double> seconds;
    int64_t found_rows = 0;
    for (int64_t i = 0; i < lookups; ++i) {
      const auto key = keys->Slice(i, 1);
      const Stopwatch watch;
      ARROW_ASSIGN_OR_RAISE(FoundRows found, lookup->Find(*key));
      seconds.push_back(watch.seconds());
      found_rows += found.rows->num_rows();
    }
    if (found_rows != lookups - (lookups + 9) / 10) return Invalid("found ", found_rows, " rows of ", lookups, " keys");
    Print(what, std::move(seconds), found_rows);
  }
  // Many keys in one call.
  const Stopwatch watch;
  ARROW_ASSIGN_OR_RAISE(FoundRows found, lookup->Find(*keys));
  Print("a key of one batch", {watch.seconds() / static_cast<double>(lookups)}, found.rows->num_rows());
  return arrow::Status::OK();
}

arrow::Status Main(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "make") return Make(words[1], words[2], std::atoll(words[3].c_str()));
  if (words.size() == 5 && words[0] == "find") {
    return Find(words[1], std::atoll(words[2].c_str()), std::atoll(words[3].c_str()), std::atoll(words[4].c_str()));
  }
  return Invalid("usage: make WAREHOUSE TABLE ROWS | find TABLE_PATH ROWS LOOKUPS CACHE_BYTES");
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  const arrow::Status status = bactrian::Main({argv + 1, argv + argc});
  if (!status.ok()) std::cerr << "bactrian_lookup_bench: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
