/// What manifests tell about the files of a scan, in DuckDB's terms: skips files that cannot pass a filter and answers
/// count(*), min and max without opening any.
#pragma once

#include "compat.h"
#include "duckdb/function/partition_stats.hpp"
#include "duckdb/planner/table_filter.hpp"
#include "file_list.h"

namespace bactrian::sql {

/// Bounds and nulls of a column in one item; nullptr where nothing is known of it. Min and max hold all values but may be no
/// values themselves (HasExactBounds).
duckdb::unique_ptr<duckdb::BaseStatistics> ItemStatistics(const PaimonFileList& files, const PaimonFileList::Item& item,
                                                          duckdb::column_t column);

/// Bounds of `type` for the optimiser; nullptr for a type of which SQL's order is not that of the bounds (floats: a NaN lies
/// above bounds that do not count it).
duckdb::unique_ptr<duckdb::BaseStatistics> MakeStatistics(const duckdb::LogicalType& type, const Field& field, const Value& min,
                                                          const Value& max);

/// Whether a row of the item may pass all filters, which go by the index into `column_ids`, as they stand at this moment:
/// those of a join or of ORDER BY … LIMIT get narrower while a query runs. `item` is a number in the list.
bool MayPass(duckdb::ClientContext& context, const PaimonFileList& files, duckdb::idx_t item,
             const duckdb::vector<duckdb::ColumnIndex>& column_ids, const duckdb::TableFilterSet& filters);

/// Exact rows and statistics of each item; none at all where one item's rows are not known exactly.
duckdb::vector<duckdb::PartitionStatistics> PartitionStatisticsOf(const PaimonFileList& files);

}  // namespace bactrian::sql
