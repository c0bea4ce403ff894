#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bactrian/format/file_format.h"
#include "bactrian/table/data_file_paths.h"
#include "bactrian/table/table_context.h"
#include "bactrian/table/write/external_paths.h"
#include "bactrian/table/write/stats_mode.h"

namespace bactrian {

/// Everything that a table's schema and options say of how its data files are written, checked once. All file writers of one
/// table writer share it.
struct WriteSettings {
  /// kInvalid names a malformed option, kUnsupported what this build does not write.
  static arrow::Result<WriteSettings> Make(const TableContext& context);

  TableContext context;
  DataFilePaths paths;
  ExternalPaths external;
  const FileFormat* format = nullptr;
  std::string file_prefix;     ///< "data-"
  std::string file_extension;  ///< ".parquet", ".zstd.parquet"
  int64_t target_file_bytes = 0;
  int64_t target_file_rows = 0;
  std::vector<StatsMode> stats_modes;
  bool dense_stats = true;
  TaskPool* tasks = nullptr;  ///< whose idle threads may help to encode; nullptr: none
};

}  // namespace bactrian
