#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bactrian/io/file_store.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/schema.h"

namespace bactrian {

/// schema-<id> files of one branch (format reference: schema.md §1). Thread-safe; caches what it parsed, since schema
/// files never change.
class SchemaStore {
 public:
  SchemaStore(std::shared_ptr<FileStore> store, TablePaths paths);
  ~SchemaStore();

  arrow::Result<std::shared_ptr<const TableSchema>> Latest() const;  ///< kNotFound: there is no such table
  arrow::Result<std::shared_ptr<const TableSchema>> Load(int64_t id) const;
  arrow::Result<std::vector<int64_t>> ListIds() const;  ///< ascending
  /// Publishes schema.id; kAlreadyExists when another change won.
  arrow::Status Publish(const TableSchema& schema) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The first schema of a table: ids assigned (schema.md §4), `primary-key` and `partition` options moved to the lists, primary
/// keys made NOT NULL, everything checked. kInvalid says what is wrong.
arrow::Result<TableSchema> MakeInitialSchema(Schema schema, int64_t now_millis);

}  // namespace bactrian
