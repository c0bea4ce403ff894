#pragma once

#include "compat.h"
#include "file_list.h"

namespace bactrian::sql {

/// DuckDB's Parquet scan turned into a scan of a plan's files; `bind_data` gets its binding. `entry` outlives the scan with it.
duckdb::TableFunction MakeScanFunction(duckdb::ClientContext& context, duckdb::shared_ptr<PaimonFileList> files,
                                       duckdb::shared_ptr<duckdb::TableCatalogEntry> entry,
                                       duckdb::unique_ptr<duckdb::FunctionData>& bind_data);

/// The columns beside a table's own: file index and row number name a row within one query.
duckdb::virtual_column_map_t PaimonVirtualColumns();

}  // namespace bactrian::sql
