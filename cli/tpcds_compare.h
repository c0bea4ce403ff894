#pragma once

#include <ostream>
#include <string>

namespace bactrian::cli {

/// Prints a table of two runs' queries (the files that RunTpcds writes): median executions, their ratio a/b, whether rows and
/// hashes match; then the median of the totals, a total being the sum of one run's executions. `svg`, unless empty, is the file
/// for a chart of the ratios. True if every query ran in both and returned the same. Throws Failure for files that are no runs.
bool CompareTpcds(const std::string& a, const std::string& b, const std::string& svg, std::ostream& out);

}  // namespace bactrian::cli
