#pragma once

#include "bactrian/scan.h"
#include "compat.h"
#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "scan_source.h"

namespace bactrian::sql {

/// Takes those out of a scan's filters that hold for every row of the plan: they ask for nothing but partition keys, and each
/// partition that is left makes them true. Without them, counts are answered from the manifests.
void DropPartitionFilters(duckdb::ClientContext& context, const ScanSource& source, const Plan& plan,
                          const duckdb::MultiFilePushdownInfo& info,
                          duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters);

}  // namespace bactrian::sql
