#include "bactrian/meta/schema_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "bactrian/meta/schema_store.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Field Column(std::string name, TypePtr type) { return {-1, std::move(name), std::move(type), std::nullopt, std::nullopt}; }

/// id 0 p STRING (partition), 1 k INT (key), 2 v INT, 3 r ROW<4 x INT, 5 y STRING>, 6 a ARRAY<ROW<7 z INT>>, 8 m MAP<STRING,
/// INT>
TableSchema MakeTable(const Options& options = {}) {
  Schema schema;
  schema.fields = {Column("p", DataType::String()),
                   Column("k", DataType::Int()),
                   Column("v", DataType::Int()),
                   Column("r", DataType::Row({Column("x", DataType::Int()), Column("y", DataType::String())})),
                   Column("a", DataType::Array(DataType::Row({Column("z", DataType::Int())}))),
                   Column("m", DataType::Map(DataType::String(), DataType::Int()))};
  schema.partition_keys = {"p"};
  schema.primary_keys = {"p", "k"};
  schema.options = options;
  schema.options["bucket"] = "2";
  auto made = MakeInitialSchema(schema, 1);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return *made;
}

arrow::Result<TableSchema> Apply(const TableSchema& schema, const std::vector<SchemaChange>& changes,
                                 bool has_snapshot = true) {
  return ApplySchemaChanges(schema, changes, {.has_snapshot = has_snapshot, .now_millis = 77});
}

void ExpectRefused(const TableSchema& schema, const SchemaChange& change, std::string_view why,
                   ErrorKind kind = ErrorKind::kInvalid) {
  auto result = Apply(schema, {change});
  EXPECT_EQ(ErrorKindOf(result), kind);
  EXPECT_THAT(result.status().message(), HasSubstr(std::string(why)));
}

std::vector<std::string> Names(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

TEST(SchemaChange, OneCallMakesOneNewSchema) {
  const TableSchema before = MakeTable();
  ASSERT_OK_AND_ASSIGN(TableSchema after, Apply(before, {SetTableComment{"hello"}, SetOption{"x.y", "z"}, DropColumn{{"v"}},
                                                         AddColumn{.path = {"v"}, .type = DataType::String()}}));
  EXPECT_EQ(after.id, 1);
  EXPECT_EQ(after.time_millis, 77);
  EXPECT_EQ(after.comment, "hello");
  EXPECT_EQ(after.options.at("x.y"), "z");
  EXPECT_THAT(Names(after.fields), ElementsAre("p", "k", "r", "a", "m", "v"));
  EXPECT_EQ(after.fields.back().id, 9);  // never that of the column dropped
  EXPECT_EQ(after.highest_field_id, 9);
  ASSERT_OK_AND_ASSIGN(after, Apply(after, {SetTableComment{std::nullopt}, RemoveOption{"x.y"}}));
  EXPECT_EQ(after.comment, std::nullopt);
  EXPECT_EQ(after.options.count("x.y"), 0u);
}

TEST(SchemaChange, ColumnsAreAddedWhereAsked) {
  const TableSchema before = MakeTable();
  auto add = [](std::string name, std::optional<ColumnPosition> position) {
    return AddColumn{.path = {std::move(name)}, .type = DataType::Int(), .comment = {}, .position = std::move(position)};
  };
  ASSERT_OK_AND_ASSIGN(TableSchema after,
                       Apply(before, {add("first", ColumnPosition::First()), add("last", ColumnPosition::Last()),
                                      add("before", ColumnPosition::Before("k")), add("after", ColumnPosition::After("k")),
                                      add("end", std::nullopt)}));
  EXPECT_THAT(Names(after.fields), ElementsAre("first", "p", "before", "k", "after", "v", "r", "a", "m", "last", "end"));
  ExpectRefused(before, add("n", ColumnPosition::After("nope")), "\"nope\" does not exist", ErrorKind::kNotFound);
  ExpectRefused(before, add("v", std::nullopt), "\"v\" exists", ErrorKind::kAlreadyExists);
  ExpectRefused(before, add("_ROW_ID", std::nullopt), "reserved");
  ASSERT_OK_AND_ASSIGN(after, Apply(MakeTable({{"add-column-before-partition", "true"}}), {add("n", std::nullopt)}));
  EXPECT_EQ(after.fields[0].name, "n");
}

TEST(SchemaChange, AddedColumnsAreNullableAndNumberedFromTheHighestId) {
  const TableSchema before = MakeTable();
  ExpectRefused(before, AddColumn{.path = {"n"}, .type = DataType::Int(false)}, "NOT NULL");
  TypePtr row = DataType::Row({Column("q", DataType::Int())});
  ASSERT_OK_AND_ASSIGN(TableSchema after, Apply(before, {AddColumn{.path = {"n"}, .type = row, .comment = "c"}}));
  EXPECT_EQ(after.fields.back().id, 9);
  EXPECT_EQ(after.fields.back().type->fields()[0].id, 10);
  EXPECT_EQ(after.fields.back().description, "c");
  EXPECT_EQ(after.highest_field_id, 10);
}

TEST(SchemaChange, NestedFieldsAreReachedByPath) {
  const TableSchema before = MakeTable();
  ASSERT_OK_AND_ASSIGN(
      TableSchema after,
      Apply(before,
            {AddColumn{.path = {"r", "w"}, .type = DataType::Bigint(), .comment = {}, .position = ColumnPosition::First()},
             RenameColumn{{"a", "element", "z"}, "zz"}, SetColumnType{{"m", "value"}, DataType::Bigint()},
             DropColumn{{"r", "y"}}, SetColumnComment{{"r", "x"}, "the x"}}));
  EXPECT_EQ(after.FindField("r")->type->ToSqlString(), "ROW<`w` BIGINT, `x` INT COMMENT 'the x'>");
  EXPECT_EQ(after.FindField("r")->type->fields()[0].id, 9);
  EXPECT_EQ(after.FindField("a")->type->ToSqlString(), "ARRAY<ROW<`zz` INT>>");
  EXPECT_EQ(after.FindField("a")->type->children()[0]->fields()[0].id, 7);
  EXPECT_EQ(after.FindField("m")->type->ToSqlString(), "MAP<STRING, BIGINT>");
  ExpectRefused(before, SetColumnType{{"m", "key"}, DataType::Bigint()}, "keys of a MAP");
  ExpectRefused(before, DropColumn{{"a", "element", "z"}}, "last one");
  ExpectRefused(before, DropColumn{{"v", "x"}}, "not a ROW");
  ExpectRefused(before, DropColumn{{"r", "nope"}}, "\"nope\" does not exist", ErrorKind::kNotFound);
  ExpectRefused(before, AddColumn{.path = {"r", "x"}, .type = DataType::Int()}, "\"r.x\" exists", ErrorKind::kAlreadyExists);
  ExpectRefused(before, SetColumnType{{"a", "z"}, DataType::Bigint()}, "\"z\" is not in", ErrorKind::kNotFound);
}

TEST(SchemaChange, RenamingRewritesKeysAndOptions) {
  const TableSchema before = MakeTable({{"bucket-key", "k"},
                                        {"sequence.field", "v"},
                                        {"fields.v.aggregate-function", "max"},
                                        {"fields.vv.aggregate-function", "min"},
                                        {"fields.v,k.sequence-group", "r,v"},
                                        {"file-index.bloom-filter.columns", "k, v"}});
  ASSERT_OK_AND_ASSIGN(TableSchema after, Apply(before, {RenameColumn{{"k"}, "key"}, RenameColumn{{"v"}, "value"}}));
  EXPECT_THAT(after.primary_keys, ElementsAre("p", "key"));
  EXPECT_EQ(after.options, (Options{{"bucket", "2"},
                                    {"bucket-key", "key"},
                                    {"sequence.field", "value"},
                                    {"fields.value.aggregate-function", "max"},
                                    {"fields.vv.aggregate-function", "min"},
                                    {"fields.value,key.sequence-group", "r,value"},
                                    {"file-index.bloom-filter.columns", "key,value"}}));
  EXPECT_EQ(after.fields[1].id, 1);
  ExpectRefused(before, RenameColumn{{"p"}, "q"}, "partition key");
  ExpectRefused(before, RenameColumn{{"k"}, "v"}, "\"v\" exists", ErrorKind::kAlreadyExists);
  ExpectRefused(before, RenameColumn{{"nope"}, "x"}, "does not exist", ErrorKind::kNotFound);
  ExpectRefused(before, RenameColumn{{}, "x"}, "names no column");
}

TEST(SchemaChange, KeysAndColumnsInUseAreNotDropped) {
  const TableSchema before = MakeTable({{"sequence.field", "v"}});
  ExpectRefused(before, DropColumn{{"p"}}, "key column");
  ExpectRefused(before, DropColumn{{"k"}}, "key column");
  ExpectRefused(before, DropColumn{{"v"}}, "sequence.field");
  Schema one;
  one.fields = {Column("a", DataType::Int())};
  ExpectRefused(*MakeInitialSchema(one, 0), DropColumn{{"a"}}, "last one");
}

TEST(SchemaChange, TypesChangeWhereACastExists) {
  const TableSchema before = MakeTable();
  ASSERT_OK_AND_ASSIGN(TableSchema after, Apply(before, {SetColumnType{{"v"}, DataType::Bigint()}}));
  EXPECT_EQ(after.FindField("v")->type->ToSqlString(), "BIGINT");
  EXPECT_EQ(after.FindField("v")->id, 2);
  ASSERT_OK(Apply(before, {SetColumnType{{"v"}, DataType::Make(TypeRoot::kTinyint)}}));
  ExpectRefused(MakeTable({{"disable-explicit-type-casting", "true"}}),
                SetColumnType{{"v"}, DataType::Make(TypeRoot::kTinyint)}, "cannot become TINYINT");
  ExpectRefused(before, SetColumnType{{"v"}, DataType::Make(TypeRoot::kDate)}, "cannot become DATE");
  ExpectRefused(before, SetColumnType{{"v"}, DataType::Make(TypeRoot::kBlob)}, "cannot become BLOB");
  ExpectRefused(before, SetColumnType{{"r"}, DataType::Int()}, "cannot become INT");
  ExpectRefused(before, SetColumnType{{"p"}, DataType::Int()}, "key column");
  ExpectRefused(before, SetColumnType{{"k"}, DataType::Bigint(false)}, "key column");
}

TEST(SchemaChange, NullableColumnsStaySo) {
  const TableSchema before = MakeTable();
  ExpectRefused(before, SetColumnNullability{{"v"}, false}, "cannot become NOT NULL");
  ExpectRefused(before, SetColumnType{{"v"}, DataType::Bigint(false)}, "cannot become NOT NULL");
  ExpectRefused(before, SetColumnNullability{{"k"}, true}, "primary key");
  ASSERT_OK_AND_ASSIGN(TableSchema after, Apply(before, {SetColumnType{{"v"}, DataType::Bigint(false), true}}));
  EXPECT_TRUE(after.FindField("v")->type->nullable());
  const TableSchema allowed = MakeTable({{"alter-column-null-to-not-null.disabled", "false"}});
  ASSERT_OK_AND_ASSIGN(after, Apply(allowed, {SetColumnNullability{{"v"}, false}, SetColumnNullability{{"r", "x"}, false}}));
  EXPECT_EQ(after.FindField("v")->type->ToSqlString(), "INT NOT NULL");
  EXPECT_EQ(after.FindField("r")->type->ToSqlString(), "ROW<`x` INT NOT NULL, `y` STRING>");
  ASSERT_OK_AND_ASSIGN(after, Apply(after, {SetColumnNullability{{"v"}, true}}));
  EXPECT_TRUE(after.FindField("v")->type->nullable());
}

TEST(SchemaChange, DefaultsAreValidatedAlsoWhenTheTypeChanges) {
  const TableSchema before = MakeTable();
  ASSERT_OK_AND_ASSIGN(TableSchema after, Apply(before, {SetColumnDefault{{"v"}, "300"}}));
  EXPECT_EQ(after.FindField("v")->default_value, "300");
  ExpectRefused(before, SetColumnDefault{{"v"}, "x"}, "default value of column \"v\"");
  ExpectRefused(after, SetColumnType{{"v"}, DataType::Make(TypeRoot::kTinyint)}, "default value of column \"v\"");
  ASSERT_OK_AND_ASSIGN(after, Apply(after, {SetColumnDefault{{"v"}, std::nullopt}}));
  EXPECT_EQ(after.FindField("v")->default_value, std::nullopt);
}

TEST(SchemaChange, ColumnsMove) {
  const TableSchema before = MakeTable();
  ASSERT_OK_AND_ASSIGN(
      TableSchema after,
      Apply(before, {MoveColumn{"m", ColumnPosition::First()}, MoveColumn{"p", ColumnPosition::Last()},
                     MoveColumn{"v", ColumnPosition::Before("k")}, MoveColumn{"a", ColumnPosition::After("m")}}));
  EXPECT_THAT(Names(after.fields), ElementsAre("m", "a", "v", "k", "r", "p"));
  ExpectRefused(before, MoveColumn{"v", ColumnPosition::After("v")}, "next to itself");
  ExpectRefused(before, MoveColumn{"v", ColumnPosition::After("nope")}, "does not exist", ErrorKind::kNotFound);
}

TEST(SchemaChange, ImmutableOptionsStayOnceThereIsASnapshot) {
  const TableSchema before = MakeTable({{"merge-engine", "deduplicate"}});
  for (const char* key : {"bucket-key", "bucket-function.type", "data-file.path-directory", "merge-engine",
                          "sequence.snapshot-ordering", "rowkind.field", "primary-key.nullable", "force-lookup",
                          "row-tracking.enabled", "blob-field", "pk-clustering-override"}) {
    ExpectRefused(before, SetOption{key, "k"}, key);
  }
  ExpectRefused(before, RemoveOption{"merge-engine"}, "merge-engine");
  ASSERT_OK(Apply(before, {SetOption{"merge-engine", "deduplicate"}}));  // no change
  ASSERT_OK(Apply(before, {SetOption{"merge-engine", "partial-update"}}, /*has_snapshot=*/false));
  for (const char* key : {"path", "type", "primary-key", "partition"}) {
    EXPECT_EQ(ErrorKindOf(Apply(before, {SetOption{key, "x"}}, /*has_snapshot=*/false)), ErrorKind::kInvalid) << key;
  }
}

TEST(SchemaChange, BucketsChangeAmongPositiveNumbers) {
  const TableSchema before = MakeTable();
  ASSERT_OK(Apply(before, {SetOption{"bucket", "8"}}));
  ExpectRefused(before, SetOption{"bucket", "-1"}, "cannot change from 2 to -1");
  ExpectRefused(before, RemoveOption{"bucket"}, "cannot be removed");
  ExpectRefused(before, SetOption{"bucket", "many"}, "bucket");
  ASSERT_OK(Apply(before, {SetOption{"bucket", "-1"}}, /*has_snapshot=*/false));
}

TEST(SchemaChange, GuardedSwitches) {
  const TableSchema before = MakeTable({{"ignore-delete", "true"}});
  ExpectRefused(before, SetOption{"ignore-delete", "false"}, "switched off");
  ExpectRefused(before, RemoveOption{"ignore-delete"}, "switched off");
  ASSERT_OK(Apply(before, {SetOption{"ignore-update-before", "true"}}));
  ExpectRefused(before, SetOption{"deletion-vectors.enabled", "true"}, "deletion-vectors.modifiable");
  ASSERT_OK(Apply(before, {SetOption{"deletion-vectors.modifiable", "true"}, SetOption{"deletion-vectors.enabled", "true"}}));
}

TEST(SchemaChange, ThePrimaryKeyGoesOnlyWithoutSnapshots) {
  const TableSchema before = MakeTable({{"bucket-key", "k"}});
  ExpectRefused(before, DropPrimaryKey{}, "no snapshot");
  ASSERT_OK_AND_ASSIGN(TableSchema after, Apply(before, {DropPrimaryKey{}}, /*has_snapshot=*/false));
  EXPECT_TRUE(after.primary_keys.empty());
}

TEST(SchemaChange, CommentDirectivesMakeBlobsAndVectors) {
  const TableSchema before = MakeTable({{"blob-field", "old"}});
  TypePtr floats = DataType::Array(DataType::Make(TypeRoot::kFloat));
  ASSERT_OK_AND_ASSIGN(TableSchema after,
                       Apply(before, {AddColumn{.path = {"b"}, .type = DataType::Bytes(), .comment = "__BLOB_FIELD; a picture"},
                                      AddColumn{.path = {"e"}, .type = floats, .comment = "__VECTOR_FIELD;3;an embedding"},
                                      AddColumn{.path = {"f"}, .type = floats, .comment = "__VECTOR_FIELD;4"}}));
  EXPECT_EQ(after.FindField("b")->type->ToSqlString(), "BLOB");
  EXPECT_EQ(after.FindField("b")->description, "a picture");
  EXPECT_EQ(after.options.at("blob-field"), "old,b");
  EXPECT_EQ(after.FindField("e")->type->root(), TypeRoot::kVector);
  EXPECT_EQ(after.FindField("e")->type->length(), 3);
  EXPECT_EQ(after.FindField("e")->description, "an embedding");
  EXPECT_EQ(after.FindField("f")->description, std::nullopt);
  EXPECT_EQ(after.options.at("vector-field"), "e,f");
  ExpectRefused(before, AddColumn{.path = {"b"}, .type = DataType::Int(), .comment = "__BLOB_VIEW_FIELD"}, "BYTES");
  ExpectRefused(before, AddColumn{.path = {"e"}, .type = floats, .comment = "__VECTOR_FIELD;0"}, "dimension");
  ExpectRefused(after, RenameColumn{{"b"}, "c"}, "BLOB");
}

}  // namespace
}  // namespace bactrian
