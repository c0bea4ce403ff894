#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// Streams the rows of a split whose files overlap in keys (format reference: merge.md §10): section by section in key order,
/// each merged by the table's engine, deletion vectors applied before. Only key conjuncts are pushed into files that overlap;
/// the predicate is applied exactly afterwards. `_VALUE_KIND` is the kind of the merged record.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeMergedSplitReader(std::shared_ptr<const ReadSpec> spec,
                                                                               std::shared_ptr<const DataSplit> split);

}  // namespace bactrian
