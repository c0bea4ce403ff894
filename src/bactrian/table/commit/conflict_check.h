#pragma once

#include "bactrian/table/commit/snapshot_change.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Whether `change` can follow `latest` (format reference: snapshot.md §8, for append tables): kCommitConflict when a file that
/// it deletes is gone or has lost rows since, one that it adds is there, or a partition has another number of buckets.
arrow::Status CheckConflicts(const TableContext& context, const Snapshot& latest, const SnapshotChange& change,
                             CommitKind kind);

}  // namespace bactrian
