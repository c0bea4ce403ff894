#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// Streams the rows of a split in which several files may hold columns of the same rows (format reference: rowtracking.md §2).
/// Each column comes from the newest file of its rows that has it; columns are joined by position. The deletion vector of the
/// oldest file counts for all. The predicate is applied to whole rows.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeEvolvedSplitReader(std::shared_ptr<const ReadSpec> spec,
                                                                                std::shared_ptr<const DataSplit> split);

}  // namespace bactrian
