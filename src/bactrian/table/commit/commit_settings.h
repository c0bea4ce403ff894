#pragma once

#include <cstdint>

#include "bactrian/meta/manifest.h"
#include "bactrian/schema.h"

namespace bactrian {

/// The options of a table that a commit depends on, checked once (format reference: snapshot.md §7, §9).
struct CommitSettings {
  /// kInvalid names the malformed option.
  static arrow::Result<CommitSettings> Make(const Options& options);

  int64_t max_retries = 10;
  int64_t timeout_millis = 0;  ///< 0: none
  int64_t min_retry_wait_millis = 10;
  int64_t max_retry_wait_millis = 10'000;
  ManifestWriteOptions manifests;
  int64_t full_merge_bytes = 0;
  int64_t merge_min_count = 0;
  bool ignore_empty_commit = true;
  bool discard_duplicate_files = false;
  bool drop_stats_of_deletes = false;
  bool dynamic_overwrite = true;
  bool expires_snapshots = true;  ///< after each commit, unless the table is write-only
};

}  // namespace bactrian
