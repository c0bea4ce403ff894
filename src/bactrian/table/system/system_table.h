/// System tables (`t$snapshots` and others; format reference: query.md §6): metadata of one table as rows.
///
///   if (const std::vector<Field>* fields = SystemTableFields("snapshots")) …             // its columns
///   ARROW_ASSIGN_OR_RAISE(auto batch, ReadSystemTable("snapshots", {store, paths, schema, snapshot}));
///
/// Times print in UTC. Functions are thread-safe and stateless.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bactrian/io/file_store.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/schema.h"

namespace bactrian {

/// What a system table is computed from.
struct SystemTableContext {
  std::shared_ptr<FileStore> store;
  TablePaths paths;                           ///< of the branch
  std::shared_ptr<const TableSchema> schema;  ///< the handle's, dynamic options merged
  /// The snapshot that the handle's time travel picks, else the latest; nullopt: the table has none. `snapshots`, `schemas`,
  /// `options`, `tags`, `branches`, `consumers` and `aggregation_fields` do not look at it.
  std::optional<Snapshot> snapshot;
  arrow::MemoryPool* pool = nullptr;  ///< nullptr: the default pool
};

/// Names of the system tables that ReadSystemTable knows, sorted.
const std::vector<std::string_view>& SystemTableNames();

/// Columns of a system table; nullptr if ReadSystemTable does not know it (e.g. audit_log, which the reader makes).
const std::vector<Field>* SystemTableFields(std::string_view name);

/// All rows, with the schema ToArrowSchema(*SystemTableFields(name)). kNotFound for an unknown name.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadSystemTable(std::string_view name, const SystemTableContext& context);

}  // namespace bactrian
