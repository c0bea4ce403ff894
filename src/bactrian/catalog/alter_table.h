#pragma once

#include <memory>
#include <vector>

#include "bactrian/io/file_store.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/schema_change.h"

namespace bactrian {

/// Publishes the next schema of a branch by put-if-absent (format reference: schema.md §1). When another change was faster, the
/// changes are applied to its schema instead, or refused if they no longer can be.
arrow::Status AlterTable(const std::shared_ptr<FileStore>& store, const TablePaths& paths,
                         const std::vector<SchemaChange>& changes);

}  // namespace bactrian
