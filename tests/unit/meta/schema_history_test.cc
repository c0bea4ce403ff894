// Every step from one schema of the corpora to the next, which the reference made, made again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../corpus.h"
#include "../status_asserts.h"
#include "bactrian/base/json.h"
#include "bactrian/meta/schema_change.h"
#include "bactrian/meta/schema_store.h"

namespace bactrian {
namespace {

std::vector<Field>::const_iterator FindById(const std::vector<Field>& fields, int32_t id) {
  return std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.id == id; });
}

/// Changes inside one list of fields; `path` leads to it.
void InferFields(const std::vector<Field>& before, const std::vector<Field>& after, const ColumnPath& path,
                 std::vector<SchemaChange>* changes);

ColumnPath Append(ColumnPath path, std::string step) {
  path.push_back(std::move(step));
  return path;
}

void InferType(const TypePtr& before, const TypePtr& after, const ColumnPath& path, std::vector<SchemaChange>* changes) {
  if (before->Equals(*after)) return;
  if (before->root() == after->root() && before->nullable() == after->nullable()) {
    switch (after->root()) {
      case TypeRoot::kRow:
        return InferFields(before->fields(), after->fields(), path, changes);
      case TypeRoot::kArray:
        return InferType(before->children()[0], after->children()[0], Append(path, "element"), changes);
      case TypeRoot::kMap:
        return InferType(before->children()[1], after->children()[1], Append(path, "value"), changes);
      default:
        break;
    }
  }
  if (before->EqualsIgnoreNullable(*after)) {
    changes->push_back(SetColumnNullability{path, after->nullable()});
  } else {
    changes->push_back(SetColumnType{path, after, false});
  }
}

void InferFields(const std::vector<Field>& before, const std::vector<Field>& after, const ColumnPath& path,
                 std::vector<SchemaChange>* changes) {
  for (const Field& field : before) {
    if (FindById(after, field.id) == after.end()) changes->push_back(DropColumn{Append(path, field.name)});
  }
  for (const Field& field : after) {
    auto old = FindById(before, field.id);
    if (old == before.end()) {
      const auto position = &field == &after.front() ? ColumnPosition::First() : ColumnPosition::After((&field)[-1].name);
      changes->push_back(AddColumn{Append(path, field.name), field.type, field.description, position, field.default_value});
      continue;
    }
    const ColumnPath column = Append(path, field.name);
    if (old->name != field.name) changes->push_back(RenameColumn{Append(path, old->name), field.name});
    InferType(old->type, field.type, column, changes);
    if (old->description != field.description) changes->push_back(SetColumnComment{column, field.description});
    if (old->default_value != field.default_value) changes->push_back(SetColumnDefault{column, field.default_value});
  }
  if (!path.empty()) return;
  for (const Field& field : after) {  // in the order wanted, one behind the other
    if (&field == &after.front()) {
      changes->push_back(MoveColumn{field.name, ColumnPosition::First()});
    } else {
      changes->push_back(MoveColumn{field.name, ColumnPosition::After((&field)[-1].name)});
    }
  }
}

std::vector<SchemaChange> Infer(const TableSchema& before, const TableSchema& after) {
  std::vector<SchemaChange> changes;
  InferFields(before.fields, after.fields, {}, &changes);
  if (before.comment != after.comment) changes.push_back(SetTableComment{after.comment});
  for (const auto& [key, value] : after.options) {
    if (before.options.count(key) == 0 || before.options.at(key) != value) changes.push_back(SetOption{key, value});
  }
  for (const auto& [key, value] : before.options) {
    if (after.options.count(key) == 0) changes.push_back(RemoveOption{key});
  }
  if (!before.primary_keys.empty() && after.primary_keys.empty()) changes.push_back(DropPrimaryKey{});
  return changes;
}

TEST(SchemaHistory, EveryStepOfTheReferenceIsReproduced) {
  ASSERT_OK_AND_ASSIGN(auto store, FileStore::Open("/"));
  int steps = 0;
  for (const auto& path : CorpusFiles("/schema/", "schema-")) {
    TablePaths paths{path.parent_path().parent_path().string(), "main"};
    SchemaStore schemas(store, paths);
    const int64_t id = std::stoll(path.filename().string().substr(7));
    if (id == 0 || !std::filesystem::exists(paths.SchemaFile(id - 1))) continue;
    ASSERT_OK_AND_ASSIGN(auto before, schemas.Load(id - 1));
    ASSERT_OK_AND_ASSIGN(auto after, schemas.Load(id));
    const SchemaChangeContext context{.has_snapshot = true, .now_millis = after->time_millis};
    auto ours = ApplySchemaChanges(*before, Infer(*before, *after), context);
    ASSERT_TRUE(ours.ok()) << path << ours.status().ToString();
    EXPECT_EQ(ours->ToJson(), after->ToJson()) << path;
    ++steps;
  }
  EXPECT_GT(steps, 30);
}

// Tables whose creation case.json records: the same ids, nested ones too, and the same text.
TEST(SchemaHistory, FirstSchemasAreTheReferences) {
  ASSERT_OK_AND_ASSIGN(auto store, FileStore::Open("/"));
  int compared = 0, nested = 0;
  for (const auto& path : CorpusFiles("/", "case.json")) {
    ASSERT_OK_AND_ASSIGN(const std::string text, store->ReadAll(path.string()));
    ASSERT_OK_AND_ASSIGN(const nlohmann::json document, ParseJson(text, path.string()));
    for (const nlohmann::json& table : document.value("tables", nlohmann::json::array())) {
      if (!table.contains("rowType")) continue;
      const auto root =
          path.parent_path() / "warehouse" / (table["db"].get<std::string>() + ".db") / table["table"].get<std::string>();
      SchemaStore schemas(store, TablePaths{root.string(), "main"});
      ASSERT_OK_AND_ASSIGN(const std::vector<int64_t> ids, schemas.ListIds());
      if (ids != std::vector<int64_t>{0}) continue;  // case.json tells the newest schema only
      ASSERT_OK_AND_ASSIGN(auto theirs, schemas.Load(0));
      ASSERT_OK_AND_ASSIGN(TypePtr row, ParseSqlType(table["rowType"].get<std::string>()));
      Schema schema;
      schema.fields = row->fields();
      for (size_t i = 0; i < schema.fields.size(); ++i) schema.fields[i].description = theirs->fields[i].description;
      schema.partition_keys = table["partitionKeys"].get<std::vector<std::string>>();
      schema.primary_keys = table["primaryKeys"].get<std::vector<std::string>>();
      schema.options = theirs->options;
      schema.comment = theirs->comment;
      auto ours = MakeInitialSchema(schema, theirs->time_millis);
      ASSERT_TRUE(ours.ok()) << root << ours.status().ToString();
      EXPECT_EQ(ours->ToJson(), theirs->ToJson()) << root;
      ++compared;
      nested += theirs->highest_field_id + 1 > static_cast<int32_t>(theirs->fields.size()) ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 80);
  EXPECT_GT(nested, 3);
}

}  // namespace
}  // namespace bactrian
