#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// Streams what changed in a bucket of a primary-key table from the files `split->before` to `split->files`, each side merged
/// (format reference: query.md §4): a row that is new or differs, as it is afterwards; one that is gone, with kind -D, where
/// the spec keeps deletes.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeDifferenceReader(std::shared_ptr<const ReadSpec> spec,
                                                                              std::shared_ptr<const DataSplit> split);

/// Streams the rows of `split->before` taken back, all of kind -D, then those of `split->files` (query.md §5, overwrites).
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeReplacementReader(std::shared_ptr<const ReadSpec> spec,
                                                                               std::shared_ptr<const DataSplit> split);

}  // namespace bactrian
