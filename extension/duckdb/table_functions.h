#pragma once

#include <memory>

#include "bactrian/session.h"
#include "compat.h"

namespace bactrian::sql {

/// paimon_scan(table, …), rows of a table given by its path or its name, and paimon_plan(table, filter => …), what a scan of it
/// would read.
void RegisterTableFunctions(duckdb::DatabaseInstance& database, std::shared_ptr<Session> session);

}  // namespace bactrian::sql
