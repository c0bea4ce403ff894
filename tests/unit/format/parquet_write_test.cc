// Files that we write: read back here, and checked with pyarrow and DuckDB by tests/data/parquet/check_written.py.
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/util/decimal.h>
#include <gmock/gmock.h>
#include <parquet/file_reader.h>
#include <parquet/page_index.h>

#include <cmath>
#include <filesystem>

#include "corpus_rows.h"
#include "parquet_test_files.h"

namespace bactrian {
namespace {

class ParquetWriteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("bactrian_parquet_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ / name; }

  arrow::Result<FileWriteResult> Write(const std::string& path, const std::vector<Field>& fields,
                                       const arrow::RecordBatch& batch, const Options& options = {}) {
    ARROW_ASSIGN_OR_RAISE(auto writer, ParquetFormat()->OpenWriter(LocalStore(), path, {.fields = fields, .options = options}));
    ARROW_RETURN_NOT_OK(writer->Write(batch));
    return writer->Finish();
  }

  std::filesystem::path folder_;
};

Field MakeField(int32_t id, const std::string& name, const std::string& type) {
  return {id, name, ParseSqlType(type).ValueOrDie(), {}, {}};
}

std::shared_ptr<arrow::RecordBatch> ReadAll(const std::string& path, const ReadRequest& request) {
  const auto reader = OpenParquet(path).ValueOrDie()->Read(request).ValueOrDie();
  const auto table = reader->ToTable().ValueOrDie();
  return table->CombineChunksToBatch().ValueOrDie();
}

TEST_F(ParquetWriteTest, RewritesTheReferencesFileOfEveryTypeWithTheSameRowsAndTheSameSchema) {
  const std::vector<Field> fields = FieldsOfSchemaFile(ParquetTestFile("types_parquet/schema"));
  for (const char* name : {"a", "b"}) {
    const std::string theirs = ParquetTestFile("types_parquet/" + std::string(name) + ".parquet"),
                      ours = Path(name + std::string(".parquet"));
    const auto batch = ReadAll(theirs, {.fields = fields});
    ASSERT_OK_AND_ASSIGN(const FileWriteResult result, Write(ours, fields, *batch));
    EXPECT_EQ(result.num_rows, batch->num_rows());
    EXPECT_EQ(result.size, static_cast<int64_t>(std::filesystem::file_size(ours)));
    const auto rows_of = [&](const std::string& path) {
      return SortedRows(*OpenParquet(path).ValueOrDie()->Read({.fields = fields}).ValueOrDie());
    };
    EXPECT_TRUE(SameRows(rows_of(ours), rows_of(theirs)));
    const auto schema_of = [](const std::string& path) {
      return parquet::ParquetFileReader::OpenFile(path)->metadata()->schema()->ToString();
    };
    EXPECT_EQ(schema_of(ours), schema_of(theirs));
  }
}

TEST_F(ParquetWriteTest, StatisticsAreFullUntruncatedAndInPaimonsOrder) {
  const std::vector<Field> fields = {MakeField(0, "f", "FLOAT"),        MakeField(1, "d", "DOUBLE"),
                                     MakeField(2, "s", "STRING"),       MakeField(3, "dec", "DECIMAL(10, 2)"),
                                     MakeField(4, "t", "TIMESTAMP(6)"), MakeField(5, "n", "TIMESTAMP(9)"),
                                     MakeField(6, "l", "ARRAY<INT>"),   MakeField(7, "b", "BYTES"),
                                     MakeField(8, "none", "INT")};
  ASSERT_OK_AND_ASSIGN(const auto schema, ToArrowSchema(fields));
  const std::string lengthy(10000, 'z');
  ASSERT_OK_AND_ASSIGN(const auto columns,
                       arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()),
                                                        R"([[0.0, 1.0, "b", "1.50", -1, -1, [1], "ff", null],
          [-0.0, null, "a", "-2.25", 5, 5, null, "00", null], [NaN, 2.0, ")" +
                                                            lengthy + R"(", "0.00", 3, 3, [], "7f", null]])"));
  ASSERT_OK_AND_ASSIGN(const auto batch, arrow::RecordBatch::FromStructArray(columns));
  ASSERT_OK_AND_ASSIGN(const FileWriteResult result, Write(Path("s.parquet"), fields, *batch));
  const auto& stats = result.columns;
  ASSERT_EQ(stats.size(), fields.size());
  EXPECT_TRUE(std::signbit(std::get<float>(stats[0].min)));
  EXPECT_TRUE(std::isnan(std::get<float>(stats[0].max)));
  EXPECT_EQ(stats[1].null_count, 1);
  EXPECT_EQ(stats[1].max, Value(2.0));
  EXPECT_EQ(stats[2].min, Value(std::string("a")));
  EXPECT_EQ(stats[2].max, Value(lengthy));
  EXPECT_EQ(stats[3].min, Value(arrow::Decimal128(-225)));
  EXPECT_EQ(stats[4].min, Value(TimestampValue{-1, 999000}));
  EXPECT_TRUE(IsNull(stats[5].min) && IsNull(stats[5].max)) << "INT96 has no bounds";
  EXPECT_EQ(stats[5].null_count, 0);
  EXPECT_TRUE(IsNull(stats[6].min));
  EXPECT_FALSE(stats[6].null_count.has_value());
  EXPECT_EQ(stats[7].max, Value(std::string("ff")));
  EXPECT_TRUE(IsNull(stats[8].max));
  EXPECT_EQ(stats[8].null_count, 3);
}

TEST_F(ParquetWriteTest, RefusesNullsInNotNullColumnsAndUnknownCodecs) {
  const std::vector<Field> fields = {MakeField(0, "id", "INT NOT NULL")};
  const auto nulls = arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int32())}), 2,
                                              {arrow::MakeArrayOfNull(arrow::int32(), 2).ValueOrDie()});
  const auto outcome = Write(Path("n.parquet"), fields, *nulls);
  EXPECT_EQ(ErrorKindOf(outcome), ErrorKind::kInvalid);
  EXPECT_NE(outcome.status().message().find("column id"), std::string::npos);
  const auto codec = ParquetFormat()->OpenWriter(LocalStore(), Path("c.parquet"),
                                                 {.fields = fields, .options = {{"file.compression", "lzo"}}});
  EXPECT_EQ(ErrorKindOf(codec), ErrorKind::kInvalid);
  EXPECT_NE(codec.status().message().find("file.compression"), std::string::npos);
}

TEST_F(ParquetWriteTest, OptionsChooseCodecRowGroupsPagesDictionariesAndBloomFilters) {
  const std::vector<Field> fields = {MakeField(0, "id", "BIGINT"), MakeField(1, "city", "STRING")};
  arrow::Int64Builder ids;
  arrow::StringBuilder cities;
  for (int64_t i = 0; i < 60000; ++i) {
    ASSERT_OK(ids.Append(i * 7919 % 1000003));
    ASSERT_OK(cities.Append("city" + std::to_string(i % 40)));
  }
  const auto batch = arrow::RecordBatch::Make(ToArrowSchema(fields).ValueOrDie(), 60000,
                                              {ids.Finish().ValueOrDie(), cities.Finish().ValueOrDie()});
  const Options options = {{"file.compression", "snappy"},
                           {"file.block-size", "64 kb"},
                           {"parquet.page.size", "4 kb"},
                           {"parquet.bloom.filter.enabled#id", "true"}};
  ASSERT_OK_AND_ASSIGN(auto writer,
                       ParquetFormat()->OpenWriter(LocalStore(), Path("o.parquet"), {.fields = fields, .options = options}));
  int64_t last = 0;
  for (int64_t begin = 0; begin < 60000; begin += 5000) {
    ASSERT_OK(writer->Write(*batch->Slice(begin, 5000)));
    EXPECT_GE(writer->bytes_written(), last) << "the estimate for rolling grows";
    last = writer->bytes_written();
  }
  ASSERT_OK_AND_ASSIGN(const FileWriteResult result, writer->Finish());
  EXPECT_LT(std::abs(result.size - last), result.size / 2) << "and is near the size";
  const auto file = parquet::ParquetFileReader::OpenFile(Path("o.parquet"));
  const auto metadata = file->metadata();
  EXPECT_GT(metadata->num_row_groups(), 3);
  const auto row_group = metadata->RowGroup(0);
  EXPECT_EQ(row_group->ColumnChunk(0)->compression(), parquet::Compression::SNAPPY);
  EXPECT_FALSE(row_group->ColumnChunk(0)->has_dictionary_page()) << "distinct ids: a dictionary does not pay";
  EXPECT_TRUE(row_group->ColumnChunk(1)->has_dictionary_page());
  EXPECT_TRUE(row_group->ColumnChunk(0)->bloom_filter_offset().has_value());
  EXPECT_FALSE(row_group->ColumnChunk(1)->bloom_filter_offset().has_value());
  EXPECT_GT(file->GetPageIndexReader()->RowGroup(0)->GetOffsetIndex(0)->page_locations().size(), 4u);
  EXPECT_TRUE(ReadAll(Path("o.parquet"), {.fields = fields})->Equals(*batch));
}

TEST_F(ParquetWriteTest, RowGroupsEndAtTheirRowsOrAtTheirBytesWhicheverComesFirst) {
  const std::vector<Field> fields = {MakeField(0, "id", "BIGINT")};
  arrow::Int64Builder ids;
  for (int64_t i = 0; i < 300000; ++i) ASSERT_OK(ids.Append(i));
  const auto batch = arrow::RecordBatch::Make(ToArrowSchema(fields).ValueOrDie(), 300000, {ids.Finish().ValueOrDie()});
  const auto row_groups = [&](const Options& options) {
    std::filesystem::remove(Path("r.parquet"));
    auto writer = ParquetFormat()->OpenWriter(LocalStore(), Path("r.parquet"), {.fields = fields, .options = options});
    EXPECT_TRUE(writer.ok()) << writer.status();
    for (const auto& part : {batch->Slice(0, 70000), batch->Slice(70000)}) {
      const arrow::Status status = (*writer)->Write(*part);
      EXPECT_TRUE(status.ok()) << status;
    }
    EXPECT_TRUE((*writer)->Finish().ok());
    std::vector<int64_t> rows;
    const auto metadata = parquet::ParquetFileReader::OpenFile(Path("r.parquet"))->metadata();
    for (int i = 0; i < metadata->num_row_groups(); ++i) rows.push_back(metadata->RowGroup(i)->num_rows());
    EXPECT_TRUE(ReadAll(Path("r.parquet"), {.fields = fields})->Equals(*batch));
    return rows;
  };
  EXPECT_THAT(row_groups({}), testing::ElementsAre(122880, 122880, 54240));
  EXPECT_THAT(row_groups({{"parquet.block.row.count.limit", "200000"}}), testing::ElementsAre(200000, 100000));
  const Options no_codec = {{"file.compression", "none"}, {"parquet.block.size", "64 kb"}};
  EXPECT_THAT(row_groups(no_codec), testing::ElementsAre(70000, 122880, 107120)) << "bytes count between batches";
  Options both = no_codec;
  both["file.block-size"] = "100 mb";
  EXPECT_THAT(row_groups(both), testing::ElementsAre(122880, 122880, 54240)) << "Paimon's option comes before Parquet's";
}

TEST_F(ParquetWriteTest, DecimalsOfEveryWidthAreWrittenFromSlicesWithNullsAndExtremes) {
  const std::vector<Field> fields = {MakeField(0, "a", "DECIMAL(9, 2)"), MakeField(1, "b", "DECIMAL(10, 2)"),
                                     MakeField(2, "c", "DECIMAL(18, 0)"), MakeField(3, "d", "DECIMAL(19, 0)")};
  const auto array = arrow::json::ArrayFromJSONString(arrow::struct_(ToArrowSchema(fields).ValueOrDie()->fields()), R"([
      ["1.00", "1.00", "1", "1"],
      [null, "99999999.99", "-999999999999999999", null],
      ["-9999999.99", "-0.01", null, "-9999999999999999999"],
      ["9999999.99", null, "999999999999999999", "9999999999999999999"],
      ["-0.01", "-99999999.99", "0", "0"]])");
  const auto batch = arrow::RecordBatch::FromStructArray(array.ValueOrDie()).ValueOrDie();
  const auto rows = batch->Slice(1);
  ASSERT_OK_AND_ASSIGN(const FileWriteResult result, Write(Path("d.parquet"), fields, *rows));
  EXPECT_TRUE(ReadAll(Path("d.parquet"), {.fields = fields})->Equals(*rows));
  const auto metadata = parquet::ParquetFileReader::OpenFile(Path("d.parquet"))->metadata();  // owns the schema
  const auto* schema = metadata->schema();
  EXPECT_EQ(schema->Column(0)->physical_type(), parquet::Type::INT32);
  EXPECT_EQ(schema->Column(1)->physical_type(), parquet::Type::INT64);
  EXPECT_EQ(schema->Column(2)->physical_type(), parquet::Type::INT64);
  EXPECT_EQ(schema->Column(3)->physical_type(), parquet::Type::FIXED_LEN_BYTE_ARRAY);
  const std::vector<std::pair<std::string, std::string>> bounds = {{"-999999999", "999999999"},
                                                                   {"-9999999999", "9999999999"},
                                                                   {"-999999999999999999", "999999999999999999"},
                                                                   {"-9999999999999999999", "9999999999999999999"}};
  for (size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(result.columns[i].min, Value(arrow::Decimal128(bounds[i].first))) << i;
    EXPECT_EQ(result.columns[i].max, Value(arrow::Decimal128(bounds[i].second))) << i;
    EXPECT_EQ(result.columns[i].null_count, 1) << i;
  }
}

TEST_F(ParquetWriteTest, RowsThatAreHeldBackTakeLessMemoryOnceTheyAreEncoded) {
  const std::vector<Field> fields = {MakeField(0, "id", "BIGINT")};
  arrow::Int64Builder ids;
  for (int64_t i = 0; i < 10000; ++i) ASSERT_OK(ids.Append(i % 10));
  const auto batch = arrow::RecordBatch::Make(ToArrowSchema(fields).ValueOrDie(), 10000, {ids.Finish().ValueOrDie()});
  ASSERT_OK_AND_ASSIGN(auto writer, ParquetFormat()->OpenWriter(LocalStore(), Path("h.parquet"), {.fields = fields}));
  ASSERT_OK(writer->Write(*batch));
  EXPECT_GE(writer->buffered_bytes(), 80000) << "as they were handed in";
  ASSERT_OK(writer->EncodeHeld());
  EXPECT_LT(writer->buffered_bytes(), 50000);
  ASSERT_OK(writer->Finish());
  EXPECT_TRUE(ReadAll(Path("h.parquet"), {.fields = fields})->Equals(*batch));
}

TEST_F(ParquetWriteTest, AFileWithoutRowsReadsBackEmpty) {
  const std::vector<Field> fields = {MakeField(0, "id", "INT")};
  ASSERT_OK_AND_ASSIGN(auto writer, ParquetFormat()->OpenWriter(LocalStore(), Path("e.parquet"), {.fields = fields}));
  ASSERT_OK_AND_ASSIGN(const FileWriteResult result, writer->Finish());
  EXPECT_EQ(result.num_rows, 0);
  ASSERT_OK_AND_ASSIGN(const auto handle, OpenParquet(Path("e.parquet")));
  EXPECT_EQ(handle->num_rows(), 0);
  ASSERT_OK_AND_ASSIGN(const auto reader, handle->Read({.fields = fields}));
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_OK(reader->ReadNext(&batch));
  EXPECT_EQ(batch, nullptr);
}

}  // namespace
}  // namespace bactrian
