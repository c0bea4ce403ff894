/// The k-way merge of sorted runs (format reference: merge.md §3, §4; design: docs/architecture.md, "Merge").
///
///   ARROW_ASSIGN_OR_RAISE(auto reader, MergeRuns(layout, std::move(runs), MakeDeduplicate(layout, false), {}));
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bactrian/merge/merge_function.h"
#include "bactrian/merge/merged_rows.h"

namespace bactrian {

/// Batches in the layout, rows ascending by key. A key may occur more than once.
struct SortedRun {
  std::shared_ptr<arrow::RecordBatchReader> reader;
  int32_t level = 0;
};

/// Merged rows in key order. Pulls from the runs as it goes, one batch of each at a time; starts no thread.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MergeRuns(const KeyValueLayout& layout, std::vector<SortedRun> runs,
                                                                   std::unique_ptr<MergeFunction> function,
                                                                   MergeOptions options);

}  // namespace bactrian
