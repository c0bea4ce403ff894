// The rows of system tables that the reference recorded over the corpora.
#include "../corpus.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "../status_asserts.h"
#include "bactrian/base/json.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/table/system/system_table.h"

namespace bactrian {
namespace {

using nlohmann::json;

/// A cell in the corpus's encoding: timestamps as text of nanoseconds since the epoch.
json Cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Array&>(array).Value(row);
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::STRING:
      return std::string(static_cast<const arrow::StringArray&>(array).GetView(row));
    case arrow::Type::TIMESTAMP: {
      const bool millis = static_cast<const arrow::TimestampType&>(*array.type()).unit() == arrow::TimeUnit::MILLI;
      return std::to_string(static_cast<const arrow::TimestampArray&>(array).Value(row) * (millis ? 1000000 : 1));
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      json elements = json::array();
      for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) elements.push_back(Cell(*list.values(), i));
      return elements;
    }
    case arrow::Type::STRUCT: {
      json object = json::object();
      for (int i = 0; i < array.num_fields(); ++i) {
        object[array.type()->field(i)->name()] = Cell(*static_cast<const arrow::StructArray&>(array).field(i), row);
      }
      return object;
    }
    default:
      ADD_FAILURE() << array.type()->ToString();
      return nullptr;
  }
}

/// A recorded read of a system table.
struct Read {
  std::string label, table, branch = "main", system_table;
  json options;
  std::filesystem::path warehouse, expected;
};

std::vector<Read> RecordedReads() {
  std::vector<Read> reads;
  for (const auto& path : CorpusFiles("/", "case.json")) {
    const std::filesystem::path folder = path.parent_path();
    std::ifstream file(path);
    const json document = json::parse(file);
    for (const json& entry : document["reads"]) {
      const std::string object = entry.value("table", "");
      const size_t last = object.rfind('$');
      if (last == std::string::npos || entry["status"] != "ok" || !entry["file"].is_string()) continue;
      Read read;
      read.system_table = object.substr(last + 1);
      if (SystemTableFields(read.system_table) == nullptr) continue;
      read.label = folder.filename().string() + "/" + entry["name"].get<std::string>();
      read.table = object.substr(0, object.find('$'));
      if (const size_t branch = object.find("$branch_"); branch != last && branch != std::string::npos) {
        read.branch = object.substr(branch + 8, last - branch - 8);
      }
      read.options = entry["options"];
      read.warehouse = folder / "warehouse";
      read.expected = folder / entry["file"].get<std::string>();
      reads.push_back(std::move(read));
    }
  }
  return reads;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> RunRead(const Read& read) {
  SystemTableContext context;
  context.paths = {(read.warehouse / "default.db" / read.table).string(), read.branch};
  ARROW_ASSIGN_OR_RAISE(context.store, FileStore::Open("/"));
  SchemaStore schemas(context.store, context.paths);
  SnapshotStore snapshots(context.store, context.paths);
  ARROW_ASSIGN_OR_RAISE(context.schema, schemas.Latest());
  if (read.options.contains("scan.snapshot-id")) {
    ARROW_ASSIGN_OR_RAISE(context.snapshot, snapshots.Load(std::stoll(read.options["scan.snapshot-id"].get<std::string>())));
    ARROW_ASSIGN_OR_RAISE(context.schema, schemas.Load(context.snapshot->schema_id));
  } else {
    ARROW_ASSIGN_OR_RAISE(context.snapshot, snapshots.Latest());
  }
  return ReadSystemTable(read.system_table, context);
}

/// Rows as text, on the columns in `columns`.
std::multiset<std::string> Rows(const arrow::RecordBatch& batch, const std::set<std::string>& columns,
                                const std::string& warehouse) {
  std::multiset<std::string> rows;
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    json object = json::object();
    for (int i = 0; i < batch.num_columns(); ++i) {
      if (columns.count(batch.column_name(i)) > 0) object[batch.column_name(i)] = Cell(*batch.column(i), row);
    }
    std::string text = object.dump();
    for (size_t at; (at = text.find(warehouse)) != std::string::npos;) text.replace(at, warehouse.size(), "${WAREHOUSE}");
    rows.insert(text);
  }
  return rows;
}

TEST(SystemTableCorpus, RowsAreTheReferences) {
  std::map<std::string, int> compared;
  for (const Read& read : RecordedReads()) {
    std::multiset<std::string> expected;
    std::set<std::string> columns;
    std::ifstream file(read.expected);
    for (std::string line; std::getline(file, line);) {
      json row = json::parse(line);
      row.erase("_kind");
      if (read.system_table == "branches") row.erase("create_time");  // file modification times
      for (const auto& [name, value] : row.items()) columns.insert(name);
      expected.insert(row.dump());
    }
    auto batch = RunRead(read);
    EXPECT_TRUE(batch.ok()) << read.label << " " << batch.status().ToString();
    if (!batch.ok()) continue;
    if (columns.empty()) {
      EXPECT_EQ((*batch)->num_rows(), 0) << read.label;
    } else {
      EXPECT_EQ(Rows(**batch, columns, read.warehouse.string()), expected) << read.label;
    }
    ++compared[read.system_table];
  }
  for (const char* name : {"snapshots", "schemas", "options", "tags", "branches", "manifests", "files", "partitions", "buckets",
                           "table_indexes", "consumers", "statistics", "aggregation_fields", "file_key_ranges"}) {
    EXPECT_GT(compared[name], 0) << name;
  }
}

}  // namespace
}  // namespace bactrian
