#pragma once

#include "bactrian/scan.h"
#include "procedure.h"
#include "scan_source.h"

namespace bactrian::sql {

/// The columns of paimon_plan(): a step of planning, what it is about, and how many files, rows and bytes it left.
Columns PlanColumns();

/// First the snapshot, the manifests and what each stage of pruning left, then the splits.
Rows PlanRows(const ScanSource& source, const Plan& plan);

/// For a filter that is false whatever the table holds.
Rows EmptyPlanRows();

}  // namespace bactrian::sql
