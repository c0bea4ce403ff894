#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/table.h"
#include "compat.h"

namespace bactrian::sql {

/// A table as SQL sees it: its columns at one schema, its rows at one snapshot. Shared by the catalog entry and by the scans
/// that outlive it; thread-safe.
struct ScanSource {
  struct Column {
    std::string name;          ///< unique without regard to case, as SQL needs it
    duckdb::LogicalType type;  ///< a stand-in if `error` is set
    arrow::Status error;       ///< why the column cannot be used
  };

  std::shared_ptr<Table> table;
  std::vector<Column> columns;  ///< one a field of table->schema(), in order

  static std::shared_ptr<const ScanSource> Make(std::shared_ptr<Table> table);

  /// The whole table at the snapshot that the first call found.
  arrow::Result<std::shared_ptr<Plan>> BasePlan() const;
  /// What of that snapshot may match.
  arrow::Result<std::shared_ptr<Plan>> FilteredPlan(const PredicatePtr& predicate) const;
  /// A split's rows that match (nullptr: all), with these columns.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const Split& split, std::vector<std::string> columns,
                                                                const PredicatePtr& predicate) const;

  const std::vector<Field>& fields() const { return table->schema()->fields; }
  /// Where in a partition's values the column is; nullopt if it is no partition key.
  std::optional<size_t> PartitionKeyIndex(const std::string& column) const;

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<Plan> base_plan_;
};

}  // namespace bactrian::sql
