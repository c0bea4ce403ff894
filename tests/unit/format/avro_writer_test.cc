#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro_samples.h"

namespace bactrian {
namespace {

arrow::Result<std::string> WriteAvro(const std::vector<Field>& fields, const arrow::RecordBatchVector& batches,
                                     const AvroWriteOptions& options = {}) {
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(auto writer, AvroFileWriter::Make(sink, fields, options));
  for (const auto& batch : batches) ARROW_RETURN_NOT_OK(writer->Write(*batch));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_ASSIGN_OR_RAISE(auto buffer, sink->Finish());
  return buffer->ToString();
}

TEST(AvroWriter, MakesTheReferencesSchemaText) {
  EXPECT_EQ(AvroSchemaJson(FieldsOfTypesTable(), AvroWriteOptions().root_name).ValueOrDie(),
            SchemaTextOf(ReadSample("types-1.avro")));
}

TEST(AvroWriter, WhatItWritesIsReadBackWithEveryCodec) {
  const std::vector<Field> fields = FieldsOfTypesTable();
  ASSERT_OK_AND_ASSIGN(auto file, OpenAvro(ReadSample("types-2.avro")));
  ASSERT_OK_AND_ASSIGN(auto reader, file->Read(fields, 9, nullptr, arrow::default_memory_pool()));
  ASSERT_OK_AND_ASSIGN(const auto batches, reader->ToRecordBatches());
  ASSERT_OK_AND_ASSIGN(const auto expected, ReadAvroRows(ReadSample("types-2.avro"), fields));
  for (const char* codec : {"null", "deflate", "snappy", "zstandard"}) {
    AvroWriteOptions options;
    options.codec = codec;
    options.block_bytes = 2000;
    ASSERT_OK_AND_ASSIGN(const std::string bytes, WriteAvro(fields, batches, options));
    ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(bytes, fields));
    EXPECT_EQ(rows, expected) << codec;
  }
}

TEST(AvroWriter, SlicesOfBatchesAreWrittenAsThatSlice) {
  const std::vector<Field> fields = FieldsOfTypesTable();
  ASSERT_OK_AND_ASSIGN(auto file, OpenAvro(ReadSample("types-1.avro")));
  ASSERT_OK_AND_ASSIGN(auto reader, file->Read(fields, 1000, nullptr, arrow::default_memory_pool()));
  ASSERT_OK_AND_ASSIGN(const auto batches, reader->ToRecordBatches());
  ASSERT_OK_AND_ASSIGN(auto expected, ReadAvroRows(ReadSample("types-1.avro"), fields));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, WriteAvro(fields, {batches[0]->Slice(2, 5)}));
  ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(bytes, fields));
  EXPECT_EQ(rows, std::vector<nlohmann::json>(expected.begin() + 2, expected.begin() + 7));
}

TEST(AvroWriter, RefusesNullInANotNullColumnAndNamesIt) {
  ASSERT_OK_AND_ASSIGN(auto array, arrow::MakeArrayOfNull(arrow::int32(), 1));
  const std::vector<Field> fields = {{.id = 0, .name = "k", .type = DataType::Int(false)}};
  auto batch = arrow::RecordBatch::Make(ToArrowSchema(fields).ValueOrDie(), 1, {array});
  const auto written = WriteAvro(fields, {batch});
  EXPECT_EQ(ErrorKindOf(written), ErrorKind::kInvalid);
  EXPECT_THAT(written.status().message(), ::testing::HasSubstr("'k'"));
}

TEST(AvroWriter, RefusesWhatTheReferenceRefuses) {
  for (const TypePtr& type :
       {DataType::WithPrecision(TypeRoot::kTimestamp, 9), DataType::WithPrecision(TypeRoot::kTimestampLtz, 7),
        DataType::WithPrecision(TypeRoot::kTime, 6), DataType::Make(TypeRoot::kVariant)}) {
    const auto text = AvroSchemaJson({{.name = "x", .type = DataType::Array(type)}}, "r");
    EXPECT_EQ(ErrorKindOf(text), ErrorKind::kUnsupported);
    EXPECT_THAT(text.status().message(), ::testing::HasSubstr("'x'"));
  }
  EXPECT_EQ(ErrorKindOf(AvroSchemaJson({{.name = "a-b", .type = DataType::Int()}}, "r")), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace bactrian
