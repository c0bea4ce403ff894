/// Rows of a row group that may satisfy a predicate, by what the file records of its values.
#pragma once

#include <vector>

#include "bactrian/format/parquet/column_plan.h"
#include "bactrian/format/parquet/parquet_file.h"

namespace bactrian {

/// Uses the row group's statistics, then Bloom filters, then the page index, as far as `switches` allow and the file can be
/// trusted. Empty: the row group holds no such row. `fields[i]` is the column that `plans[i]` reads; the predicate is over
/// them.
arrow::Result<RowRanges> CandidateRows(const ParquetFile& file, int row_group, const Predicate& predicate,
                                       const std::vector<Field>& fields, const std::vector<ColumnPlan>& plans,
                                       const PruningSwitches& switches);

}  // namespace bactrian
