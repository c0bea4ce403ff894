#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/table/data_file_paths.h"
#include "bactrian/table/path_guard.h"
#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/plan/manifest_scan.h"

namespace bactrian {

inline constexpr int32_t kPostponeBucket = -2;

/// The files of one partition and bucket that a plan keeps, paths and deletion vectors attached; `files` in entry order.
struct BucketFiles {
  DataSplit head;  ///< everything but the files
  std::vector<SplitFile> files;
  /// Of primary-key tables: whether each file's rows are rows of the table (merge.md §10).
  bool raw = true;
};

/// Makes bucket files of a table's manifest entries. Not thread-safe; the context must outlive it.
class BucketGrouping {
 public:
  BucketGrouping(const TableContext& context, const SessionOptions& session) : context_(context), session_(session) {}

  /// By partition and bucket in entry order, each file with its path: kCorrupt for one that lies where the table may not read.
  arrow::Result<std::vector<BucketFiles>> Group(const Snapshot& snapshot, const std::vector<EntryPtr>& entries);
  /// Finds the deletion vectors of the files among a snapshot's index files.
  arrow::Status AttachDeletionVectors(const Snapshot& snapshot, const std::vector<IndexFileEntry>& index_files,
                                      std::vector<BucketFiles>* buckets);
  /// The values of a serialised partition row; the pointer stays valid.
  arrow::Result<const std::vector<Value>*> PartitionOf(const std::string& row);

 private:
  arrow::Result<std::string> IndexFilePath(const IndexFileEntry& index_file, const DataSplit& bucket);
  arrow::Status CheckExternal(const std::string& path, std::string_view named_by);

  const TableContext& context_;
  const SessionOptions& session_;
  std::optional<DataFilePaths> paths_;
  std::optional<PathGuard> guard_;
  std::unordered_map<std::string, std::vector<Value>> partitions_;  ///< decoded so far, by serialised row
};

}  // namespace bactrian
