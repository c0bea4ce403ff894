/// The k-way merge of sorted runs (format reference: merge.md §3, §4; design: docs/architecture.md, "Merge").
///
///   ARROW_ASSIGN_OR_RAISE(auto reader, MergeRuns(layout, std::move(runs), MakeDeduplicate(layout, false), {}));
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bactrian/merge/merge_function.h"
#include "bactrian/merge/sort_keys.h"

namespace bactrian {

/// Batches in the layout, rows ascending by key, each key once.
struct SortedRun {
  std::shared_ptr<arrow::RecordBatchReader> reader;
  int32_t level = 0;
};

struct MergeOptions {
  /// User sequence fields: indices of value columns, most significant first.
  std::vector<int> sequence_values = {};
  bool sequence_descending = false;
  /// Rows that come out as -U or -D are dropped unless this is set (compaction, audit log).
  bool keep_retracts = false;
  /// Of a key's records at levels >= 1 only the one at the smallest level takes part (tables that need lookup, merge.md §10).
  bool newest_level_only = false;
  /// Columns of the layout to return; empty: all.
  std::vector<int> output_columns = {};
  int64_t batch_rows = 16384;
  arrow::MemoryPool* pool = nullptr;  ///< nullptr: the default pool
};

/// Merged rows in key order. Pulls from the runs as it goes, one batch of each at a time; starts no thread.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MergeRuns(const KeyValueLayout& layout, std::vector<SortedRun> runs,
                                                                   std::unique_ptr<MergeFunction> function,
                                                                   MergeOptions options);

}  // namespace bactrian
