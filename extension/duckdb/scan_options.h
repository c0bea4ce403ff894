#pragma once

#include <memory>
#include <string>

#include "bactrian/catalog.h"
#include "bactrian/schema.h"
#include "compat.h"

namespace bactrian::sql {

/// Table options that choose what a scan sees may be set for a session, as `SET paimon_scan_snapshot_id = 3` for
/// 'scan.snapshot-id', and for one scan, as paimon_scan('…', scan_snapshot_id => 3).

/// Adds the settings to a database.
void RegisterScanSettings(duckdb::DBConfig& config);

/// Those of the session.
Options SessionScanOptions(duckdb::ClientContext& context);

/// Parameters of a table function that scans: one an option, and `options`, a MAP for any other.
void AddScanParameters(duckdb::TableFunction& function);

/// What they were given, the session's where they were not.
Options ScanOptionsOf(duckdb::ClientContext& context, const NamedParameters& parameters);

/// The handle to write through: `table` without options that choose what is read. Throws when that has other columns.
std::shared_ptr<Table> WritableTable(bactrian::Catalog& catalog, const std::shared_ptr<Table>& table);

}  // namespace bactrian::sql
