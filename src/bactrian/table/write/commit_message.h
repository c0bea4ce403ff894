#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/write.h"

namespace bactrian {

/// What one writer or compaction did in one bucket (format reference: snapshot.md §7). Immutable once shared.
struct CommitMessage {
  std::string partition;  ///< serialised row
  int32_t bucket = 0;
  int32_t total_buckets = -1;

  // Changes of the data: an APPEND snapshot.
  std::vector<DataFileMeta> new_files, deleted_files, changelog_files;
  std::vector<IndexFileEntry> new_index_files, deleted_index_files;
  // Changes that leave the rows as they are: a COMPACT snapshot.
  std::vector<DataFileMeta> compact_before, compact_after, compact_changelog;
  std::vector<IndexFileEntry> compact_new_index_files, compact_deleted_index_files;

  bool HasAppendChanges() const {
    return !(new_files.empty() && deleted_files.empty() && changelog_files.empty() && new_index_files.empty() &&
             deleted_index_files.empty());
  }
  bool HasCompactChanges() const {
    return !(compact_before.empty() && compact_after.empty() && compact_changelog.empty() && compact_new_index_files.empty() &&
             compact_deleted_index_files.empty());
  }
};

}  // namespace bactrian
