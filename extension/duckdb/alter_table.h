#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bactrian/schema_change.h"
#include "compat.h"
#include "scan_source.h"

namespace bactrian::sql {

/// What an ALTER TABLE or COMMENT ON says as changes of the table's schema; empty when IF [NOT] EXISTS leaves nothing to do.
/// Throws for what a Paimon table cannot become.
std::vector<SchemaChange> ToSchemaChanges(duckdb::ClientContext& context, const ScanSource& source,
                                          const duckdb::AlterInfo& info);

/// The name that RENAME TO gives; nullopt for any other change.
std::optional<std::string> NewTableName(const duckdb::AlterInfo& info);

}  // namespace bactrian::sql
