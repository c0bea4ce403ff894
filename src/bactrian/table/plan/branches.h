#pragma once

#include "bactrian/table/plan/split_planner.h"

namespace bactrian {

/// Whether a batch read of the table shows rows of other branches too: options scan.fallback-branch, scan.primary-branch and
/// chain-table.enabled of the main branch. kInvalid for malformed options.
arrow::Result<bool> CombinesBranches(const TableContext& context);

/// Splits of such a table (format reference: merge.md §11). A partition is read from the first of the branches that has it.
/// Chain tables come after the main branch: a partition of the snapshot branch is whole; one of the delta branch alone is
/// merged with the delta partitions before it, back to the nearest snapshot partition and with that one. Partitions compare by
/// the chain keys (option chain-table.chain-partition-keys, default all), within equal other keys.
arrow::Result<PlannedSplits> PlanBranches(const ReadSpec& spec, const ScanTarget& target);

}  // namespace bactrian
