// Merging by key. Prints one JSON line a figure, for bench/run.py.
//   bactrian_merge_bench memory SHAPE ROWS [ROUNDS]        the merge alone: columns in memory, no file
//   bactrian_merge_bench make WAREHOUSE TABLE SHAPE ROWS   a table bench.TABLE of the same runs, a file each
//   bactrian_merge_bench read TABLE_PATH merged|unmerged   scans it, or its files as those of an append table
// SHAPE: one (run), deltas (a base and three deltas of 5 %), or the number of interleaved runs without duplicates. All have a
// BIGINT key, eight BIGINT columns and two STRING columns.
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "bactrian/bactrian.h"
#include "bactrian/merge/merge_runs.h"
#include "bactrian/table/plan/data_split.h"
#include "key_value_table.h"
#include "measure.h"

namespace bactrian {
namespace {

constexpr int kNumbers = 8, kTexts = 2;
constexpr int64_t kBatchRows = 16384;

struct Run {
  std::vector<int64_t> keys = {};
  int64_t first_sequence = 0;
  int32_t level = 0;
};

arrow::Result<std::vector<Run>> MakeShape(const std::string& shape, int64_t rows) {
  std::vector<Run> runs;
  std::mt19937_64 random(7);
  if (shape == "one" || shape == "deltas") {
    Run base{.level = 5};
    for (int64_t i = 0; i < rows; ++i) base.keys.push_back(i * 2);
    runs.push_back(std::move(base));
    for (int64_t d = 1; shape == "deltas" && d <= 3; ++d) {
      Run delta{.first_sequence = d * 1000000000};
      for (int64_t i = 0; i < rows; ++i) {
        if (random() % 20 == 0) delta.keys.push_back(i * 2 + (random() % 4 == 0 ? 1 : 0));
      }
      runs.push_back(std::move(delta));
    }
    return runs;
  }
  const int64_t num_runs = std::atoll(shape.c_str());
  if (num_runs <= 0) return Invalid("no shape ", shape);
  for (int64_t r = 0; r < num_runs; ++r) {
    Run run{.first_sequence = r * 1000000000};
    for (int64_t key = r; key < rows; key += num_runs) run.keys.push_back(key);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<Field> TableFields() {
  std::vector<Field> fields = {{.name = "k", .type = DataType::Bigint(false)}};
  for (int i = 0; i < kNumbers; ++i) fields.push_back({.name = "n" + std::to_string(i), .type = DataType::Bigint()});
  for (int i = 0; i < kTexts; ++i) fields.push_back({.name = "t" + std::to_string(i), .type = DataType::String()});
  return fields;
}

/// Rows [begin, end) of a run: the table's columns, sequence number, kind.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeRows(const Run& run, int64_t begin, int64_t end) {
  std::mt19937_64 random(static_cast<uint64_t>(run.first_sequence + begin));
  arrow::ArrayVector columns;
  arrow::Int64Builder numbers;
  const auto number_column = [&](auto&& value) -> arrow::Status {
    for (int64_t i = begin; i < end; ++i) ARROW_RETURN_NOT_OK(numbers.Append(value(i)));
    return numbers.Finish(&columns.emplace_back());
  };
  ARROW_RETURN_NOT_OK(number_column([&](int64_t i) { return run.keys[i]; }));
  for (int c = 0; c < kNumbers; ++c) {
    ARROW_RETURN_NOT_OK(number_column([&](int64_t) { return static_cast<int64_t>(random() >> 20); }));
  }
  for (int c = 0; c < kTexts; ++c) {
    arrow::StringBuilder texts;
    char text[24];
    for (int64_t i = begin; i < end; ++i) {
      const int length = std::snprintf(text, sizeof(text), "v%016llx", static_cast<unsigned long long>(random()));
      ARROW_RETURN_NOT_OK(texts.Append(text, length));
    }
    ARROW_RETURN_NOT_OK(texts.Finish(&columns.emplace_back()));
  }
  ARROW_RETURN_NOT_OK(number_column([&](int64_t i) { return run.first_sequence + i; }));
  arrow::Int8Builder kinds;
  for (int64_t i = begin; i < end; ++i) ARROW_RETURN_NOT_OK(kinds.Append(0));
  ARROW_RETURN_NOT_OK(kinds.Finish(&columns.emplace_back()));
  std::vector<Field> fields = TableFields();
  fields.push_back(SequenceNumberField());
  fields.push_back(ValueKindField());
  ARROW_ASSIGN_OR_RAISE(auto schema, ToArrowSchema(fields));
  return arrow::RecordBatch::Make(schema, end - begin, std::move(columns));
}

arrow::Status Memory(const std::string& shape, int64_t rows, int rounds) {
  KeyValueLayout layout;
  layout.values = TableFields();
  for (size_t i = 0; i < layout.values.size(); ++i) layout.values[i].id = static_cast<int32_t>(i);
  layout.keys = {layout.values[0]};
  ARROW_ASSIGN_OR_RAISE(auto schema, layout.ArrowSchema());
  ARROW_ASSIGN_OR_RAISE(std::vector<Run> runs, MakeShape(shape, rows));
  std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>> batches(runs.size());
  int64_t input = 0;
  for (size_t r = 0; r < runs.size(); ++r) {
    const auto length = static_cast<int64_t>(runs[r].keys.size());
    input += length;
    for (int64_t begin = 0; begin < length; begin += kBatchRows) {
      ARROW_ASSIGN_OR_RAISE(auto batch, MakeRows(runs[r], begin, std::min(begin + kBatchRows, length)));
      const int last = batch->num_columns();
      arrow::ArrayVector columns = {batch->column(0), batch->column(last - 2), batch->column(last - 1)};
      for (int c = 0; c < last - 2; ++c) columns.push_back(batch->column(c));
      batches[r].push_back(arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns)));
    }
  }
  MergeOptions options;
  for (size_t v = 0; v < layout.values.size(); ++v) options.output_columns.push_back(layout.value_index(static_cast<int>(v)));
  for (int round = 0; round < rounds; ++round) {
    std::vector<SortedRun> sorted;
    for (size_t r = 0; r < runs.size(); ++r) {
      ARROW_ASSIGN_OR_RAISE(auto reader, arrow::RecordBatchReader::Make(batches[r], schema));
      sorted.push_back({std::move(reader), runs[r].level});
    }
    const Stopwatch watch;
    ARROW_ASSIGN_OR_RAISE(auto merged, MergeRuns(layout, std::move(sorted), MakeDeduplicate(layout, false), options));
    int64_t output = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, merged->Next());
      if (batch == nullptr) break;
      output += batch->num_rows();
    }
    const double cpu = watch.cpu();
    std::printf("{\"seconds\":%.6f,\"cpu\":%.6f,\"rows\":%lld,\"input\":%lld,\"ns\":%.1f,\"mrows\":%.2f}\n", watch.seconds(),
                cpu, static_cast<long long>(output), static_cast<long long>(input), cpu * 1e9 / static_cast<double>(input),
                static_cast<double>(input) / cpu / 1e6);
  }
  return arrow::Status::OK();
}

arrow::Status Make(const std::string& warehouse, const std::string& name, const std::string& shape, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  ARROW_ASSIGN_OR_RAISE(auto catalog, session->OpenCatalog({.warehouse = warehouse}));
  ARROW_RETURN_NOT_OK(catalog->CreateDatabase("bench", /*ignore_if_exists=*/true));
  Schema schema;
  schema.fields = TableFields();
  schema.primary_keys = {"k"};
  schema.options = {{"bucket", "1"}};
  ARROW_RETURN_NOT_OK(catalog->CreateTable({"bench", name}, schema));
  ARROW_ASSIGN_OR_RAISE(auto table, catalog->GetTable({"bench", name}));
  ARROW_ASSIGN_OR_RAISE(std::vector<Run> runs, MakeShape(shape, rows));
  KeyValueTable files(table);
  for (const Run& run : runs) {
    const auto length = static_cast<int64_t>(run.keys.size());
    ARROW_RETURN_NOT_OK(files.AddFile(run.level, [&](int64_t i) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
      const int64_t begin = i * kBatchRows;
      if (begin >= length) return nullptr;
      return MakeRows(run, begin, std::min(begin + kBatchRows, length));
    }));
  }
  return files.Commit();
}

arrow::Status Read(const std::string& path, bool merged) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  ARROW_ASSIGN_OR_RAISE(auto table, session->OpenTable(path));
  const Stopwatch watch;
  ARROW_ASSIGN_OR_RAISE(auto plan, table->NewScan().MakePlan());
  int64_t rows = 0;
  for (const auto& split : plan->splits()) {
    // A lone run is merged too, to see what that costs beside reading it as it is.
    DataSplit as_asked = static_cast<const DataSplit&>(*split);
    as_asked.raw = !merged;
    ARROW_ASSIGN_OR_RAISE(auto reader, plan->Read(as_asked));
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
      if (batch == nullptr) break;
      rows += batch->num_rows();
    }
  }
  std::printf("{\"seconds\":%.6f,\"cpu\":%.6f,\"rows\":%lld}\n", watch.seconds(), watch.cpu(), static_cast<long long>(rows));
  return arrow::Status::OK();
}

arrow::Status Main(const std::vector<std::string>& words) {
  if (words.size() >= 3 && words[0] == "memory") {
    return Memory(words[1], std::atoll(words[2].c_str()), words.size() > 3 ? std::atoi(words[3].c_str()) : 3);
  }
  if (words.size() == 5 && words[0] == "make") return Make(words[1], words[2], words[3], std::atoll(words[4].c_str()));
  if (words.size() == 3 && words[0] == "read") return Read(words[1], words[2] == "merged");
  return Invalid("usage: memory SHAPE ROWS [ROUNDS] | make WAREHOUSE TABLE SHAPE ROWS | read TABLE_PATH merged|unmerged");
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  const arrow::Status status = bactrian::Main({argv + 1, argv + argc});
  if (!status.ok()) std::cerr << "bactrian_merge_bench: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
