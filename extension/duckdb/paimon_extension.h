/// The DuckDB extension `paimon`: ATTACH '<warehouse>' AS lake (TYPE paimon [, READ_ONLY]).
#pragma once

#include "duckdb.hpp"

namespace bactrian::sql {

/// Registers the extension with an embedded database. Once a database.
void LoadPaimon(duckdb::DatabaseInstance& database);

}  // namespace bactrian::sql
