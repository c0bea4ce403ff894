#pragma once

#include "compat.h"

namespace bactrian::sql {

/// `paimon_changes('[catalog.][database.]table', start, end [, mode])`: what changed in a table after `start` up to and with
/// `end`, its columns after `rowkind` (+I, -U, +U, -D). `start` and `end` are snapshot ids, two tags (the difference of their
/// states), or timestamps; `mode` is 'auto' (default), 'delta', 'changelog' or 'diff' (format reference: query.md §4).
void RegisterChangesFunction(duckdb::DatabaseInstance& database);

}  // namespace bactrian::sql
