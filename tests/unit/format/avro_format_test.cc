#include "bactrian/format/avro/avro_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "avro_samples.h"

namespace bactrian {
namespace {

using nlohmann::json;

class AvroFormatTest : public ::testing::Test {
 protected:
  AvroFormatTest() : store_(FileStore::Open("memory://avro").ValueOrDie()), fields_(FieldsOfTypesTable()) {
    EXPECT_TRUE(store_->DeleteDirectory("memory://avro/t").ok());
  }
  arrow::Result<std::shared_ptr<FileHandle>> OpenSample(std::string_view name) {
    const std::string bytes = ReadSample(name), path = JoinPath("memory://avro/t", name);
    ARROW_RETURN_NOT_OK(store_->Overwrite(path, bytes));
    return AvroFormat()->Open(store_, path, static_cast<int64_t>(bytes.size()));
  }
  arrow::Result<std::vector<json>> Read(const FileHandle& file, const ReadRequest& request) {
    ARROW_ASSIGN_OR_RAISE(auto reader, file.Read(request));
    return ReadRows(*reader);
  }
  Field FieldNamed(std::string_view name) const {
    return *std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.name == name; });
  }

  std::shared_ptr<FileStore> store_;
  std::vector<Field> fields_;
};

TEST_F(AvroFormatTest, KnowsItsRows) {
  ASSERT_OK_AND_ASSIGN(auto file, OpenSample("fastavro-null.avro"));
  EXPECT_EQ(file->num_rows(), 200);
  EXPECT_GT(file->memory_bytes(), 0);
}

TEST_F(AvroFormatTest, AppliesThePredicateExactlyOverColumnsThatAreNotReturned) {
  ASSERT_OK_AND_ASSIGN(auto file, OpenSample("fastavro-null.avro"));
  ReadRequest request;
  request.fields = {{.name = "wide", .type = DataType::Make(TypeRoot::kDouble)}};
  request.predicate_fields = {{.name = "id", .type = DataType::Bigint()}, {.name = "null_last", .type = DataType::String()}};
  request.predicate =
      Predicate::And({Predicate::Compare(PredicateOp::kGreater, "id", {Value{int64_t{10 * 1000003} - (int64_t{1} << 40)}}),
                      Predicate::Compare(PredicateOp::kIsNull, "null_last")});
  request.position_column = "pos";
  request.batch_rows = 16;
  ASSERT_OK_AND_ASSIGN(const auto rows, Read(*file, request));
  std::vector<json> expected;
  for (int i = 11; i < 200; ++i) {
    if (i % 7 == 0) expected.push_back({{"wide", i / 4.0}, {"pos", i}});
  }
  EXPECT_EQ(rows, expected);
}

TEST_F(AvroFormatTest, ReturnsExactlyTheSelectedPositions) {
  ASSERT_OK_AND_ASSIGN(auto file, OpenSample("fastavro-zstandard.avro"));
  for (const std::vector<RowRange>& ranges : std::vector<std::vector<RowRange>>{
           {}, {{0, 1}}, {{199, 200}}, {{3, 5}, {50, 52}, {120, 180}}, {{0, 200}}, {{150, 1000}}, {{300, 400}}}) {
    ReadRequest request;
    request.fields = {{.name = "wide", .type = DataType::Make(TypeRoot::kDouble)}};
    request.position_column = "pos";
    request.selection.emplace();
    std::vector<json> expected;
    for (RowRange range : ranges) {
      request.selection->Append(range);
      for (int64_t i = range.begin; i < std::min<int64_t>(range.end, 200); ++i)
        expected.push_back({{"wide", i / 4.0}, {"pos", i}});
    }
    ASSERT_OK_AND_ASSIGN(const auto rows, Read(*file, request));
    EXPECT_EQ(rows, expected);
  }
}

TEST_F(AvroFormatTest, ReturnsStringViewsWhereAsked) {
  ASSERT_OK_AND_ASSIGN(auto file, OpenSample("types-2.avro"));
  ReadRequest request;
  request.fields = {FieldNamed("f_string"), FieldNamed("f_bytes"), FieldNamed("f_arrstr")};
  ASSERT_OK_AND_ASSIGN(const auto plain, Read(*file, request));
  request.string_views = true;
  ASSERT_OK_AND_ASSIGN(auto reader, file->Read(request));
  EXPECT_EQ(reader->schema()->field(0)->type()->id(), arrow::Type::STRING_VIEW);
  EXPECT_EQ(reader->schema()->field(1)->type()->id(), arrow::Type::BINARY_VIEW);
  ASSERT_OK_AND_ASSIGN(const auto views, ReadRows(*reader));
  EXPECT_EQ(views, plain);
}

TEST_F(AvroFormatTest, CollectsStatisticsWhileWriting) {
  const std::vector<Field> fields = {{.name = "f", .type = DataType::Make(TypeRoot::kDouble)},
                                     {.name = "s", .type = DataType::String()},
                                     {.name = "a", .type = DataType::Array(DataType::Int())}};
  arrow::DoubleBuilder numbers;
  arrow::StringBuilder texts;
  ASSERT_OK(numbers.AppendValues({1.0, NAN, -0.0}));
  ASSERT_OK(numbers.AppendNull());
  ASSERT_OK(texts.AppendValues({"b", "\xc3\xa4", "a", "a"}));
  ASSERT_OK_AND_ASSIGN(auto schema, ToArrowSchema(fields));
  ASSERT_OK_AND_ASSIGN(auto arrays, arrow::MakeArrayOfNull(schema->field(2)->type(), 4));
  auto batch = arrow::RecordBatch::Make(schema, 4, {numbers.Finish().ValueOrDie(), texts.Finish().ValueOrDie(), arrays});
  ASSERT_OK_AND_ASSIGN(auto writer, AvroFormat()->OpenWriter(store_, "memory://avro/t/new.avro", {.fields = fields}));
  ASSERT_OK(writer->Write(*batch));
  EXPECT_GT(writer->bytes_written(), 0);
  ASSERT_OK_AND_ASSIGN(const FileWriteResult result, writer->Finish());
  EXPECT_EQ(result.num_rows, 4);
  EXPECT_EQ(result.size, (*store_->Stat("memory://avro/t/new.avro").ValueOrDie()).size);
  EXPECT_TRUE(std::isnan(std::get<double>(result.columns[0].max))) << "NaN is the greatest number";
  EXPECT_EQ(std::get<double>(result.columns[0].min), 0.0);
  EXPECT_EQ(result.columns[0].null_count, 1);
  EXPECT_EQ(std::get<std::string>(result.columns[1].min), "a");
  EXPECT_EQ(std::get<std::string>(result.columns[1].max), "\xc3\xa4") << "strings are ordered by unsigned bytes";
  EXPECT_TRUE(IsNull(result.columns[2].min));
  EXPECT_EQ(result.columns[2].null_count, 4) << "as in the reference's manifests of Avro tables";
  ASSERT_OK_AND_ASSIGN(auto file, AvroFormat()->Open(store_, "memory://avro/t/new.avro", result.size));
  EXPECT_EQ(file->num_rows(), 4);
}

TEST_F(AvroFormatTest, WritesTheCodecThatTheOptionNames) {
  const std::vector<Field> fields = {{.name = "x", .type = DataType::Int()}};
  for (const auto& [option, codec] : std::map<std::string, std::string>{{"zstd", "zstandard"},
                                                                        {"ZSTD", "zstandard"},
                                                                        {"none", "null"},
                                                                        {"null", "null"},
                                                                        {"snappy", "snappy"},
                                                                        {"deflate", "deflate"}}) {
    const std::string path = "memory://avro/t/" + option + ".avro";
    ASSERT_OK_AND_ASSIGN(auto writer,
                         AvroFormat()->OpenWriter(store_, path, {.fields = fields, .options = {{"file.compression", option}}}));
    ASSERT_OK(writer->Finish());
    EXPECT_THAT(store_->ReadAll(path).ValueOrDie(),
                ::testing::HasSubstr("avro.codec" + std::string(1, static_cast<char>(codec.size() * 2)) + codec));
  }
  EXPECT_EQ(ErrorKindOf(AvroFormat()->OpenWriter(store_, "memory://avro/t/x.avro",
                                                 {.fields = fields, .options = {{"file.compression", "lzo"}}})),
            ErrorKind::kUnsupported);
}

TEST(FileFormats, AreToldByTheNameOfTheFile) {
  RegisterAllFormats();
  RegisterAllFormats();
  EXPECT_EQ((*FormatOfFile("data-1-0.parquet"))->identifier(), "parquet");
  EXPECT_EQ((*FormatOfFile("data-1-0.zstd.parquet"))->identifier(), "parquet");
  EXPECT_EQ((*FormatOfFile("/w/db.db/t/bucket-0/data-1-0.avro"))->identifier(), "avro");
  EXPECT_EQ((*FormatOfFile("data-1-0.avro.gz"))->identifier(), "avro");
  EXPECT_EQ((*GetFormat("AVRO"))->identifier(), "avro");
  const auto unknown = FormatOfFile("data-1-0.lance");
  EXPECT_EQ(ErrorKindOf(unknown), ErrorKind::kUnsupported);
  EXPECT_THAT(unknown.status().message(), ::testing::HasSubstr("'lance'"));
  EXPECT_EQ(ErrorKindOf(FormatOfFile("/a.avro/no_extension")), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace bactrian
