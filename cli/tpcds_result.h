/// What a query of the benchmark returned, as figures that two runs can compare.
#pragma once

#include <cstdint>
#include <string>

#include "duckdb.hpp"

namespace bactrian::cli {

struct ResultDigest {
  int64_t rows = 0;
  /// Of all values. Rows count in any order; of the columns that the statement orders by, the order counts too. Floating-point
  /// values count with nine digits, since sums of them depend on the threads.
  std::string hash;
};

/// `statement` is the one that gave the result.
ResultDigest DigestOf(const duckdb::SQLStatement& statement, duckdb::MaterializedQueryResult& result);

}  // namespace bactrian::cli
