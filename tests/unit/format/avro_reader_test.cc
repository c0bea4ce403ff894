#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "avro_samples.h"
#include "bactrian/format/avro/avro_file.h"

namespace bactrian {
namespace {

using nlohmann::json;

/// Maps are compared as sets: their order in the file is the writer's hash order.
json Normalised(const json& value, const DataType& type) {
  if (value.is_null()) return value;
  if (type.root() == TypeRoot::kFloat && value.is_number()) return static_cast<double>(value.get<float>());
  if (type.root() == TypeRoot::kMap || type.root() == TypeRoot::kMultiset) {
    const TypePtr value_type = type.root() == TypeRoot::kMap ? type.children()[1] : DataType::Int();
    std::vector<std::pair<std::string, json>> entries;
    for (const json& entry : value) {
      json normal = json::array({Normalised(entry[0], *type.children()[0]), Normalised(entry[1], *value_type)});
      entries.emplace_back(normal.dump(), normal);
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    json sorted = json::array();
    for (auto& [text, entry] : entries) sorted.push_back(std::move(entry));
    return sorted;
  }
  json result = value;
  if (type.root() == TypeRoot::kArray) {
    for (json& item : result) item = Normalised(item, *type.children()[0]);
  } else if (type.root() == TypeRoot::kRow) {
    for (const Field& field : type.fields()) result[field.name] = Normalised(value[field.name], *field.type);
  }
  return result;
}

std::vector<std::string> SortedTexts(const std::vector<json>& rows) {
  std::vector<std::string> texts;
  for (const json& row : rows) texts.push_back(row.dump());
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(AvroReader, ReadsEveryTypeAsTheReferenceDoes) {
  const std::vector<Field> fields = FieldsOfTypesTable();
  const auto normalise = [&](json row) {
    for (const Field& field : fields) row[field.name] = Normalised(row[field.name], *field.type);
    return row;
  };
  std::vector<json> rows, expected;
  for (const char* name : {"types-1.avro", "types-2.avro"}) {
    ASSERT_OK_AND_ASSIGN(const auto part, ReadAvroRows(ReadSample(name), fields));
    for (const json& row : part) rows.push_back(normalise(row));
  }
  std::istringstream lines(ReadSample("types-rows.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    json row = json::parse(line);
    row.erase("_kind");
    expected.push_back(normalise(std::move(row)));
  }
  ASSERT_EQ(expected.size(), 40u);
  const auto texts = SortedTexts(rows), expected_texts = SortedTexts(expected);
  ASSERT_EQ(texts.size(), expected_texts.size());
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], expected_texts[i]);
}

TEST(AvroReader, FindsFieldsByNameSkipsOthersAndFillsMissingOnesWithNull) {
  const std::vector<Field> all = FieldsOfTypesTable();
  ASSERT_OK_AND_ASSIGN(const auto whole, ReadAvroRows(ReadSample("types-1.avro"), all));
  // In another order, one of them twice, some that the file lacks, and a nested row with fewer and unknown fields.
  const TypePtr nested = DataType::Row({{.id = 1, .name = "c", .type = DataType::Decimal(10, 2)},
                                        {.id = 2, .name = "new", .type = DataType::Bigint()},
                                        {.id = 3, .name = "a", .type = DataType::Int()}});
  std::vector<Field> fields = {{.name = "f_row", .type = nested},
                               {.name = "none", .type = DataType::Array(DataType::String())},
                               {.name = "f_string", .type = DataType::String()},
                               {.name = "id", .type = DataType::Int()}};
  ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(ReadSample("types-1.avro"), fields, 7));
  ASSERT_EQ(rows.size(), whole.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["id"], whole[i]["id"]);
    EXPECT_EQ(rows[i]["f_string"], whole[i]["f_string"]);
    EXPECT_TRUE(rows[i]["none"].is_null());
    const json& row = whole[i]["f_row"];
    EXPECT_EQ(rows[i]["f_row"], row.is_null() ? row : json({{"a", row["a"]}, {"c", row["c"]}, {"new", nullptr}}));
  }
}

TEST(AvroReader, ReadsAUnionOfNullAndRecordAsRoot) {
  const std::vector<Field> fields = {{.name = "b", .type = DataType::String()}, {.name = "id", .type = DataType::Int()}};
  ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(ReadSample("union-root.avro"), fields));
  ASSERT_EQ(rows.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    const json b = i < 10 && i % 2 == 1 ? json("BB" + std::to_string(i)) : json(nullptr);
    EXPECT_EQ(rows[i], json({{"b", b}, {"id", i}}));
  }
}

/// Unions with null last, fixed, enums and unions of several types to skip, named types used twice, blocks of several sizes.
TEST(AvroReader, ReadsFilesOfAnotherWriterWithEveryCodec) {
  const TypePtr nested = DataType::Row({{.name = "flag", .type = DataType::Make(TypeRoot::kBoolean)},
                                        {.name = "names", .type = DataType::Array(DataType::String())}});
  const std::vector<Field> fields = {{.name = "id", .type = DataType::Bigint()},
                                     {.name = "null_last", .type = DataType::String()},
                                     {.name = "small", .type = DataType::WithLength(TypeRoot::kBinary, 4)},
                                     {.name = "again", .type = DataType::Bytes()},
                                     {.name = "nothing", .type = DataType::Int()},
                                     {.name = "fixed_decimal", .type = DataType::Decimal(30, 3)},
                                     {.name = "wide", .type = DataType::Make(TypeRoot::kDouble)},
                                     {.name = "micros", .type = DataType::WithPrecision(TypeRoot::kTimestamp, 9)},
                                     {.name = "nested", .type = nested},
                                     {.name = "more", .type = DataType::Array(nested)}};
  std::vector<json> expected;
  std::istringstream lines(ReadSample("fastavro-rows.jsonl"));
  for (std::string line; std::getline(lines, line);) expected.push_back(json::parse(line));
  for (const char* codec : {"null", "deflate", "snappy", "zstandard"}) {
    const std::string bytes = ReadSample("fastavro-" + std::string(codec) + ".avro");
    ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(bytes, fields, 33));
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i].dump(), expected[i].dump()) << codec;
    ASSERT_OK_AND_ASSIGN(auto file, OpenAvro(bytes));
    ASSERT_OK_AND_ASSIGN(const int64_t count, file->CountRows());
    EXPECT_EQ(count, 200);
  }
}

TEST(AvroReader, CountsRowsFromBlockHeads) {
  ASSERT_OK_AND_ASSIGN(auto file, OpenAvro(ReadSample("types-1.avro")));
  ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(ReadSample("types-1.avro"), {}));
  ASSERT_OK_AND_ASSIGN(const int64_t count, file->CountRows());
  EXPECT_EQ(count, static_cast<int64_t>(rows.size()));
}

TEST(AvroReader, BatchesHoldAtMostTheAskedNumberOfRows) {
  ASSERT_OK_AND_ASSIGN(auto file, OpenAvro(ReadSample("types-2.avro")));
  ASSERT_OK_AND_ASSIGN(auto reader, file->Read(FieldsOfTypesTable(), 3, nullptr, arrow::default_memory_pool()));
  ASSERT_OK_AND_ASSIGN(const int64_t total, file->CountRows());
  int64_t rows = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ASSERT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    EXPECT_LE(batch->num_rows(), 3);
    EXPECT_GT(batch->num_rows(), 0);
    rows += batch->num_rows();
  }
  EXPECT_EQ(rows, total);
}

TEST(AvroReader, TheHeadFilterDropsRecordsAndKeepsTheOthersWhole) {
  const std::vector<Field> fields = FieldsOfTypesTable();
  ASSERT_OK_AND_ASSIGN(const auto all, ReadAvroRows(ReadSample("types-1.avro"), fields));
  AvroHeadFilter filter;
  filter.field_names = {"f_string", "id", "no_such_field"};
  filter.accept = [](std::span<const int64_t> ints, std::span<const std::string_view> bytes) {
    EXPECT_EQ(ints[0], 0);
    EXPECT_EQ(ints[2], 0);
    EXPECT_TRUE(bytes[1].empty() && bytes[2].empty());
    return ints[1] % 2 == 1 || bytes[0] == "string";
  };
  ASSERT_OK_AND_ASSIGN(const auto rows, ReadAvroRows(ReadSample("types-1.avro"), fields, 1000, &filter));
  std::vector<json> expected;
  for (const json& row : all) {
    const int64_t id = row["id"].is_null() ? 0 : row["id"].get<int64_t>();
    if (id % 2 == 1 || row["f_string"] == "string") expected.push_back(row);
  }
  EXPECT_GT(expected.size(), 0u);
  EXPECT_LT(expected.size(), all.size());
  EXPECT_EQ(rows, expected);
}

}  // namespace
}  // namespace bactrian
