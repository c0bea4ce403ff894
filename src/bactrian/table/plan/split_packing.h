#pragma once

#include <memory>
#include <vector>

#include "bactrian/table/plan/bucket_files.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

struct SplitOptions {
  int64_t target_size = 128 << 20;   ///< option source.split.target-size
  int64_t open_file_cost = 4 << 20;  ///< option source.split.open-file-cost
  static arrow::Result<SplitOptions> Make(const TableSchema& schema);
};

/// Packs a bucket's files into splits, in order (format reference: query.md §1). Files of an append table, and raw ones of a
/// primary-key table, are packed by size; else whole sections are, into splits that are to be merged (merge.md §10).
arrow::Status PackSplits(const TableSchema& schema, BucketFiles bucket, const SplitOptions& options,
                         std::vector<std::shared_ptr<const Split>>* splits);

/// Whether a batch read may take the rows of a bucket of a primary-key table as they are.
bool IsRawConvertible(const TableSchema& schema, const std::vector<SplitFile>& files);

}  // namespace bactrian
