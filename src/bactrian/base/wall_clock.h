#pragma once

#include <cstdint>

namespace bactrian {

/// Milliseconds since the epoch: what snapshots and schemas are stamped with (format reference: snapshot.md §1). Thread-safe.
int64_t WallClockMillis();

/// Milliseconds of the wall clock in the host's zone, counted as if it were UTC: what the reference keeps as the creation time
/// of data files and tags (format reference: manifest.md §3). Thread-safe.
int64_t LocalWallClockMillis();

}  // namespace bactrian
