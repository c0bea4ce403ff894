// What the entry library calls once the extension is bound to a DuckDB.
#include "compat.h"
#include "duckdb/main/extension/extension_loader.hpp"
#include "paimon_extension.h"

extern "C" {
DUCKDB_CPP_EXTENSION_ENTRY(paimon, loader) {
  loader.SetDescription("Apache Paimon tables: ATTACH '<warehouse>' AS lake (TYPE paimon)");
  bactrian::sql::LoadPaimon(loader.GetDatabaseInstance());
}
}
