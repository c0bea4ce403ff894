#include "bactrian/table/commit/commit_settings.h"

#include "bactrian/table/maintain/maintenance.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

arrow::Result<CommitSettings> CommitSettings::Make(const Options& map) {
  const CoreOptions options(map);
  CommitSettings settings;
  ARROW_ASSIGN_OR_RAISE(settings.max_retries, options.GetInt("commit.max-retries", settings.max_retries));
  ARROW_ASSIGN_OR_RAISE(settings.timeout_millis, options.GetDurationMillis("commit.timeout", 0));
  ARROW_ASSIGN_OR_RAISE(settings.min_retry_wait_millis,
                        options.GetDurationMillis("commit.min-retry-wait", settings.min_retry_wait_millis));
  ARROW_ASSIGN_OR_RAISE(settings.max_retry_wait_millis,
                        options.GetDurationMillis("commit.max-retry-wait", settings.max_retry_wait_millis));
  settings.manifests.compression = options.GetString("manifest.compression", "zstd");
  ARROW_ASSIGN_OR_RAISE(const int64_t level, options.GetInt("file.compression.zstd-level", 1));
  settings.manifests.zstd_level = static_cast<int32_t>(level);
  ARROW_ASSIGN_OR_RAISE(settings.manifests.target_file_size, options.GetMemorySize("manifest.target-file-size", 8 << 20));
  ARROW_ASSIGN_OR_RAISE(settings.full_merge_bytes, options.GetMemorySize("manifest.full-compaction-threshold-size", 16 << 20));
  ARROW_ASSIGN_OR_RAISE(settings.merge_min_count, options.GetInt("manifest.merge-min-count", 30));
  ARROW_ASSIGN_OR_RAISE(settings.ignore_empty_commit, options.GetBool("snapshot.ignore-empty-commit", true));
  ARROW_ASSIGN_OR_RAISE(settings.discard_duplicate_files, options.GetBool("commit.discard-duplicate-files", false));
  ARROW_ASSIGN_OR_RAISE(settings.drop_stats_of_deletes, options.GetBool("manifest.delete-file-drop-stats", false));
  ARROW_ASSIGN_OR_RAISE(settings.dynamic_overwrite, options.GetBool("dynamic-partition-overwrite", true));
  ARROW_ASSIGN_OR_RAISE(const bool write_only, options.GetBool("write-only", false));
  settings.expires_snapshots = !write_only;
  ARROW_RETURN_NOT_OK(RetentionOptions::Make(map).status());
  return settings;
}

}  // namespace bactrian
