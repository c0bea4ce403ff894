#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/meta/manifest.h"
#include "bactrian/table.h"
#include "compat.h"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"

namespace bactrian {
struct LookupIndex;
}

namespace bactrian::sql {

/// A table as SQL sees it: its columns at one schema, its rows at one snapshot. Shared by the catalog entry and by the scans
/// that outlive it; thread-safe.
struct ScanSource : std::enable_shared_from_this<ScanSource> {
  struct Column {
    std::string name;          ///< unique without regard to case, as SQL needs it
    duckdb::LogicalType type;  ///< a stand-in if `error` is set
    arrow::Status error;       ///< why the column cannot be used
  };

  std::shared_ptr<Table> table;
  std::vector<Column> columns;  ///< one a field of table->schema(), in order

  duckdb::weak_ptr<duckdb::TableCatalogEntry> entry;  ///< of the catalog that the table was named in, if any

  static std::shared_ptr<ScanSource> Make(std::shared_ptr<Table> table);
  ScanSource() = default;
  ~ScanSource();
  ScanSource(const ScanSource&) = delete;

  /// Names a source that is alive in this process; no two ever have the same.
  uint64_t id() const { return id_; }
  /// nullptr if it is gone.
  static std::shared_ptr<const ScanSource> Find(uint64_t id);

  /// The whole table at the snapshot that the first call found.
  arrow::Result<std::shared_ptr<Plan>> BasePlan() const;
  /// What of that snapshot may match; the same plan for the same predicate. `by_key`: a lookup where the predicate fixes keys.
  arrow::Result<std::shared_ptr<Plan>> FilteredPlan(const PredicatePtr& predicate, bool by_key) const;
  /// The same snapshot's files by key; nullptr where rows are not looked up by key.
  arrow::Result<std::shared_ptr<const LookupIndex>> KeyIndex() const;
  /// The predicate of an earlier FilteredPlan, by its text; nullptr if there was none.
  PredicatePtr PlannedPredicate(const std::string& text) const;
  /// A split's rows that match (nullptr: all), with these columns.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const Split& split, std::vector<std::string> columns,
                                                                const PredicatePtr& predicate) const;

  const std::vector<Field>& fields() const { return table->schema()->fields; }
  /// The schema that a data file was written with.
  arrow::Result<std::shared_ptr<const TableSchema>> FileSchema(const DataFileMeta& file) const;
  /// Where in a partition's values the column is; nullopt if it is no partition key.
  std::optional<size_t> PartitionKeyIndex(const std::string& column) const;

 private:
  struct Filtered {
    PredicatePtr predicate;
    std::shared_ptr<Plan> plan;
  };
  arrow::Result<std::shared_ptr<Plan>> MakePlan(const PredicatePtr& predicate, bool by_key) const;

  uint64_t id_ = 0;
  mutable std::mutex mutex_;  ///< of what follows
  mutable std::shared_ptr<Plan> base_plan_;
  mutable std::shared_ptr<const LookupIndex> key_index_;
  mutable bool key_index_sought_ = false;
  mutable std::map<std::pair<std::string, bool>, Filtered> filtered_plans_;  ///< by the predicate's text, and `by_key`
};

}  // namespace bactrian::sql
