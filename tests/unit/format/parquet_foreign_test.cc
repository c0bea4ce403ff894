// Files by pyarrow and DuckDB (tests/data/parquet/make_foreign.py), against the library's own way to read them.
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <parquet/arrow/reader.h>

#include "corpus_rows.h"
#include "parquet_test_files.h"

namespace bactrian {
namespace {

const std::vector<std::string>& ForeignFiles() {
  static const std::vector<std::string> names = {"pyarrow_dictionary", "pyarrow_v2_delta", "pyarrow_int96_no_index",
                                                 "pyarrow_legacy",     "duckdb_v1",        "duckdb_v2"};
  return names;
}

std::vector<std::string> RowsByTheLibrary(const std::string& path) {
  auto file = arrow::io::ReadableFile::Open(path).ValueOrDie();
  auto reader = parquet::arrow::OpenFile(file, arrow::default_memory_pool()).ValueOrDie();
  const std::shared_ptr<arrow::Table> table = reader->ReadTable().ValueOrDie();
  arrow::TableBatchReader batches(*table);
  return SortedRows(batches);
}

std::vector<std::string> Rows(const std::string& path, const ReadRequest& request) {
  return SortedRows(*OpenParquet(path).ValueOrDie()->Read(request).ValueOrDie());
}

TEST(ParquetForeign, EveryEncodingCodecAndPageVersionReadsAsTheLibraryReadsIt) {
  for (const std::string& name : ForeignFiles()) {
    SCOPED_TRACE(name);
    const std::string path = ParquetTestFile("foreign/" + name + ".parquet");
    ReadRequest request{.fields = ForeignFields()};
    const auto expected = RowsByTheLibrary(path);
    ASSERT_EQ(expected.size(), 420u);
    EXPECT_TRUE(SameRows(Rows(path, request), expected));
    request.batch_rows = 17;
    request.string_views = true;
    EXPECT_TRUE(SameRows(Rows(path, request), expected));
  }
}

TEST(ParquetForeign, NestedProjectionReadsTheFieldsAskedForAndNullForThoseTheFileLacks) {
  const auto narrow = [](const char* type) { return std::vector<Field>{{0, "r", ParseSqlType(type).ValueOrDie(), {}, {}}}; };
  for (const std::string& name : ForeignFiles()) {
    SCOPED_TRACE(name);
    const std::string path = ParquetTestFile("foreign/" + name + ".parquet");
    const auto whole = Rows(path, {.fields = narrow("ROW<a INT, t STRING>")});
    const auto part = Rows(path, {.fields = narrow("ROW<t STRING>")});
    const auto none = Rows(path, {.fields = narrow("ROW<absent INT>")});
    ASSERT_EQ(part.size(), whole.size());
    ASSERT_EQ(none.size(), whole.size());
    const auto count = [](const std::vector<std::string>& rows, const std::string& row) {
      return std::count(rows.begin(), rows.end(), row);
    };
    EXPECT_GT(count(whole, R"({"r":null})"), 0);
    EXPECT_EQ(count(part, R"({"r":null})"), count(whole, R"({"r":null})"));
    EXPECT_EQ(count(none, R"({"r":null})"), count(whole, R"({"r":null})")) << "the struct's own nulls survive";
    EXPECT_EQ(count(none, R"({"r":{"absent":null}})"), 420 - count(whole, R"({"r":null})"));
  }
}

TEST(ParquetForeign, NarrowerAndWiderTypesAreConvertedOrRefusedByName) {
  const std::string path = ParquetTestFile("foreign/pyarrow_dictionary.parquet");
  const auto as = [&](const char* column, const char* type) {
    const auto reader =
        OpenParquet(path).ValueOrDie()->Read({.fields = {{0, column, ParseSqlType(type).ValueOrDie(), {}, {}}}});
    return reader.ok() ? (*reader)->ToTable().status() : reader.status();
  };
  EXPECT_TRUE(as("i", "BIGINT").ok());
  EXPECT_TRUE(as("i", "TINYINT").ok()) << "all values fit";
  EXPECT_TRUE(as("f", "DOUBLE").ok());
  EXPECT_TRUE(as("dec", "DECIMAL(20, 4)").ok());
  EXPECT_TRUE(as("ts6", "TIMESTAMP(3)").ok());
  const arrow::Status too_small = as("id", "TINYINT");
  EXPECT_EQ(ErrorKindOf(too_small), ErrorKind::kUnsupported);
  EXPECT_NE(too_small.message().find("column id"), std::string::npos);
  const arrow::Status wrong = as("s", "INT");
  EXPECT_EQ(ErrorKindOf(wrong), ErrorKind::kCorrupt);
  EXPECT_NE(wrong.message().find("column s"), std::string::npos);
  EXPECT_EQ(ErrorKindOf(as("l", "INT")), ErrorKind::kCorrupt);
  EXPECT_EQ(ErrorKindOf(as("i", "ROW<a INT>")), ErrorKind::kCorrupt);
}

TEST(ParquetForeign, ATimestampOutsideOfInt64NanosecondsIsAnErrorThatNamesFileAndColumn) {
  const std::string path = ParquetTestFile("foreign/far_int96.parquet");
  const auto as = [&](const char* type) {
    return OpenParquet(path).ValueOrDie()->Read({.fields = {{0, "t", ParseSqlType(type).ValueOrDie(), {}, {}}}});
  };
  const arrow::Status status = as("TIMESTAMP(9)").ValueOrDie()->ToTable().status();
  EXPECT_EQ(ErrorKindOf(status), ErrorKind::kUnsupported);
  EXPECT_NE(status.message().find(path), std::string::npos);
  EXPECT_NE(status.message().find("column t"), std::string::npos);
  EXPECT_EQ(SortedRows(*as("TIMESTAMP(6)").ValueOrDie()).back(), R"({"t":"946684800000000000"})");
  EXPECT_EQ(SortedRows(*as("TIMESTAMP(3)").ValueOrDie()).front(), R"({"t":"253370764800000000000"})");
}

}  // namespace
}  // namespace bactrian
