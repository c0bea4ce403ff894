// Whatever predicate, selection, batch size and pruning: the rows are those of a naive filter over a plain scan.
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <parquet/file_reader.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "bactrian/expr/array_value.h"
#include "bactrian/expr/evaluate.h"
#include "parquet_test_files.h"

namespace bactrian {
namespace {

std::shared_ptr<arrow::RecordBatch> ReadAll(const FileHandle& handle, const ReadRequest& request, int64_t* largest_batch) {
  const auto reader = handle.Read(request).ValueOrDie();
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    const arrow::Status status = reader->ReadNext(&batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok() || !batch) break;
    EXPECT_GT(batch->num_rows(), 0);
    *largest_batch = std::max(*largest_batch, batch->num_rows());
    batches.push_back(batch);
  }
  return arrow::Table::FromRecordBatches(reader->schema(), batches).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
}

/// Random predicates with literals taken from the data, or near them.
class PredicateMaker {
 public:
  PredicateMaker(const arrow::RecordBatch& data, std::vector<Field> fields, uint32_t seed)
      : data_(data), fields_(std::move(fields)), random_(seed) {}

  PredicatePtr Make(int depth) {
    if (depth > 0 && Below(3) > 0) {
      std::vector<PredicatePtr> children;
      for (uint32_t i = 0; i < 2 + Below(2); ++i) children.push_back(Make(depth - 1));
      return Below(2) == 0 ? Predicate::And(children) : Predicate::Or(children);
    }
    const size_t column = Below(static_cast<uint32_t>(fields_.size()));
    const Field& field = fields_[column];
    switch (Below(10)) {
      case 0:
        return Predicate::Compare(PredicateOp::kIsNull, field.name);
      case 1:
        return Predicate::Compare(PredicateOp::kIsNotNull, field.name);
      case 2:
      case 3: {
        std::vector<Value> literals;
        for (uint32_t i = 0; i <= Below(4); ++i) literals.push_back(Literal(column));
        return Predicate::Compare(Below(3) == 0 ? PredicateOp::kNotIn : PredicateOp::kIn, field.name, literals);
      }
      case 4:
        if (field.type->is_string()) {
          const PredicateOp ops[] = {PredicateOp::kStartsWith, PredicateOp::kEndsWith, PredicateOp::kContains,
                                     PredicateOp::kLike};
          const Value literal = Literal(column);
          std::string text = IsNull(literal) ? "" : std::get<std::string>(literal).substr(0, 1 + Below(4));
          const PredicateOp op = ops[Below(4)];
          return Predicate::Compare(op, field.name, {Value(op == PredicateOp::kLike ? text + "%" : text)});
        }
        [[fallthrough]];
      default: {
        const PredicateOp ops[] = {PredicateOp::kEqual,       PredicateOp::kNotEqual, PredicateOp::kLess,
                                   PredicateOp::kLessOrEqual, PredicateOp::kGreater,  PredicateOp::kGreaterOrEqual};
        return Predicate::Compare(ops[Below(6)], field.name, {Literal(column)});
      }
    }
  }

  uint32_t Below(uint32_t n) { return random_() % n; }

 private:
  Value Literal(size_t column) {
    Value value = ValueAt(*data_.column(static_cast<int>(column)), Below(data_.num_rows()), *fields_[column].type);
    if (Below(3) > 0) return value;
    if (auto* integer = std::get_if<int64_t>(&value)) *integer += static_cast<int64_t>(Below(3)) - 1;
    if (auto* number = std::get_if<double>(&value)) *number += 0.5;
    if (auto* text = std::get_if<std::string>(&value)) *text += "a";
    if (auto* time = std::get_if<TimestampValue>(&value)) time->millis += 1;
    return value;
  }

  const arrow::RecordBatch& data_;
  const std::vector<Field> fields_;
  std::mt19937 random_;
};

RowRanges RandomSelection(PredicateMaker& random, int64_t num_rows) {
  RowRanges rows;
  const uint32_t stride = 1 + random.Below(200);
  for (int64_t row = random.Below(stride); row < num_rows;) {
    const int64_t end = std::min<int64_t>(num_rows, row + 1 + random.Below(stride));
    rows.Append({row, end});
    row = end + 1 + random.Below(stride);
  }
  return rows;
}

/// `num_atomic`: leading fields that predicates are made of.
void ExpectPruningNeverChangesRows(const std::string& path, const std::vector<Field>& fields, size_t num_atomic, int rounds,
                                   uint32_t seed) {
  SCOPED_TRACE(path);
  ASSERT_OK_AND_ASSIGN(const auto handle, OpenParquet(path));
  const std::vector<Field> atomic(fields.begin(), fields.begin() + num_atomic);
  int64_t largest = 0;
  const auto all = ReadAll(*handle, {.fields = fields, .position_column = "_POS"}, &largest);
  const auto all_views = ReadAll(*handle, {.fields = fields, .position_column = "_POS", .string_views = true}, &largest);
  ASSERT_EQ(all->num_rows(), handle->num_rows());
  PredicateMaker random(*all, atomic, seed);
  int64_t total = 0;
  for (int round = 0; round < rounds; ++round) {
    const PredicatePtr predicate = random.Make(2);
    SCOPED_TRACE(predicate->ToString());
    ReadRequest request{.fields = {}, .predicate = predicate, .predicate_fields = atomic, .position_column = "_POS"};
    request.batch_rows = 1 + random.Below(300);
    request.string_views = random.Below(2) == 0;
    request.pruning = {.row_groups = random.Below(4) > 0,
                       .pages = random.Below(4) > 0,
                       .bloom_filters = random.Below(4) > 0,
                       .late_materialization = random.Below(4) > 0};
    if (random.Below(2) == 0) request.selection = RandomSelection(random, all->num_rows());
    std::vector<int> columns;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (random.Below(3) == 0) {
        request.fields.push_back(fields[i]);
        columns.push_back(static_cast<int>(i));
      }
    }
    columns.push_back(static_cast<int>(fields.size()));

    std::vector<uint8_t> mask(all->num_rows());
    const auto bound = BoundPredicate::Bind(predicate, fields);
    ASSERT_OK(bound);
    ASSERT_OK((*bound)->Evaluate(*all, mask.data()));
    if (request.selection) {
      const RowRanges left_out = request.selection->Complement(all->num_rows());
      for (const RowRange& range : left_out.ranges()) {
        std::fill(mask.begin() + range.begin, mask.begin() + range.end, 0);
      }
    }
    const auto& base = request.string_views ? all_views : all;
    const auto projected = base->SelectColumns(columns);
    ASSERT_OK(projected);
    const auto expected = FilterByMask(*projected, mask.data(), arrow::default_memory_pool());
    ASSERT_OK(expected);
    largest = 0;
    const auto actual = ReadAll(*handle, request, &largest);
    EXPECT_LE(largest, request.batch_rows);
    ASSERT_EQ(actual->num_rows(), (*expected)->num_rows());
    ASSERT_TRUE(actual->Equals(**expected, false, arrow::EqualOptions::Defaults().nans_equal(true)))
        << actual->ToString().substr(0, 3000) << "\n but expected\n"
        << (*expected)->ToString().substr(0, 3000);
    total += actual->num_rows();
  }
  EXPECT_GT(total, 0) << "no predicate ever matched";
}

TEST(ParquetPruning, NeverChangesRowsOfForeignFiles) {
  uint32_t seed = 1;
  for (const char* name :
       {"pyarrow_dictionary", "pyarrow_v2_delta", "pyarrow_int96_no_index", "pyarrow_legacy", "duckdb_v1", "duckdb_v2"}) {
    ExpectPruningNeverChangesRows(ParquetTestFile(std::string("foreign/") + name + ".parquet"), ForeignFields(), 12, 300,
                                  seed++);
    if (HasFatalFailure()) return;
  }
}

class ParquetOwnFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  /// Rows that are nearly sorted by id, so that pages differ; written with small pages and row groups.
  void WriteRows(int64_t num_rows, const Options& options) {
    fields_ = {};
    for (const auto& [name, type] : std::vector<std::pair<std::string, std::string>>{{"id", "BIGINT NOT NULL"},
                                                                                     {"small", "SMALLINT"},
                                                                                     {"d", "DOUBLE"},
                                                                                     {"s", "STRING"},
                                                                                     {"dec", "DECIMAL(12, 3)"},
                                                                                     {"ts9", "TIMESTAMP(9)"},
                                                                                     {"tm", "TIME(3)"},
                                                                                     {"flag", "BOOLEAN"},
                                                                                     {"void", "INT"},
                                                                                     {"tags", "ARRAY<STRING>"},
                                                                                     {"v", "VECTOR<FLOAT, 3>"}}) {
      fields_.push_back({static_cast<int32_t>(fields_.size()), name, ParseSqlType(type).ValueOrDie(), {}, {}});
    }
    const auto schema = ToArrowSchema(fields_).ValueOrDie();
    std::mt19937 random(11);
    std::string json = "[";
    for (int64_t k = 0; k < num_rows; ++k) {
      const auto maybe = [&](const std::string& text) { return random() % 10 == 0 ? "null" : text; };
      const std::string number = k % 97 == 0 ? "NaN" : k % 89 == 0 ? "-0.0" : std::to_string(k / 8) + ".25";
      const std::string text = k % 131 == 0 ? std::string(5000, 'q') + std::to_string(k) : "name" + std::to_string(k / 50);
      const std::string vector = "[" + std::to_string(k) + ", 0.5, null]";
      json += (k ? "," : "") + std::string("[") + std::to_string(k + random() % 5) + "," +
              maybe(std::to_string(k % 300 - 150)) + "," + maybe(number) + "," + maybe("\"" + text + "\"") + "," +
              maybe("\"" + std::to_string(k - num_rows / 2) + ".125\"") + "," +
              maybe(std::to_string((k - num_rows / 2) * 1000000007)) + "," + maybe(std::to_string(k * 1000 % 86400000)) + "," +
              maybe(k % 3 ? "true" : "false") + ",null," + maybe("[\"a" + std::to_string(k) + "\", null]") + "," +
              maybe(vector) + "]";
    }
    const auto array = arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), json + "]");
    ASSERT_OK(array);
    batch_ = arrow::RecordBatch::FromStructArray(*array).ValueOrDie()->ReplaceSchemaMetadata(nullptr);
    path_ = std::filesystem::temp_directory_path() / ("bactrian_pruning_" + std::to_string(::getpid()) + ".parquet");
    ASSERT_OK_AND_ASSIGN(auto writer,
                         ParquetFormat()->OpenWriter(LocalStore(), path_, {.fields = fields_, .options = options}));
    for (int64_t begin = 0; begin < num_rows; begin += 500) ASSERT_OK(writer->Write(*batch_->Slice(begin, 500)));
    ASSERT_OK(writer->Finish());
  }

  std::string path_;
  std::vector<Field> fields_;
  std::shared_ptr<arrow::RecordBatch> batch_;
};

TEST_F(ParquetOwnFileTest, PruningNeverChangesRows) {
  WriteRows(4000, {{"file.block-size", "40 kb"},
                   {"parquet.page.size", "1 kb"},
                   {"parquet.bloom.filter.enabled", "true"},
                   {"parquet.page.row.count.limit", "100"}});
  ASSERT_GT(parquet::ParquetFileReader::OpenFile(path_)->metadata()->num_row_groups(), 1);
  ExpectPruningNeverChangesRows(path_, fields_, 9, 200, 99);
}

TEST_F(ParquetOwnFileTest, PagesThatHoldNoWantedRowAreNotRead) {
  // Large enough for gaps between pages that are not worth reading over.
  WriteRows(20000, {{"file.compression", "none"}, {"parquet.page.size", "1 kb"}, {"parquet.page.row.count.limit", "100"}});
  const auto store = LocalStore();
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path_));
  const auto handle = ParquetFormat()->Open(store, path_, size).ValueOrDie();
  const auto bytes_of = [&](const ReadRequest& request) {
    const int64_t before = store->counters().bytes_read;
    int64_t largest = 0;
    EXPECT_GT(ReadAll(*handle, request, &largest)->num_rows(), 0);
    return store->counters().bytes_read - before;
  };
  ReadRequest request{.fields = fields_, .predicate_fields = fields_};
  const int64_t whole = bytes_of(request);
  EXPECT_GT(whole, size / 2);
  RowRanges one_row;
  one_row.Append({2222, 2223});
  ReadRequest selected = request;
  selected.selection = one_row;
  (void)bytes_of(selected);  // the page index is read once
  EXPECT_LT(bytes_of(selected), whole * 2 / 3) << "a page of each leaf, its dictionary, and small gaps between";
  request.predicate = Predicate::Compare(PredicateOp::kEqual, "d", {Value(300.25)});
  (void)bytes_of(request);
  const int64_t pruned = bytes_of(request);
  EXPECT_LT(pruned, whole * 2 / 3);
  request.pruning.pages = false;
  const int64_t late = bytes_of(request);
  EXPECT_GT(late, pruned) << "all pages of the filter column";
  EXPECT_LT(late, whole * 3 / 4) << "few of the others";
}

TEST_F(ParquetOwnFileTest, ThreadsShareAHandle) {
  WriteRows(2000, {{"parquet.page.size", "1 kb"}, {"parquet.bloom.filter.enabled", "true"}});
  const auto handle = OpenParquet(path_).ValueOrDie();
  ReadRequest request{.fields = fields_, .predicate_fields = fields_};
  request.predicate = Predicate::Compare(PredicateOp::kLess, "small", {Value(int64_t{0})});
  int64_t largest = 0;
  const auto expected = ReadAll(*handle, request, &largest);
  std::vector<std::thread> threads;
  std::atomic<int> equal = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, other = OpenParquet(path_).ValueOrDie()] {
      int64_t unused = 0;
      for (const auto& file : {handle, other}) {
        equal += ReadAll(*file, request, &unused)->Equals(*expected, false, arrow::EqualOptions::Defaults().nans_equal(true));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, 8);
}

}  // namespace
}  // namespace bactrian
