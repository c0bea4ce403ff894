/// SQL filters as predicates of a plan. A predicate may be weaker than its filter, never stronger: DuckDB applies every filter
/// itself, the predicate only spares reading what cannot match.
#pragma once

#include "bactrian/predicate.h"
#include "compat.h"
#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "scan_source.h"

namespace bactrian::sql {

/// The conjunction of what could be translated of a scan's filters; nullptr if nothing could.
PredicatePtr TranslateFilters(const ScanSource& source, const duckdb::MultiFilePushdownInfo& info,
                              const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters);

}  // namespace bactrian::sql
