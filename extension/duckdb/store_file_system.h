/// The library's file stores as a file system of DuckDB's, read-only: so that DuckDB's Parquet reader reads data files of every
/// store that the library does. (Local files go without it.)
#pragma once

#include <string>

#include "compat.h"

namespace bactrian::sql {

/// The name under which DuckDB's reader finds a data file of a table.
std::string ToReaderPath(const std::string& path);

void RegisterStoreFileSystem(duckdb::DatabaseInstance& database);

}  // namespace bactrian::sql
