#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow_conversion.h"
#include "duckdb/planner/table_filter_state.hpp"
#include "file_list.h"

namespace bactrian::sql {

/// Reads a split (or one file of it) through the library: what DuckDB's Parquet reader cannot decode, or would decode
/// otherwise. Applies the scan's filters exactly. One thread scans it.
class SplitReader final : public ScanFileReader {
 public:
  /// `item` says what to read; with `item.file` set, that file alone.
  SplitReader(duckdb::OpenFileInfo file, std::shared_ptr<const ScanSource> source, PredicatePtr predicate,
              const PaimonFileList::Item& item);

  void AddVirtualColumn(duckdb::column_t virtual_column_id) override;
  bool TryInitializeScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& gstate,
                         duckdb::LocalTableFunctionState& lstate) override;
  duckdb::AsyncResult Scan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& gstate,
                           duckdb::LocalTableFunctionState& lstate, duckdb::DataChunk& chunk) override;
  duckdb::string GetReaderType() const override { return "Paimon"; }

 private:
  struct Filter {
    duckdb::idx_t index;  ///< of the chunk's column
    const duckdb::TableFilter& filter;
    duckdb::unique_ptr<duckdb::TableFilterState> state;
  };

  void Open(duckdb::ClientContext& context);
  void NumberRows(duckdb::DataChunk& chunk);
  void ApplyFilters(duckdb::DataChunk& chunk);

  std::shared_ptr<const ScanSource> source_;
  PredicatePtr predicate_;
  std::shared_ptr<const Split> split_;
  std::optional<duckdb::idx_t> row_number_column_;  ///< index into `columns`
  bool handed_out_ = false;

  std::unique_ptr<ArrowChunkSource> chunks_;
  std::vector<duckdb::idx_t> targets_;  ///< where a chunk has the columns read
  std::optional<duckdb::idx_t> row_number_target_;
  int64_t next_row_number_ = 0;
  std::vector<Filter> filters_;
};

}  // namespace bactrian::sql
