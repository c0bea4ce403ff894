#pragma once

#include <string>
#include <vector>

#include "bactrian/table.h"
#include "progress.h"

namespace bactrian::cli {

/// Makes files that are there data files of an unpartitioned append table: each gets a second name (a hard link, on another
/// file system a copy) in the table's bucket, and statistics from one read of it. Throws Failure, with nothing left behind,
/// for a file whose columns are not exactly the table's. The messages are to be committed.
std::vector<CommitMessagePtr> LinkFiles(Table& table, const std::vector<std::string>& files, Progress& progress);

}  // namespace bactrian::cli
