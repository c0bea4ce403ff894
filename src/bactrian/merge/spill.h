#pragma once

#include <string>
#include <vector>

#include "bactrian/merge/merge_runs.h"

namespace bactrian {

/// Writes the records of `runs` (at least one, all of one level), interleaved by key and none merged, to a temporary file in
/// `directory` and gives a run that reads them back a batch at a time: a merge of more runs than memory takes is done in
/// passes. The file has no name left when this returns, so it goes with its reader. `pool` may be nullptr.
arrow::Result<SortedRun> SpillRuns(const KeyValueLayout& layout, std::vector<SortedRun> runs, int64_t batch_rows,
                                   const std::string& directory, arrow::MemoryPool* pool);

}  // namespace bactrian
