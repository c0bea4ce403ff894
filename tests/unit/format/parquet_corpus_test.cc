// Files that the Java reference wrote, against the rows that it reads from them.
#include <arrow/record_batch.h>

#include <algorithm>

#include "corpus_rows.h"
#include "parquet_test_files.h"

namespace bactrian {
namespace {

std::vector<std::string> ReadFiles(const std::vector<std::string>& paths, const ReadRequest& request) {
  std::vector<std::string> rows;
  for (const std::string& path : paths) {
    const auto handle = OpenParquet(path);
    EXPECT_TRUE(handle.ok()) << handle.status().ToString();
    if (!handle.ok()) return {};
    const auto reader = (*handle)->Read(request);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    if (!reader.ok()) return {};
    for (std::string& row : SortedRows(**reader)) rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(ParquetCorpus, ReadsEveryTypeAsTheReferenceDoes) {
  ReadRequest request{.fields = FieldsOfSchemaFile(ParquetTestFile("types_parquet/schema"))};
  EXPECT_TRUE(
      SameRows(ReadFiles({ParquetTestFile("types_parquet/a.parquet"), ParquetTestFile("types_parquet/b.parquet")}, request),
               ExpectedRows(ParquetTestFile("types_parquet/expected.jsonl"), {"f_float"})));
  request.string_views = true;
  request.batch_rows = 3;
  EXPECT_TRUE(
      SameRows(ReadFiles({ParquetTestFile("types_parquet/a.parquet"), ParquetTestFile("types_parquet/b.parquet")}, request),
               ExpectedRows(ParquetTestFile("types_parquet/expected.jsonl"), {"f_float"})));
}

TEST(ParquetCorpus, ReadsEveryCodec) {
  const ReadRequest request{.fields = FieldsOfSchemaFile(ParquetTestFile("compression/schema"))};
  const auto expected = ExpectedRows(ParquetTestFile("compression/expected.jsonl"));
  ASSERT_FALSE(expected.empty());
  for (const char* codec : {"gzip", "lz4", "lz4_raw", "none", "snappy", "zstd"}) {
    EXPECT_TRUE(SameRows(ReadFiles({ParquetTestFile("compression/" + std::string(codec) + ".parquet")}, request), expected))
        << codec;
  }
}

TEST(ParquetCorpus, ReadsUnshreddedVariantsAndVectors) {
  for (const char* name : {"variant", "vector"}) {
    const std::string folder = ParquetTestFile(name);
    const ReadRequest request{.fields = FieldsOfSchemaFile(folder + "/schema")};
    EXPECT_TRUE(SameRows(ReadFiles({folder + "/a.parquet"}, request), ExpectedRows(folder + "/expected.jsonl"))) << name;
  }
}

TEST(ParquetCorpus, FiltersAFileOfManySmallPages) {
  ReadRequest request{.fields = FieldsOfSchemaFile(ParquetTestFile("many_pages/schema"))};
  const auto rows = ReadFiles({ParquetTestFile("many_pages/a.parquet")}, request);
  EXPECT_EQ(rows.size(), 5000u);
  request.predicate_fields = request.fields;
  request.predicate = Predicate::Compare(PredicateOp::kEqual, "g", {Value{int64_t{17}}});
  EXPECT_TRUE(SameRows(ReadFiles({ParquetTestFile("many_pages/a.parquet")}, request),
                       ExpectedRows(ParquetTestFile("many_pages/expected.many_pages_filter.jsonl"))));
}

}  // namespace
}  // namespace bactrian
