/// Merges of more runs than the memory limit takes, and orders that come from the files.
#include <gmock/gmock.h>

#include <random>

#include "../key_value_table.h"
#include "../table/own_table.h"

namespace bactrian {
namespace {

using testing::ElementsAre;

class FanInTest : public OwnTableTest {
 protected:
  std::shared_ptr<Table> CreateKeyed(Options options) {
    Schema schema;
    schema.fields = {NamedField("id", DataType::Bigint(false)), NamedField("n", DataType::Bigint()),
                     NamedField("t", DataType::String())};
    schema.primary_keys = {"id"};
    schema.options = std::move(options);
    schema.options["bucket"] = "1";
    EXPECT_TRUE(catalog_->CreateTable({"db", "t"}, std::move(schema)).ok());
    return Open();
  }

  static KeyValueBatches Rows(const TableSchema& schema, std::vector<Row> rows) {
    std::vector<Field> fields = schema.fields;
    fields.push_back(SequenceNumberField());
    fields.push_back(ValueKindField());
    return [=](int64_t i) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
      if (i > 0) return nullptr;
      return MakeBatch(fields, rows);
    };
  }
};

class FanInEngineTest : public FanInTest, public testing::WithParamInterface<Options> {};

TEST_P(FanInEngineTest, RunsBeyondTheMemoryLimitAreMergedInPasses) {
  auto table = CreateKeyed(GetParam());
  KeyValueTable files(table);
  std::mt19937_64 random(5);
  constexpr int kFiles = 64, kRows = 4000;
  for (int file = 0; file < kFiles; ++file) {
    std::vector<Row> rows;
    for (int64_t i = 0; i < kRows; ++i) {
      const int64_t id = i * 10 + static_cast<int64_t>(random() % 10);
      std::string text(100, 'x');
      for (char& c : text) c = static_cast<char>('a' + random() % 26);
      rows.push_back(
          {id, static_cast<int64_t>(random() % 1000), text, int64_t{file} * kRows + i, int64_t{random() % 9 == 0 ? 3 : 0}});
    }
    ASSERT_OK(files.AddFile(file < 2 ? 4 + file : 0, Rows(*table->schema(), std::move(rows))));
  }
  ASSERT_OK(files.Commit());
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> wanted, ScanTexts(table->NewScan()));
  ASSERT_GT(wanted.size(), 20000);

  // Decoded, and with a page of each column, all runs together take about 60 MB; the session's pool gives out no more than the
  // limit. The files have 28 MB, of which nothing may be held elsewhere: footers alone come from Arrow's own pool.
  constexpr int64_t kLimit = 24 << 20, kElsewhere = 8 << 20;
  const std::unique_ptr<arrow::MemoryPool> pool = arrow::MemoryPool::CreateDefault();
  ASSERT_OK_AND_ASSIGN(auto small, Session::Make({.num_threads = 1, .memory_limit_bytes = kLimit, .memory_pool = pool.get()}));
  ASSERT_OK_AND_ASSIGN(auto limited, small->OpenTable(table->path()));
  const int64_t before = arrow::default_memory_pool()->total_bytes_allocated();
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> got, ScanTexts(limited->NewScan()));
  EXPECT_LT(arrow::default_memory_pool()->total_bytes_allocated() - before, kElsewhere);
  EXPECT_LE(pool->max_memory(), kLimit);
  EXPECT_EQ(got, wanted);
}

INSTANTIATE_TEST_SUITE_P(FanIn, FanInEngineTest,
                         testing::Values(Options{}, Options{{"sequence.field", "n"}}, Options{{"changelog-producer", "lookup"}},
                                         Options{{"merge-engine", "aggregation"}, {"fields.n.aggregate-function", "sum"}},
                                         Options{{"merge-engine", "partial-update"},
                                                 {"partial-update.remove-record-on-delete", "true"}}));

TEST_F(FanInTest, SequenceNumbersOfFilesThatTookTurnsAreThoseOfTheirRows) {
  auto table = CreateKeyed({});
  KeyValueTable files(table);
  const auto row = [](int64_t id, const char* text, int64_t sequence) {
    return Row{id, Value(), std::string(text), sequence, int64_t{0}};
  };
  ASSERT_OK(files.AddFile(0, Rows(*table->schema(), {row(1, "old", 1), row(2, "new", 10)})));
  ASSERT_OK(files.AddFile(0, Rows(*table->schema(), {row(1, "new", 5), row(2, "old", 6)})));
  ASSERT_OK(files.Commit());
  EXPECT_THAT(*ScanTexts(table->NewScan().Select({"id", "t"})), ElementsAre("1|new", "2|new"));
}

TEST_F(FanInTest, FewerSequenceNumbersThanRowsInAFilesMetadataAreNotBelieved) {
  auto table = CreateKeyed({});
  KeyValueTable files(table);
  const auto row = [](int64_t id, const char* text, int64_t sequence) {
    return Row{id, Value(), std::string(text), sequence, int64_t{0}};
  };
  ASSERT_OK(files.AddFile(0, Rows(*table->schema(), {row(1, "new", 100), row(2, "new", 101)}), "parquet", 1));
  ASSERT_OK(files.AddFile(0, Rows(*table->schema(), {row(1, "old", 7), row(2, "old", 8)}), "parquet", 2));
  ASSERT_OK(files.Commit());
  EXPECT_THAT(*ScanTexts(table->NewScan().Select({"id", "t"})), ElementsAre("1|new", "2|new"));
}

TEST_F(FanInTest, FilesOneAfterTheOtherAreReadWithoutSequenceNumbersUnlessAskedFor) {
  auto table = CreateKeyed({});
  KeyValueTable files(table);
  const auto row = [](int64_t id, const char* text, int64_t sequence, int64_t kind) {
    return Row{id, Value(), std::string(text), sequence, kind};
  };
  ASSERT_OK(files.AddFile(0, Rows(*table->schema(), {row(1, "new", 100, 2), row(3, "gone", 101, 3)})));
  ASSERT_OK(files.AddFile(5, Rows(*table->schema(), {row(1, "old", 7, 0), row(2, "only", 9, 2), row(3, "old", 11, 0)})));
  ASSERT_OK(files.Commit());
  EXPECT_THAT(*ScanTexts(table->NewScan().Select({"id", "t"})), ElementsAre("1|new", "2|only"));
  EXPECT_THAT(*ScanTexts(table->NewScan().Select({"id", "_SEQUENCE_NUMBER", "_VALUE_KIND"})), ElementsAre("1|100|2", "2|9|2"));
}

TEST_F(FanInTest, WithSnapshotOrderingTheFileTellsTheOrder) {
  auto table = CreateKeyed({{"sequence.snapshot-ordering", "true"}});
  KeyValueTable files(table);
  const auto row = [](int64_t id, const char* text, int64_t sequence) {
    return Row{id, Value(), std::string(text), sequence, int64_t{0}};
  };
  ASSERT_OK(files.AddFile(0, Rows(*table->schema(), {row(1, "old", 100), row(2, "only", 101)}), "parquet", 1));
  ASSERT_OK(files.AddFile(0, Rows(*table->schema(), {row(1, "new", 7), row(3, "only", 8)}), "parquet", 2));
  ASSERT_OK(files.Commit());
  EXPECT_THAT(*ScanTexts(table->NewScan().Select({"id", "t"})), ElementsAre("1|new", "2|only", "3|only"));
  ASSERT_OK_AND_ASSIGN(auto lookup, table->NewLookup({.columns = {{"t"}}}));
  ASSERT_OK_AND_ASSIGN(auto keys, MakeBatch({NamedField("id", DataType::Bigint())}, {{int64_t{1}}}));
  ASSERT_OK_AND_ASSIGN(FoundRows found, lookup->Find(*keys));
  ASSERT_EQ(found.rows->num_rows(), 1);
  EXPECT_EQ(found.rows->column(0)->GetScalar(0).ValueOrDie()->ToString(), "new");
}

}  // namespace
}  // namespace bactrian
