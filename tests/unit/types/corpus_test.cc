// Types, schemas, buckets and partition paths of the tables that the reference wrote.
#include "../corpus.h"

#include <arrow/array.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "bactrian/base/json.h"
#include "bactrian/schema.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/binary_rows.h"
#include "bactrian/types/bucket.h"
#include "bactrian/types/core_options.h"
#include "bactrian/types/field_ids.h"
#include "bactrian/types/partition_path.h"
#include "bactrian/types/type_json.h"
#include "json_value.h"

namespace bactrian {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct SchemaFile {
  std::filesystem::path path;
  std::string text;
  TableSchema schema;
};

/// Those that Java wrote; pypaimon prints compactly.
std::vector<SchemaFile> JavaSchemas() {
  std::vector<SchemaFile> files;
  for (const auto& path : CorpusFiles("/schema/", "schema-")) {
    if (path.string().find("/py_") != std::string::npos) continue;
    std::string text = ReadFile(path);
    TableSchema schema = TableSchema::FromJson(text).ValueOrDie();
    files.push_back({path, std::move(text), std::move(schema)});
  }
  return files;
}

/// Options are printed in the order of a Java hash map, where keys in one slot follow the order of the user's calls. Their
/// lines are compared as a set.
std::string WithSortedOptions(std::string text) {
  const size_t begin = text.find("\"options\" : {\n");
  const size_t end = text.find("\n  }", begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  std::istringstream stream(text.substr(begin, end - begin));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with(',')) line.pop_back();
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  for (const std::string& line : lines) sorted += line + "\n";
  return text.replace(begin, end - begin, sorted);
}

TEST(TypesCorpus, SchemasPrintTheReferencesText) {
  size_t files = 0, same_option_order = 0;
  for (const SchemaFile& file : JavaSchemas()) {
    const std::string printed = file.schema.ToJson();
    EXPECT_EQ(WithSortedOptions(printed), WithSortedOptions(file.text)) << file.path;
    same_option_order += printed == file.text;
    ++files;
  }
  EXPECT_GT(files, 300U);
  EXPECT_GT(same_option_order * 10, files * 9);
  std::cout << files << " schema files, " << same_option_order << " of them to the byte\n";
}

TEST(TypesCorpus, NewTablesAreNumberedAsTheReferenceNumbersThem) {
  int tables = 0;
  for (const SchemaFile& file : JavaSchemas()) {
    if (file.schema.id != 0) continue;
    int32_t highest = -1;
    std::vector<Field> fields = file.schema.fields;
    for (Field& field : fields) field = WithNewFieldIds(std::move(field), &highest);
    EXPECT_EQ(fields, file.schema.fields) << file.path;
    EXPECT_EQ(highest, file.schema.highest_field_id) << file.path;
    ++tables;
  }
  EXPECT_GT(tables, 200);
}

TEST(TypesCorpus, EveryTypeSurvivesItsSpellings) {
  for (const SchemaFile& file : JavaSchemas()) {
    for (const Field& field : file.schema.fields) {
      EXPECT_TRUE(ParseJsonType(field.type->ToJson()).ValueOrDie()->Equals(*field.type)) << field.type->ToJson();
      const std::string sql = field.type->ToSqlString();
      EXPECT_EQ(ParseSqlType(sql).ValueOrDie()->ToSqlString(), sql);
      EXPECT_TRUE(ToArrowType(*field.type).ok()) << sql;
    }
  }
}

nlohmann::json ReadCase(const std::filesystem::path& path) { return ParseJson(ReadFile(path), path.string()).ValueOrDie(); }

TEST(TypesCorpus, RowTypesOfTheCasesReadBack) {
  int types = 0;
  for (const auto& path : CorpusFiles("", "case.json")) {
    const nlohmann::json description = ReadCase(path);
    std::vector<std::string> spelled;
    for (const auto& table : description["tables"]) spelled.push_back(table.value("rowType", ""));
    for (const auto& read : description["reads"]) spelled.push_back(read.value("readType", ""));
    for (const std::string& sql : spelled) {
      if (sql.empty()) continue;
      EXPECT_EQ(ParseSqlType(sql).ValueOrDie()->ToSqlString(), sql) << path;
      ++types;
    }
  }
  EXPECT_GT(types, 200);
}

/// A table of a case, as far as routing of rows needs it.
struct RoutedTable {
  explicit RoutedTable(const nlohmann::json& description) {
    schema.fields = ParseSqlType(description["rowType"].get<std::string>()).ValueOrDie()->fields();
    schema.primary_keys = description["primaryKeys"];
    schema.partition_keys = description["partitionKeys"];
    schema.options = description["options"];
    for (const std::string& key : schema.BucketKeys()) bucket_fields.push_back(*schema.FindField(key));
    const CoreOptions options(schema.options);
    num_buckets = static_cast<int32_t>(options.bucket().ValueOrDie());
    function = ParseBucketFunction(options.GetString("bucket-function.type", "default")).ValueOrDie();
  }

  TableSchema schema;
  std::vector<Field> bucket_fields;
  int32_t num_buckets;
  BucketFunction function;
};

std::vector<TypePtr> TypesOf(const std::vector<Field>& fields) {
  std::vector<TypePtr> types;
  for (const Field& field : fields) types.push_back(field.type);
  return types;
}

std::vector<Value> ValuesOf(const nlohmann::json& row, const std::vector<Field>& fields) {
  std::vector<Value> values;
  for (const Field& field : fields) values.push_back(ValueFromCorpusJson(row[field.name], *field.type));
  return values;
}

/// One line of a "splits" read: a row and where it lies.
void ExpectRouted(const RoutedTable& table, const nlohmann::json& line) {
  const std::vector<Field> partition_fields = table.schema.PartitionFields();
  const std::string partition =
      PartitionPath(partition_fields, ValuesOf(line["row"], partition_fields), PartitionPathOptions()).ValueOrDie();
  const auto bucket = line["_bucket"].get<int32_t>();
  const std::string path = line["_bucketPath"];
  EXPECT_EQ(path.substr(path.find('/')), (partition.empty() ? "" : "/" + partition) + "/bucket-" + std::to_string(bucket))
      << line;
  if (table.num_buckets <= 0) return;
  const std::vector<TypePtr> types = TypesOf(table.bucket_fields);
  const std::vector<Value> key = ValuesOf(line["row"], table.bucket_fields);
  EXPECT_EQ(BucketOf(table.function, types, key, table.num_buckets).ValueOrDie(), bucket) << line;
}

/// The same buckets from columns.
void ExpectColumnsRouted(const RoutedTable& table, const std::vector<nlohmann::json>& lines) {
  const std::vector<TypePtr> types = TypesOf(table.bucket_fields);
  std::vector<std::string> rows;
  std::vector<int32_t> expected;
  for (const auto& line : lines) {
    rows.push_back(EncodeBinaryRow(types, ValuesOf(line["row"], table.bucket_fields)).ValueOrDie());
    expected.push_back(line["_bucket"].get<int32_t>());
  }
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  const auto columns = DecodeBinaryRows(views, types, pool).ValueOrDie();
  const auto buckets = BucketsOf(table.function, types, columns, table.num_buckets, pool).ValueOrDie();
  const auto* begin = static_cast<const arrow::Int32Array&>(*buckets).raw_values();
  EXPECT_EQ(std::vector<int32_t>(begin, begin + buckets->length()), expected);
}

TEST(TypesCorpus, RowsLieWhereTheReferencePutThem) {
  size_t rows = 0;
  for (const auto& path : CorpusFiles("", "case.json")) {
    const nlohmann::json description = ReadCase(path);
    for (const auto& read : description["reads"]) {
      if (read.value("kind", "") != "splits") continue;
      const auto table_description = std::find_if(description["tables"].begin(), description["tables"].end(),
                                                  [&](const auto& table) { return table["table"] == read["table"]; });
      const RoutedTable table(*table_description);
      std::vector<nlohmann::json> lines;
      std::istringstream stream(ReadFile(path.parent_path() / read["file"].get<std::string>()));
      for (std::string line; std::getline(stream, line);) lines.push_back(ParseJson(line, "row").ValueOrDie());
      for (const auto& line : lines) ExpectRouted(table, line);
      if (table.num_buckets > 0) ExpectColumnsRouted(table, lines);
      rows += lines.size();
    }
  }
  EXPECT_GT(rows, 800U);
}

}  // namespace
}  // namespace bactrian
