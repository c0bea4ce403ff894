/// Applying changes to a schema (format reference: schema.md §5).
#pragma once

#include <cstdint>
#include <span>

#include "bactrian/schema.h"
#include "bactrian/schema_change.h"

namespace bactrian {

struct SchemaChangeContext {
  bool has_snapshot = true;  ///< tables without one may change more
  int64_t now_millis = 0;
};

/// The next schema: id one higher, all changes applied in order, the whole validated. kInvalid says which change is impossible
/// and why; kNotFound names a column that does not exist, kAlreadyExists one that does.
arrow::Result<TableSchema> ApplySchemaChanges(const TableSchema& schema, std::span<const SchemaChange> changes,
                                              const SchemaChangeContext& context);

}  // namespace bactrian
