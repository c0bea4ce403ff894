#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "bactrian/meta/schema_store.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Field Column(std::string name, TypePtr type = DataType::Int()) {
  return {-1, std::move(name), std::move(type), std::nullopt, std::nullopt};
}

Schema ThreeColumns() {
  Schema schema;
  schema.fields = {Column("a"), Column("b", DataType::String()), Column("c", DataType::Bigint())};
  return schema;
}

void ExpectInvalid(const Schema& schema, std::string_view why) {
  auto result = MakeInitialSchema(schema, 0);
  EXPECT_EQ(ErrorKindOf(result), ErrorKind::kInvalid);
  EXPECT_THAT(result.status().message(), HasSubstr(std::string(why)));
}

TEST(InitialSchema, ColumnsAreNumberedBeforeTheirFieldsAndFieldsAfterTheirs) {
  TypePtr inner = DataType::Row({Column("x"), Column("y")});
  TypePtr outer = DataType::Row({Column("p", DataType::Array(inner)), Column("q")});
  Schema schema;
  schema.fields = {Column("a"), Column("r", DataType::Map(DataType::String(), outer)), Column("z")};
  ASSERT_OK_AND_ASSIGN(TableSchema made, MakeInitialSchema(schema, 5));
  EXPECT_EQ(made.fields[0].id, 0);
  EXPECT_EQ(made.fields[1].id, 1);
  const DataType& row = *made.fields[1].type->children()[1];
  EXPECT_EQ(row.fields()[0].type->children()[0]->fields()[0].id, 2);
  EXPECT_EQ(row.fields()[0].type->children()[0]->fields()[1].id, 3);
  EXPECT_EQ(row.fields()[0].id, 4);
  EXPECT_EQ(row.fields()[1].id, 5);
  EXPECT_EQ(made.fields[2].id, 6);
  EXPECT_EQ(made.highest_field_id, 6);
  EXPECT_EQ(made.id, 0);
  EXPECT_EQ(made.time_millis, 5);
  EXPECT_EQ(made.version, TableSchema::kCurrentVersion);
}

TEST(InitialSchema, PrimaryKeysAreNotNull) {
  Schema schema = ThreeColumns();
  schema.primary_keys = {"c"};
  ASSERT_OK_AND_ASSIGN(TableSchema made, MakeInitialSchema(schema, 0));
  EXPECT_TRUE(made.fields[0].type->nullable());
  EXPECT_FALSE(made.fields[2].type->nullable());
  schema.options["primary-key.nullable"] = "true";
  schema.fields[2].type = DataType::Bigint(false);
  ASSERT_OK_AND_ASSIGN(made, MakeInitialSchema(schema, 0));
  EXPECT_TRUE(made.fields[2].type->nullable());
}

TEST(InitialSchema, KeysGivenAsOptionsMoveToTheLists) {
  Schema schema = ThreeColumns();
  schema.options = {{"primary-key", "a, c"}, {"partition", "a"}, {"bucket", "2"}, {"unknown.option", "kept"}};
  ASSERT_OK_AND_ASSIGN(TableSchema made, MakeInitialSchema(schema, 0));
  EXPECT_THAT(made.primary_keys, ElementsAre("a", "c"));
  EXPECT_THAT(made.partition_keys, ElementsAre("a"));
  EXPECT_EQ(made.options, (Options{{"bucket", "2"}, {"unknown.option", "kept"}}));
  schema.primary_keys = {"a"};
  ExpectInvalid(schema, "primary-key");
}

TEST(InitialSchema, NamesAreUniqueGivenAndNotReserved) {
  Schema schema = ThreeColumns();
  schema.fields.push_back(Column("a"));
  ExpectInvalid(schema, "\"a\" is given twice");
  for (const char* name : {"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID", "_KEY_a"}) {
    schema.fields.back().name = name;
    ExpectInvalid(schema, "reserved");
  }
  schema.fields.back().name = "";
  ExpectInvalid(schema, "no name");
  schema.fields.back() = Column("r", DataType::Row({Column("x"), Column("x")}));
  ExpectInvalid(schema, "two fields \"x\"");
  schema.fields.back().name = "A";  // names that differ in case are different columns
  schema.fields.back().type = DataType::Int();
  ASSERT_OK(MakeInitialSchema(schema, 0));
  schema.fields.clear();
  ExpectInvalid(schema, "at least one column");
}

TEST(InitialSchema, KeysMustBeColumnsOfAFittingType) {
  Schema schema = ThreeColumns();
  schema.partition_keys = {"nope"};
  ExpectInvalid(schema, "partition key \"nope\" is not a column");
  schema.partition_keys = {"a", "a"};
  ExpectInvalid(schema, "given twice");
  schema.partition_keys = {"a"};
  schema.primary_keys = {"a"};
  ExpectInvalid(schema, "must not be the same as the partition keys");
  schema.fields.push_back(Column("n", DataType::Array(DataType::Int())));
  schema.primary_keys = {"n"};
  ExpectInvalid(schema, "cannot be a primary key");
  schema.primary_keys.clear();
  schema.fields.back().type = DataType::Bytes();
  schema.partition_keys = {"n"};
  ExpectInvalid(schema, "cannot be binary");
}

TEST(InitialSchema, BucketOptionsMustFitTheTable) {
  Schema schema = ThreeColumns();
  schema.options["bucket"] = "4";
  ExpectInvalid(schema, "needs option 'bucket-key'");
  schema.options["bucket-key"] = "b";
  ASSERT_OK(MakeInitialSchema(schema, 0));
  schema.options["bucket-key"] = "b,nope";
  ExpectInvalid(schema, "\"nope\" is not a column");
  schema.options["bucket-key"] = "b,b";
  ExpectInvalid(schema, "given twice");
  schema.options["bucket-key"] = "b";
  schema.partition_keys = {"b"};
  ExpectInvalid(schema, "partition key");
  schema.partition_keys.clear();
  schema.primary_keys = {"a"};
  ExpectInvalid(schema, "not in the primary key");
  schema.options["bucket"] = "-1";
  schema.primary_keys.clear();
  ExpectInvalid(schema, "bucket-key");
  schema.options.erase("bucket-key");
  ASSERT_OK(MakeInitialSchema(schema, 0));
  for (const char* bucket : {"0", "-3", "many", "2147483648"}) {
    schema.options["bucket"] = bucket;
    ExpectInvalid(schema, "bucket");
  }
  schema.options["bucket"] = "-2";
  ExpectInvalid(schema, "needs a primary key");
  schema.primary_keys = {"a"};
  ASSERT_OK(MakeInitialSchema(schema, 0));
}

TEST(InitialSchema, DefaultsMustBeValuesOfTheirColumn) {
  Schema schema = ThreeColumns();
  schema.fields[0].default_value = "5";
  ASSERT_OK(MakeInitialSchema(schema, 0));
  schema.fields[0].default_value = "five";
  ExpectInvalid(schema, "default value of column \"a\"");
}

TEST(InitialSchema, RowTrackingIsForAppendTables) {
  Schema schema = ThreeColumns();
  schema.options["data-evolution.enabled"] = "true";
  ExpectInvalid(schema, "needs row-tracking.enabled");
  schema.options["row-tracking.enabled"] = "true";
  ASSERT_OK(MakeInitialSchema(schema, 0));
  schema.primary_keys = {"a"};
  ExpectInvalid(schema, "without a primary key");
  schema.options["row-tracking.enabled"] = "maybe";
  ExpectInvalid(schema, "row-tracking.enabled");
}

}  // namespace
}  // namespace bactrian
