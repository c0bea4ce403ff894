#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bactrian/schema.h"

namespace bactrian::cli {

enum class IfExists { kError, kSkip, kOverwrite };

struct LoadRequest {
  std::string warehouse;
  std::string table;                 ///< "db.table"; made from the first file's schema, with its database
  std::vector<std::string> sources;  ///< Parquet files, and folders whose *.parquet are taken in the order of their names
  IfExists if_exists = IfExists::kError;
  std::vector<std::string> partition_keys;
  Options options;
  int threads = 0;                 ///< 0: one a core
  int64_t memory_limit_bytes = 0;  ///< of rows buffered by all threads; 0: the writers' default
  bool link = false;  ///< the files themselves become data files (LinkFiles) instead of their rows being written anew
};

struct LoadReport {
  std::string status;  ///< "loaded", "skipped" or "overwritten"
  int64_t rows = 0;
  int64_t milliseconds = 0;
};

/// Copies Parquet files into a table as one snapshot: threads read and write ranges of row groups side by side. When it fails,
/// a table that did not exist does not exist, and one to overwrite is as before unless its columns had to change. Throws
/// Failure.
LoadReport Load(const LoadRequest& request);

}  // namespace bactrian::cli
