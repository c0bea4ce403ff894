#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "avro_samples.h"
#include "bactrian/format/avro/avro_encoder.h"

namespace bactrian {
namespace {

const std::string kSync(16, 's');

std::string Number(int64_t value) {
  AvroOutput out;
  out.WriteLong(value);
  return out.bytes();
}

std::string Text(std::string_view text) { return Number(static_cast<int64_t>(text.size())) + std::string(text); }

std::string Header(std::string_view schema, std::string_view codec = "null") {
  return "Obj\x01" + Number(2) + Text("avro.schema") + Text(schema) + Text("avro.codec") + Text(codec) + Number(0) + kSync;
}

std::string Block(int64_t count, const std::string& data) {
  return Number(count) + Number(static_cast<int64_t>(data.size())) + data + kSync;
}

/// A file of records with one field "x" of an Avro type, and one block.
std::string OneField(std::string_view type, int64_t count, const std::string& data, std::string_view codec = "null") {
  return Header(R"({"type":"record","name":"r","fields":[{"name":"x","type":)" + std::string(type) + "}]}", codec) +
         Block(count, data);
}

const std::vector<Field> kInt = {{.name = "x", .type = DataType::Int()}};
const std::vector<Field> kText = {{.name = "x", .type = DataType::String()}};
const std::vector<Field> kTexts = {{.name = "x", .type = DataType::Array(DataType::String())}};
const std::vector<Field> kOther = {{.name = "y", .type = DataType::Int()}};

ErrorKind KindOfRead(const std::string& bytes, const std::vector<Field>& fields) {
  return ErrorKindOf(ReadAvroRows(bytes, fields));
}

/// Corrupt both when the field is decoded and when it is skipped.
void ExpectCorrupt(const std::string& bytes, const std::vector<Field>& fields) {
  EXPECT_EQ(KindOfRead(bytes, fields), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOfRead(bytes, kOther), ErrorKind::kCorrupt);
}

TEST(AvroCorruption, HandmadeFilesAreReadable) {
  ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(OneField(R"("int")", 2, Number(7) + Number(-8)), kInt));
  EXPECT_EQ(rows, (std::vector<nlohmann::json>{{{"x", 7}}, {{"x", -8}}}));
}

TEST(AvroCorruption, ErrorsNameTheFileTheRecordAndTheField) {
  const auto rows = ReadAvroRows(OneField(R"("string")", 2, Text("ok") + Number(50)), kText);
  EXPECT_EQ(ErrorKindOf(rows), ErrorKind::kCorrupt);
  EXPECT_THAT(rows.status().message(), ::testing::HasSubstr("sample.avro: record 1: field 'x'"));
}

TEST(AvroCorruption, ForgedLengthsOfValuesAreCorrupt) {
  for (int64_t length : {int64_t{-1}, int64_t{3}, int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    ExpectCorrupt(OneField(R"("string")", 1, Number(length) + "ab"), kText);
  }
  ExpectCorrupt(OneField(R"("int")", 1, std::string(10, '\xff') + '\1'), kInt);
  ExpectCorrupt(OneField(R"(["null","int"])", 1, Number(2) + Number(1)), kInt);
  ExpectCorrupt(OneField(R"(["null","int"])", 1, Number(-1) + Number(1)), kInt);
  EXPECT_EQ(KindOfRead(OneField(R"("long")", 1, Number(int64_t{1} << 33)), kInt), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOfRead(OneField(R"("boolean")", 1, "\2"), {{.name = "x", .type = DataType::Make(TypeRoot::kBoolean)}}),
            ErrorKind::kCorrupt);
  EXPECT_EQ(
      KindOfRead(OneField(R"("bytes")", 1, Text(std::string(17, '\x7f'))), {{.name = "x", .type = DataType::Decimal(38, 0)}}),
      ErrorKind::kCorrupt);
}

TEST(AvroCorruption, ForgedItemCountsAreCorrupt) {
  for (int64_t count : {int64_t{2}, int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    ExpectCorrupt(OneField(R"({"type":"array","items":"string"})", 1, Number(count) + Text("") + Number(0)), kTexts);
  }
  ExpectCorrupt(OneField(R"({"type":"array","items":"string"})", 1, Number(-1) + Number(1 << 30) + Text("") + Number(0)),
                kTexts);
  // Items that take no bytes: a trillion of them in five bytes.
  ExpectCorrupt(OneField(R"({"type":"array","items":"null"})", 1, Number(int64_t{1} << 40) + Number(0)), kTexts);
}

TEST(AvroCorruption, ForgedBlockHeadsAreCorrupt) {
  const std::string header = Header(R"({"type":"record","name":"r","fields":[{"name":"x","type":"int"}]})");
  for (int64_t count : {int64_t{-1}, int64_t{1}, int64_t{3}, int64_t{1} << 50, INT64_MAX}) {
    EXPECT_EQ(KindOfRead(header + Block(count, Number(1) + Number(2)), kInt), ErrorKind::kCorrupt) << count;
  }
  for (int64_t size : {int64_t{-1}, int64_t{3}, int64_t{1} << 50, INT64_MAX}) {
    EXPECT_EQ(KindOfRead(header + Number(2) + Number(size) + Number(1) + Number(2) + kSync, kInt), ErrorKind::kCorrupt) << size;
  }
  EXPECT_EQ(KindOfRead(header + Number(1) + Number(1) + Number(7) + std::string(16, 'x'), kInt), ErrorKind::kCorrupt)
      << "sync marker";
  // Records that take no bytes.
  EXPECT_EQ(KindOfRead(OneField(R"("null")", int64_t{1} << 40, ""), kInt), ErrorKind::kCorrupt);
}

TEST(AvroCorruption, EveryTruncationIsCorruptOrEndsAtABlock) {
  for (const char* name : {"types-1.avro", "fastavro-null.avro", "fastavro-zstandard.avro"}) {
    const std::string bytes = ReadSample(name);
    ASSERT_OK_AND_ASSIGN(const auto whole, ReadAvroRows(bytes, kInt));
    int readable = 0;
    for (size_t size = 0; size < bytes.size(); size += 41) {
      const auto rows = ReadAvroRows(bytes.substr(0, size), kInt);
      if (rows.ok()) {
        ++readable;
        EXPECT_LT(rows->size(), whole.size());
      } else {
        ASSERT_EQ(KindOf(rows.status()), ErrorKind::kCorrupt) << size << " " << rows.status().ToString();
      }
    }
    EXPECT_LE(readable, 2);
  }
}

TEST(AvroCorruption, DamagedCompressionIsCorrupt) {
  for (const char* codec : {"deflate", "snappy", "zstandard"}) {
    const std::string garbage(30, '\x5a');
    EXPECT_EQ(KindOfRead(OneField(R"("int")", 1, garbage, codec), kInt), ErrorKind::kCorrupt) << codec;
    EXPECT_EQ(KindOfRead(OneField(R"("int")", 1, "", codec), kInt), ErrorKind::kCorrupt) << codec;
  }
  // A snappy block that claims to expand to 4 GiB, and one whose checksum is wrong.
  EXPECT_EQ(KindOfRead(OneField(R"("int")", 1, "\xff\xff\xff\xff\x0f" + std::string(20, 'a'), "snappy"), kInt),
            ErrorKind::kCorrupt);
  std::string bytes = ReadSample("fastavro-snappy.avro");
  bytes[bytes.size() - 17] = static_cast<char>(bytes[bytes.size() - 17] ^ 1);
  EXPECT_EQ(KindOfRead(bytes, kInt), ErrorKind::kCorrupt);
}

TEST(AvroCorruption, UnknownCodecsAreUnsupportedAndNamed) {
  for (const char* codec : {"bzip2", "xz", "lzo"}) {
    const auto rows = ReadAvroRows(OneField(R"("int")", 1, Number(1), codec), kInt);
    EXPECT_EQ(ErrorKindOf(rows), ErrorKind::kUnsupported);
    EXPECT_THAT(rows.status().message(), ::testing::HasSubstr(codec));
  }
}

TEST(AvroCorruption, MalformedSchemasAreCorrupt) {
  for (const char* type :
       {R"("unknown")", "7", "[]", R"([["null"],"int"])", R"({"type":"array"})", R"({"type":"map"})",
        R"({"type":"record","name":"q"})", R"({"type":"fixed","name":"f","size":-1})", R"({"type":"union"})", R"({"name":"q"})",
        R"({"type":"record","name":"q","fields":[{"name":"a"}]})", R"({"type":"record","name":"r","fields":[]})"}) {
    EXPECT_EQ(KindOfRead(OneField(type, 0, ""), kInt), ErrorKind::kCorrupt) << type;
  }
  EXPECT_EQ(KindOfRead(Header("{") + Block(0, ""), kInt), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOfRead(Header(R"("int")") + Block(0, ""), kInt), ErrorKind::kCorrupt) << "the root is no record";
  EXPECT_EQ(KindOfRead("", kInt), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOfRead("PAR1 and some more", kInt), ErrorKind::kCorrupt);
}

TEST(AvroCorruption, DeeplyNestedSchemasAreCorrupt) {
  std::string open, close;
  for (int i = 0; i < 10000; ++i) {
    open += R"({"type":"array","items":)";
    close += "}";
  }
  EXPECT_EQ(KindOfRead(OneField(open + R"("int")" + close, 0, ""), kInt), ErrorKind::kCorrupt);
  // Not deep as text: each type refers to the one before.
  std::string fields = R"({"name":"f0","type":{"type":"record","name":"R0","fields":[{"name":"a","type":"int"}]}})";
  for (int i = 1; i < 10000; ++i) {
    const std::string n = std::to_string(i);
    fields += R"(,{"name":"f)" + n + R"(","type":{"type":"record","name":"R)" + n + R"(","fields":[{"name":"a","type":"R)" +
              std::to_string(i - 1) + R"("}]}})";
  }
  EXPECT_EQ(KindOfRead(Header(R"({"type":"record","name":"r","fields":[)" + fields + "]}") + Block(0, ""), kInt),
            ErrorKind::kCorrupt);
}

TEST(AvroCorruption, TypesThatDoubleAtEveryLevelCostNothing) {
  std::string fields = R"({"name":"x","type":"int"},{"name":"f0","type":{"type":"record","name":"R0","fields":[]}})";
  for (int i = 1; i < 100; ++i) {
    const std::string n = std::to_string(i), before = R"("R)" + std::to_string(i - 1) + R"(")";
    fields += R"(,{"name":"f)" + n + R"(","type":{"type":"record","name":"R)" + n + R"(","fields":[{"name":"a","type":)" +
              before + R"(},{"name":"b","type":)" + before + "}]}}";
  }
  const std::string bytes = Header(R"({"type":"record","name":"r","fields":[)" + fields + "]}") + Block(1, Number(5));
  ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(bytes, kInt));
  EXPECT_EQ(rows[0]["x"], 5);
}

TEST(AvroCorruption, RecursiveTypesAreUnsupported) {
  const char* list = R"({"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]})";
  EXPECT_EQ(KindOfRead(OneField(list, 0, ""), kInt), ErrorKind::kUnsupported);
}

TEST(AvroCorruption, ATypeThatCannotBeReadAsTheSchemasIsCorrupt) {
  EXPECT_EQ(KindOfRead(OneField(R"("string")", 1, Text("7")), kInt), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOfRead(OneField(R"("int")", 1, Number(7)), kTexts), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOfRead(OneField(R"(["null","int","string"])", 1, Number(0)), kInt), ErrorKind::kUnsupported);
}

TEST(AvroCorruption, ANullRecordAndANullMapKeyAreCorrupt) {
  const std::string schema = R"(["null",{"type":"record","name":"r","fields":[{"name":"x","type":"int"}]}])";
  EXPECT_EQ(KindOfRead(Header(schema) + Block(1, Number(0)), kInt), ErrorKind::kCorrupt);
  const char* map = R"({"type":"array","items":{"type":"record","name":"e","fields":[{"name":"key","type":["null","int"]},)"
                    R"({"name":"value","type":"int"}]},"logicalType":"map"})";
  const std::vector<Field> fields = {{.name = "x", .type = DataType::Map(DataType::Int(), DataType::Int())}};
  EXPECT_EQ(KindOfRead(OneField(map, 1, Number(1) + Number(0) + Number(4) + Number(0)), fields), ErrorKind::kCorrupt);
}

TEST(AvroCorruption, RandomDamageNeverHangsOrCrashes) {
  std::mt19937 random(5);
  for (const char* name :
       {"types-1.avro", "union-root.avro", "fastavro-null.avro", "fastavro-snappy.avro", "fastavro-deflate.avro"}) {
    const std::string bytes = ReadSample(name);
    for (int round = 0; round < 100; ++round) {
      std::string damaged = bytes;
      for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      const auto rows = ReadAvroRows(damaged, FieldsOfTypesTable());
      if (rows.ok()) continue;
      const ErrorKind kind = KindOf(rows.status());
      ASSERT_TRUE(kind == ErrorKind::kCorrupt || kind == ErrorKind::kUnsupported) << rows.status().ToString();
    }
  }
}

}  // namespace
}  // namespace bactrian
