#pragma once

#include <optional>
#include <vector>

#include "bactrian/meta/snapshot.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// What part of a table's history a batch scan reads (format reference: query.md §3, §4).
struct ScanTarget {
  /// The state to read: none for a table without snapshots. When `changes_of` is set, the newest of them.
  std::optional<Snapshot> snapshot;
  /// Incremental: instead of a state, the files that these snapshots added, in order.
  std::optional<std::vector<Snapshot>> changes_of;
  /// Of `changes_of`: their changelog files instead.
  bool changelog = false;
  /// Incremental between two states: the files of `snapshot` that are not in this one.
  std::optional<Snapshot> since;
  /// Only files created at or after this time (wall clock, UTC).
  std::optional<int64_t> created_from_millis;
  /// The options picked `snapshot`, so its schema is the one to read with.
  bool pins_schema = false;
};

/// Resolves scan.mode, the scan.* options and incremental-between* of the handle's schema. kInvalid for contradicting options,
/// kNotFound or kSnapshotExpired when what they name is not there.
arrow::Result<ScanTarget> ResolveScanTarget(const TableContext& context);

/// Whether the options name a snapshot, tag, time, watermark or range at all; if not, ResolveScanTarget takes the latest.
bool NamesScanTarget(const Options& options);

}  // namespace bactrian
