#include "bactrian/data_type.h"

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bactrian {
namespace {

using ::testing::HasSubstr;

std::string Reprint(std::string_view sql) {
  auto type = ParseSqlType(sql);
  return type.ok() ? (*type)->ToSqlString() : "error: " + type.status().message();
}

// Expectations were printed by the reference's DataTypeJsonParser.
TEST(SqlType, AtomicTypesReadAndPrintAsInTheReference) {
  const std::pair<const char*, const char*> cases[] = {
      {"INT", "INT"},
      {"int not null", "INT NOT NULL"},
      {"  INT  ", "INT"},
      {"INTEGER", "INT"},
      {"TIMESTAMP", "TIMESTAMP(6)"},
      {"TIMESTAMP_LTZ", "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
      {"TIMESTAMP_LTZ(3) not null", "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL"},
      {"timestamp_ltz (3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE"},
      {"TIMESTAMP(3) WITHOUT TIME ZONE", "TIMESTAMP(3)"},
      {"TIMESTAMP WITH LOCAL TIME ZONE", "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
      {"TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL", "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL"},
      {"TIME", "TIME(0)"},
      {"TIME(3) WITHOUT TIME ZONE", "TIME(3)"},
      {"VARCHAR", "VARCHAR(1)"},
      {"CHAR", "CHAR(1)"},
      {"BINARY", "BINARY(1)"},
      {"VARBINARY", "VARBINARY(1)"},
      {"VARCHAR(2147483647)", "STRING"},
      {"VARBINARY(2147483647)", "BYTES"},
      {"STRING NULL", "STRING"},
      {"BYTES", "BYTES"},
      {"DECIMAL", "DECIMAL(10, 0)"},
      {"DEC(5)", "DECIMAL(5, 0)"},
      {"NUMERIC(5,2)", "DECIMAL(5, 2)"},
      {"DECIMAL( 10 , 2 )", "DECIMAL(10, 2)"},
      {"DOUBLE PRECISION", "DOUBLE"},
      {"DOUBLE\tPRECISION\n", "DOUBLE"},
      {"INT ARRAY", "ARRAY<INT>"},
      {"INT NOT NULL ARRAY NOT NULL", "ARRAY<INT NOT NULL> NOT NULL"},
      {"INT MULTISET", "MULTISET<INT>"},
      {"VECTOR<FLOAT, 3>", "VECTOR<FLOAT, 3>"},
      {"BLOB", "BLOB"},
      {"VARIANT", "VARIANT"},
  };
  for (const auto& [sql, expected] : cases) EXPECT_EQ(Reprint(sql), expected);
}

TEST(SqlType, WhatTheReferenceRefusesIsInvalid) {
  for (const char* sql : {"",
                          "DECIMAL(39,1)",
                          "DECIMAL(5,6)",
                          "DECIMAL(0)",
                          "CHAR(0)",
                          "TIME(10)",
                          "TIMESTAMP(10)",
                          "INT NULL NOT NULL",
                          "TIMESTAMP(3) WITH TIME ZONE",
                          "INT INT",
                          "CHARACTER(3)",
                          "STRING(3)",
                          "CHAR(99999999999)",
                          "CHAR(-1)",
                          "CHAR(1.5)",
                          "'INT'",
                          "`INT`",
                          "VECTOR<STRING, 3>",
                          "VECTOR<INT, 0>",
                          "VECTOR<INT>",
                          "REAL",
                          "NULL",
                          "DECIMAL()",
                          "BINARY VARYING(3)",
                          "INT ARRAY ARRAY",
                          "ARRAY<INT",
                          "ARRAY<>",
                          "MAP<INT>",
                          "ROW<a INT b INT>",
                          "ROW<a>",
                          "ROW<a INT,>",
                          "ARRAY<INT>>",
                          "ROW<`a INT>",
                          "INT NOT",
                          "INT -- x"}) {
    auto type = ParseSqlType(sql);
    ASSERT_FALSE(type.ok()) << sql;
    EXPECT_EQ(KindOf(type.status()), ErrorKind::kInvalid) << sql;
  }
}

TEST(SqlType, NestedTypesPrintAsInTheReferenceAndReadBack) {
  const char* text =
      "ROW<`a``b` INT NOT NULL COMMENT 'it''s', `c` STRING DEFAULT 'd, e', `d` ARRAY<MAP<STRING, VECTOR<FLOAT, 3>>> DEFAULT x> "
      "NOT NULL";
  auto type = ParseSqlType(text).ValueOrDie();
  EXPECT_EQ(type->ToSqlString(), text);
  ASSERT_EQ(type->fields().size(), 3U);
  EXPECT_FALSE(type->nullable());
  EXPECT_EQ(type->fields()[0].name, "a`b");
  EXPECT_EQ(type->fields()[0].id, -1);
  EXPECT_EQ(type->fields()[0].description, "it's");
  EXPECT_EQ(type->fields()[1].default_value, "'d, e'");
  EXPECT_EQ(type->fields()[2].type->children()[0]->children()[1]->length(), 3);
  EXPECT_EQ(Reprint("ROW<a INT 'x', array ARRAY<INT>>"), "ROW<`a` INT COMMENT 'x', `array` ARRAY<INT>>");
  EXPECT_EQ(Reprint("ROW<>"), "ROW<>");
  EXPECT_EQ(Reprint("MULTISET<BLOB>"), "MULTISET<BLOB>");
}

TEST(SqlType, GeoTypesQuoteAnUnusualReferenceSystem) {
  EXPECT_EQ(Reprint("GEOMETRY"), "GEOMETRY(OGC:CRS84)");
  EXPECT_EQ(Reprint("GEOGRAPHY(EPSG:4326)"), "GEOGRAPHY(EPSG:4326, spherical)");
  EXPECT_EQ(Reprint("GEOGRAPHY('4326', vincenty) NOT NULL"), "GEOGRAPHY('4326', vincenty) NOT NULL");
  EXPECT_EQ(Reprint("GEOMETRY('it''s (odd)')"), "GEOMETRY('it''s (odd)')");
}

TEST(SqlType, DeepNestingIsRefusedAtOnce) {
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "ARRAY<";
  deep += "INT" + std::string(10000, '>');
  auto type = ParseSqlType(deep);
  ASSERT_FALSE(type.ok());
  EXPECT_THAT(type.status().message(), HasSubstr("100 levels"));
  EXPECT_LT(type.status().message().size(), 300U);
  std::string allowed;
  for (int i = 0; i < 100; ++i) allowed += "ARRAY<";
  EXPECT_TRUE(ParseSqlType(allowed + "INT" + std::string(100, '>')).ok());
}

TEST(JsonType, ConstructedTypesAreObjects) {
  const char* text =
      R"json({"type":"ROW NOT NULL","fields":[{"id":4,"name":"a","type":"INT"},{"id":5,"name":"b","type":{"type":"ARRAY",)json"
      R"json("element":"STRING"},"description":"x","defaultValue":"[]"},{"id":6,"name":"m","type":{"type":"MAP",)json"
      R"json("key":"STRING NOT NULL","value":{"type":"VECTOR","element":"FLOAT NOT NULL","length":3}}},)json"
      R"json({"id":7,"name":"s","type":{"type":"MULTISET","element":"DECIMAL(10, 2)"}}]})json";
  auto type = ParseJsonType(text).ValueOrDie();
  EXPECT_EQ(type->ToJson(), text);
  EXPECT_EQ(type->fields()[1].id, 5);
  EXPECT_EQ(ParseJsonType("\"DECIMAL(10,2) NOT NULL\"").ValueOrDie()->ToJson(), "\"DECIMAL(10, 2) NOT NULL\"");
}

TEST(JsonType, MalformedTypesAreCorrupt) {
  for (const char* text : {"",
                           "{",
                           "7",
                           "null",
                           "[]",
                           "{}",
                           "\"NOSUCH\"",
                           R"({"type":"NOSUCH"})",
                           R"({"type":7})",
                           R"({"type":"ARRAY"})",
                           R"({"type":"MAP","key":"INT"})",
                           R"({"type":"ROW"})",
                           R"({"type":"ROW","fields":{}})",
                           R"({"type":"ROW","fields":[1]})",
                           R"({"type":"ROW","fields":[{"name":"a","type":"INT"}]})",
                           R"({"type":"ROW","fields":[{"id":1,"type":"INT"}]})",
                           R"({"type":"ROW","fields":[{"id":1,"name":"a"}]})",
                           R"({"type":"ROW","fields":[{"id":99999999999,"name":"a","type":"INT"}]})",
                           R"({"type":"VECTOR","element":"INT"})",
                           R"({"type":"VECTOR","element":"INT","length":-1})",
                           R"({"type":"VECTOR","element":"INT","length":1e3})",
                           R"({"type":"VECTOR","element":"STRING","length":3})",
                           "\"\xff\""}) {
    auto type = ParseJsonType(text);
    ASSERT_FALSE(type.ok()) << text;
    EXPECT_EQ(KindOf(type.status()), ErrorKind::kCorrupt) << text;
  }
}

TEST(JsonType, DeepNestingIsRefusedAtOnce) {
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += R"({"type":"ARRAY","element":)";
  deep += "\"INT\"" + std::string(10000, '}');
  auto type = ParseJsonType(deep);
  ASSERT_FALSE(type.ok());
  EXPECT_EQ(KindOf(type.status()), ErrorKind::kCorrupt);
  EXPECT_FALSE(ParseJsonType(std::string(1000000, '[')).ok());
}

TEST(DataType, EqualityIsByValueAndSeesNullability) {
  auto a = ParseSqlType("ROW<a INT, b ARRAY<STRING>>").ValueOrDie();
  auto b = ParseSqlType("ROW<a INT, b ARRAY<STRING>>").ValueOrDie();
  EXPECT_TRUE(a->Equals(*b));
  EXPECT_FALSE(a->Equals(*b->WithNullable(false)));
  EXPECT_TRUE(a->EqualsIgnoreNullable(*b->WithNullable(false)));
  EXPECT_FALSE(a->EqualsIgnoreNullable(*ParseSqlType("ROW<a INT, b ARRAY<STRING NOT NULL>>").ValueOrDie()));
  EXPECT_FALSE(a->Equals(*ParseSqlType("ROW<a INT, c ARRAY<STRING>>").ValueOrDie()));
  EXPECT_FALSE(DataType::Decimal(10, 2)->Equals(*DataType::Decimal(10, 3)));
  EXPECT_FALSE(DataType::String()->Equals(*DataType::WithLength(TypeRoot::kVarchar, 5)));
}

std::string ArrowText(std::string_view sql) { return ToArrowType(*ParseSqlType(sql).ValueOrDie()).ValueOrDie()->ToString(); }

TEST(ArrowType, EveryTypeHasItsArrowType) {
  const std::pair<const char*, const char*> cases[] = {
      {"CHAR(3)", "string"},
      {"STRING", "string"},
      {"BINARY(3)", "binary"},
      {"BYTES", "binary"},
      {"BLOB", "binary"},
      {"GEOMETRY", "binary"},
      {"BOOLEAN", "bool"},
      {"TINYINT", "int8"},
      {"SMALLINT", "int16"},
      {"INT", "int32"},
      {"BIGINT", "int64"},
      {"FLOAT", "float"},
      {"DOUBLE", "double"},
      {"DECIMAL(10, 2)", "decimal128(10, 2)"},
      {"DATE", "date32[day]"},
      {"TIME(9)", "time32[ms]"},
      {"TIMESTAMP(0)", "timestamp[ms]"},
      {"TIMESTAMP(3)", "timestamp[ms]"},
      {"TIMESTAMP(4)", "timestamp[us]"},
      {"TIMESTAMP(6)", "timestamp[us]"},
      {"TIMESTAMP(7)", "timestamp[ns]"},
      {"TIMESTAMP_LTZ(9)", "timestamp[ns, tz=UTC]"},
      {"ARRAY<INT NOT NULL>", "list<element: int32 not null>"},
      {"VECTOR<FLOAT, 3>", "fixed_size_list<element: float>[3]"},
      {"MULTISET<STRING>", "map<string, int32>"},
      {"MAP<STRING, INT>", "map<string, int32>"},
      {"VARIANT", "struct<value: binary not null, metadata: binary not null>"},
  };
  for (const auto& [sql, expected] : cases) EXPECT_THAT(ArrowText(sql), HasSubstr(expected)) << sql;
}

TEST(ArrowType, FieldsCarryNameNullabilityAndId) {
  auto field =
      ToArrowField({.id = 7, .name = "a", .type = DataType::Row({{.id = 9, .name = "x", .type = DataType::Int(false)}})})
          .ValueOrDie();
  EXPECT_EQ(field->name(), "a");
  EXPECT_TRUE(field->nullable());
  EXPECT_EQ(field->metadata()->Get("PARQUET:field_id").ValueOrDie(), "7");
  EXPECT_FALSE(field->type()->field(0)->nullable());
  EXPECT_EQ(field->type()->field(0)->metadata()->Get("PARQUET:field_id").ValueOrDie(), "9");
}

TEST(ArrowType, ArrowTypesBecomePaimonTypes) {
  const std::pair<std::shared_ptr<arrow::DataType>, const char*> cases[] = {
      {arrow::uint8(), "SMALLINT"},
      {arrow::uint16(), "INT"},
      {arrow::uint32(), "BIGINT"},
      {arrow::uint64(), "DECIMAL(20, 0)"},
      {arrow::large_utf8(), "STRING"},
      {arrow::utf8_view(), "STRING"},
      {arrow::binary_view(), "BYTES"},
      {arrow::fixed_size_binary(4), "BINARY(4)"},
      {arrow::dictionary(arrow::int8(), arrow::utf8()), "STRING"},
      {arrow::timestamp(arrow::TimeUnit::SECOND), "TIMESTAMP(0)"},
      {arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Berlin"), "TIMESTAMP(9) WITH LOCAL TIME ZONE"},
      {arrow::time64(arrow::TimeUnit::MICRO), "TIME(6)"},
      {arrow::decimal256(38, 5), "DECIMAL(38, 5)"},
      {arrow::list(arrow::int8()), "ARRAY<TINYINT>"},
      {arrow::fixed_size_list(arrow::float32(), 3), "VECTOR<FLOAT, 3>"},
      {arrow::fixed_size_list(arrow::utf8(), 3), "ARRAY<STRING>"},
      {arrow::map(arrow::utf8(), arrow::int64()), "MAP<STRING NOT NULL, BIGINT>"},
      {arrow::struct_({arrow::field("x", arrow::date32(), false)}), "ROW<`x` DATE NOT NULL>"},
  };
  for (const auto& [type, expected] : cases) {
    EXPECT_EQ(FromArrowType(*type).ValueOrDie()->ToSqlString(), expected) << type->ToString();
  }
  EXPECT_FALSE(FromArrowType(*arrow::int32(), false).ValueOrDie()->nullable());
}

TEST(ArrowType, WhatPaimonCannotHoldIsNamed) {
  for (const auto& type : {arrow::null(), arrow::duration(arrow::TimeUnit::SECOND), arrow::decimal256(60, 5),
                           arrow::decimal128(5, -2), arrow::list(arrow::month_interval())}) {
    auto result = FromArrowType(*type);
    ASSERT_FALSE(result.ok()) << type->ToString();
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kUnsupported);
  }
}

TEST(ArrowType, ATypeComesBackFromItsArrowTypeWithFieldIds) {
  auto type = DataType::Row({{.id = 3, .name = "a", .type = DataType::Decimal(10, 2)},
                             {.id = 4, .name = "b", .type = DataType::Array(DataType::Bigint(false))}});
  EXPECT_TRUE(FromArrowType(*ToArrowType(*type).ValueOrDie()).ValueOrDie()->Equals(*type));
}

}  // namespace
}  // namespace bactrian
