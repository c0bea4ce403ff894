/// Where a table's data files lie (format reference: layout.md §1–4).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/meta/manifest.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/schema.h"
#include "bactrian/types/partition_path.h"
#include "bactrian/value.h"

namespace bactrian {

/// A value type; const calls are thread-safe.
class DataFilePaths {
 public:
  /// Reads partition.default-name, partition.legacy-name and data-file.path-directory of the schema's options.
  static arrow::Result<DataFilePaths> Make(const TablePaths& paths, const TableSchema& schema);

  /// "[<path directory>/]k1=v1/…/bucket-<b>", without a slash at either end; bucket -2 is "bucket-postpone".
  arrow::Result<std::string> RelativeBucketPath(std::span<const Value> partition, int32_t bucket) const;
  /// The same for a serialised partition row, as manifests hold it.
  arrow::Result<std::string> RelativeBucketPath(std::string_view partition_row, int32_t bucket) const;
  /// The absolute directory of a bucket inside the table.
  arrow::Result<std::string> BucketPath(std::span<const Value> partition, int32_t bucket) const;

  /// The absolute path (or URI, for files outside the table) of a file that a manifest names. kCorrupt for a name that
  /// is not a plain file name. Whether an external path may be used is the caller's decision.
  arrow::Result<std::string> DataFile(std::string_view partition_row, int32_t bucket, const DataFileMeta& file) const;
  /// The paths of the file's extra files (file indexes, changelogs), which lie beside it.
  arrow::Result<std::vector<std::string>> ExtraFiles(std::string_view partition_row, int32_t bucket,
                                                     const DataFileMeta& file) const;

  /// The directory under which all partitions lie: the root, or the path directory in it.
  std::string DataRoot() const;
  const std::vector<Field>& partition_fields() const { return partition_fields_; }
  /// The values of a serialised partition row.
  arrow::Result<std::vector<Value>> PartitionValues(std::string_view partition_row) const;

 private:
  std::string root_;
  std::string path_directory_;
  std::vector<Field> partition_fields_;
  std::vector<TypePtr> partition_types_;
  PartitionPathOptions options_;
};

}  // namespace bactrian
