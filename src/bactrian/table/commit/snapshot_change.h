#pragma once

#include <set>
#include <string>
#include <vector>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/write.h"

namespace bactrian {

/// What one snapshot does to a table.
struct SnapshotChange {
  std::vector<ManifestEntry> files;  ///< the delta manifest's entries, in order
  std::vector<ManifestEntry> changelog;
  std::vector<IndexFileEntry> new_index_files, deleted_index_files;

  bool empty() const { return files.empty() && changelog.empty() && new_index_files.empty() && deleted_index_files.empty(); }
  /// Whether rows go away that other commits may have built on.
  bool RemovesRows() const;
  std::set<std::string, std::less<>> Partitions() const;  ///< serialised rows
};

/// The messages' new rows, or their compactions.
SnapshotChange AppendChangeOf(const std::vector<CommitMessagePtr>& messages);
SnapshotChange CompactChangeOf(const std::vector<CommitMessagePtr>& messages);

/// The index files of the next snapshot (format reference: manifest.md §5): those of the last one without the deleted ones,
/// with new ones in place of those that they replace. `unaware`: the table has no fixed buckets.
arrow::Result<std::vector<IndexFileEntry>> CombineIndexFiles(std::vector<IndexFileEntry> previous, const SnapshotChange& change,
                                                             bool unaware);

}  // namespace bactrian
