#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/scan.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Where a data file's deletion vector lies.
struct DeletionFile {
  std::string path;  ///< of the index file
  DeletionVectorRange range;
};

/// A data file of a split, with a path that has been checked to lie where the table may read.
struct SplitFile {
  std::shared_ptr<const DataFileMeta> meta;
  std::string path;
  std::optional<DeletionFile> deletion;
  std::shared_ptr<const SchemaStore> schemas;  ///< of the branch that wrote it; null: of the table or branch that is read
};

/// Files of one partition and bucket.
class DataSplit final : public Split {
 public:
  std::optional<int64_t> snapshot_id;
  std::string partition_bytes;  ///< serialised row
  std::vector<Value> partition_values;
  int32_t bucket_id = 0, total_buckets = -1;
  std::string path;              ///< of the bucket's directory
  std::vector<SplitFile> files;  ///< in reading order
  /// Each file's rows, less its deletion vector, are rows of the table as they are. If not, files must be merged by key.
  bool raw = true;
  /// Files of one row range hold columns of the same rows (rowtracking.md §2).
  bool evolves = false;
  /// Rows are changes rather than rows of the table: each has the kind that the file stores.
  bool changes = false;
  /// Incremental between two states: the files that the bucket held before. Rows are what differs in `files` (query.md §4), or,
  /// if `replaces` is set, all of `before` taken back and then all of `files` (query.md §5).
  std::optional<std::vector<SplitFile>> before;
  bool replaces = false;
  /// The branch that the rows are read from, where it is another than the scan's.
  std::shared_ptr<const TableContext> branch;

  int64_t row_count() const override;
  int64_t bytes() const override;
  int num_files() const override { return static_cast<int>(files.size()); }
  int32_t bucket() const override { return bucket_id; }
  const std::string& bucket_path() const override { return path; }
  const std::vector<Value>& partition() const override { return partition_values; }
  std::optional<int64_t> exact_row_count() const override;
};

}  // namespace bactrian
