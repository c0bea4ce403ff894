#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/io/file_store.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/schema.h"

namespace bactrian {

/// What reading, writing, committing and maintaining one branch of a table share. A value type, cheap to copy; everything
/// it points to is thread-safe.
struct TableContext {
  std::shared_ptr<FileStore> store;
  TablePaths paths;
  std::shared_ptr<const TableSchema> schema;  ///< the handle's, dynamic options merged
  std::shared_ptr<const SchemaStore> schemas;
  std::shared_ptr<const SnapshotStore> snapshots;
  arrow::MemoryPool* pool = nullptr;  ///< nullptr: Arrow's default pool
  /// Reads see the last level of primary-key tables only (`t$ro`).
  bool top_level_only = false;
};

}  // namespace bactrian
