#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/io/file_store.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// A table in a store of this process's memory, or in any other store.
struct TestTable {
  static TestTable Make(Schema schema, std::shared_ptr<FileStore> store = nullptr, std::string root = "") {
    if (store == nullptr) {
      static int number = 0;
      root = "memory://test_table_" + std::to_string(number++) + "/t";
      store = FileStore::Open(root).ValueOrDie();
    }
    TestTable table;
    table.context.store = store;
    table.context.paths.root = root;
    table.context.schemas = std::make_shared<SchemaStore>(store, table.context.paths);
    table.context.snapshots = std::make_shared<SnapshotStore>(store, table.context.paths);
    TableSchema first = MakeInitialSchema(std::move(schema), 0).ValueOrDie();
    if (const arrow::Status status = table.context.schemas->Publish(first); !status.ok()) status.Abort();
    table.context.schema = table.context.schemas->Latest().ValueOrDie();
    return table;
  }

  /// The names of all files under `directory` of the table.
  std::vector<std::string> Files(const std::string& directory = "") const {
    std::vector<std::string> paths;
    for (const FileStatus& file : context.store->List(JoinPath(context.paths.root, directory), true).ValueOrDie()) {
      if (!file.is_directory) paths.push_back(file.path);
    }
    return paths;
  }

  /// The same table as another process with other options of its own sees it.
  TableContext WithOptions(const Options& options) const {
    TableContext other = context;
    auto schema = std::make_shared<TableSchema>(*context.schema);
    for (const auto& [key, value] : options) schema->options[key] = value;
    other.schema = std::move(schema);
    return other;
  }

  TableContext context;
};

inline Field TestColumn(std::string name, TypePtr type) { return {.id = -1, .name = std::move(name), .type = std::move(type)}; }

}  // namespace bactrian
