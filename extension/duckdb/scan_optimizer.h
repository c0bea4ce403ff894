/// What DuckDB's optimiser leaves undone for scans of Paimon tables:
/// - count(*) by partition keys becomes a list of constants;
/// - a LIMIT over a bare scan keeps only as many files as have that many rows;
/// - for ORDER BY … LIMIT, files are scanned in the order of their bounds, so that those that come too late are never opened.
#pragma once

#include "compat.h"

namespace bactrian::sql {

void RegisterScanOptimizer(duckdb::DatabaseInstance& database);

}  // namespace bactrian::sql
