#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bactrian/meta/snapshot.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Which levels of a primary-key table a read of a state looks at.
enum class ScanLevels : uint8_t {
  kAsTable,  ///< all, or those above 0 where the table's writers merge before they show rows (merge.md §10)
  kAll,
  kAboveZero,  ///< level 0 comes later, as changelog (query.md §5)
  kTop,        ///< the last one only
};

/// What part of a table's history a batch scan reads (format reference: query.md §3, §4).
struct ScanTarget {
  /// The state to read: none for a table without snapshots. When `changes_of` is set, the newest of them.
  std::optional<Snapshot> snapshot = std::nullopt;
  /// Incremental: instead of a state, the files that these snapshots added, in order.
  std::optional<std::vector<Snapshot>> changes_of = std::nullopt;
  /// Of `changes_of`: their changelog files instead.
  bool changelog = false;
  /// Incremental between two states: what `snapshot` has that this one has not.
  std::optional<Snapshot> since = std::nullopt;
  /// `snapshot` is an OVERWRITE: the rows that it took away, as retracted, and those that it brought.
  bool replaced = false;
  ScanLevels levels = ScanLevels::kAsTable;
  /// Only files created at or after this time (wall clock, UTC).
  std::optional<int64_t> created_from_millis = std::nullopt;
  /// The options picked `snapshot`, so its schema is the one to read with.
  bool pins_schema = false;
};

/// Resolves scan.mode, the scan.* options and incremental-between* of the handle's schema. kInvalid for contradicting options,
/// kNotFound or kSnapshotExpired when what they name is not there.
arrow::Result<ScanTarget> ResolveScanTarget(const TableContext& context);

/// How a stream begins (format reference: query.md §5).
enum class ScanStartMode : uint8_t {
  kState,             ///< with the state that ResolveScanTarget gives
  kLatest,            ///< with what comes next
  kFromTime,          ///< with the first snapshot at or after `number` (milliseconds since the epoch)
  kFromSnapshot,      ///< with the changes of snapshot `number`
  kFromSnapshotFull,  ///< with the state of snapshot `number`
};

struct ScanStart {
  ScanStartMode mode = ScanStartMode::kState;
  int64_t number = 0;
};

/// kInvalid for options that contradict each other or from which only a batch read can start.
arrow::Result<ScanStart> ResolveScanStart(const TableContext& context);

/// The options that say which part of the history is read, of a table's or handle's options.
Options ScanTargetOptions(const Options& options);

/// Whether the options name a snapshot, tag, time, watermark or range at all; if not, ResolveScanTarget takes the latest.
bool NamesScanTarget(const Options& options);

}  // namespace bactrian
