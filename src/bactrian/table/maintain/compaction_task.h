#pragma once

#include <memory>
#include <vector>

#include "bactrian/maintain.h"
#include "bactrian/meta/index_manifest.h"
#include "bactrian/table/plan/data_split.h"

namespace bactrian {

/// Groups of files, each rewritten into files of its own, and the deletion-vector files that go with them. Files whose vectors
/// lie in one index file are in one task, so that only one rewrites that index file.
class FileCompactionTask final : public CompactionTask {
 public:
  int num_files() const override;
  int64_t bytes() const override;

  std::shared_ptr<const Plan> plan;         ///< reads the splits
  std::vector<DataSplit> groups;            ///< of one bucket
  std::vector<IndexFileEntry> index_files;  ///< with vectors of the groups' files
};

/// Which files to rewrite.
struct CompactionRule {
  static arrow::Result<CompactionRule> Make(const TableSchema& schema, const CompactionOptions& options);
  bool Wants(const SplitFile& file) const;

  int64_t target_bytes = 0;
  int64_t small_bytes = 0;  ///< files below are small
  int64_t min_files = 0;    ///< that make a rewrite of small files worth while
  double delete_ratio = 0;
  bool full = false;
  bool keep_order = false;  ///< fixed buckets: only neighbours are merged
};

/// The groups of a bucket's files, which come in order.
std::vector<std::vector<SplitFile>> GroupFiles(const CompactionRule& rule, const std::vector<SplitFile>& files);

}  // namespace bactrian
