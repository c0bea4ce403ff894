#pragma once

#include <span>
#include <vector>

#include "bactrian/table/plan/data_split.h"

namespace bactrian {

/// Files of tables with data evolution by the rows that they hold: those of a group hold columns of the same rows
/// (format reference: rowtracking.md §2). Groups are in row order; a file without a first row id is a group of its own, after
/// those. kUnsupported for files that hold some of another's rows only.
arrow::Result<std::vector<std::vector<SplitFile>>> GroupByRows(std::span<const SplitFile> files);

}  // namespace bactrian
