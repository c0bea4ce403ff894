#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// Streams the rows of one split: batches of spec->schema, the predicate applied exactly, at most spec->limit rows. Files are
/// opened one after the other as they are needed, or merged by key where the split asks for it.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeSplitReader(std::shared_ptr<const ReadSpec> spec,
                                                                         const DataSplit& split);

}  // namespace bactrian
