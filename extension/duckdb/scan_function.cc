#include "scan_function.h"

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/function/partition_stats.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "duckdb/storage/statistics/numeric_stats.hpp"
#include "multi_file_reader.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

const duckdb::MultiFileBindData& MultiFile(const duckdb::FunctionData* bind_data) {
  return bind_data->Cast<duckdb::MultiFileBindData>();
}

const PaimonFileList& Files(const duckdb::FunctionData* bind_data) {
  return MultiFile(bind_data).file_list->Cast<PaimonFileList>();
}

/// Bounds of a column for the optimiser. Only what holds for every row that the scan may return: floats are left out, since a
/// NaN is above bounds that do not count it, and text, since its bounds may have been cut short.
duckdb::unique_ptr<duckdb::BaseStatistics> ColumnStatisticsOf(duckdb::ClientContext&, const duckdb::FunctionData* bind_data,
                                                              duckdb::column_t column) {
  if (duckdb::IsVirtualColumn(column)) return nullptr;
  const PaimonFileList& files = Files(bind_data);
  const Field& field = files.source().fields()[column];
  const auto& columns = files.plan().statistics().columns;
  const auto found = columns.find(field.name);
  if (found == columns.end() || !files.source().columns[column].error.ok()) return nullptr;
  const bactrian::ColumnStatistics& known = found->second;
  const duckdb::LogicalType& type = files.source().columns[column].type;
  duckdb::BaseStatistics statistics = duckdb::BaseStatistics::CreateUnknown(type);
  const bool ordered = field.type->is_integer() || field.type->is_timestamp() || field.type->root() == TypeRoot::kDate ||
                       field.type->root() == TypeRoot::kDecimal;
  if (ordered && known.precision != Precision::kAbsent && !IsNull(known.min) && !IsNull(known.max)) {
    arrow::Result<duckdb::Value> min = FromPaimonValue(known.min, *field.type), max = FromPaimonValue(known.max, *field.type);
    if (min.ok() && max.ok()) {
      duckdb::NumericStats::SetMin(statistics, *min);
      duckdb::NumericStats::SetMax(statistics, *max);
    }
  }
  if (known.null_count == 0) statistics.Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
  if (known.distinct_count && *known.distinct_count > 0) {
    statistics.SetDistinctCount(static_cast<duckdb::idx_t>(*known.distinct_count));
  }
  return statistics.ToUnique();
}

/// Lets count(*) be answered from the plan where it knows the rows exactly.
duckdb::vector<duckdb::PartitionStatistics> RowCountOf(duckdb::ClientContext&, duckdb::GetPartitionStatsInput& input) {
  const PaimonFileList& files = Files(input.bind_data.get());
  duckdb::vector<duckdb::PartitionStatistics> result;
  if (files.predicate() == nullptr && files.plan().statistics().row_count_precision == Precision::kExact) {
    duckdb::PartitionStatistics partition;
    partition.count = static_cast<duckdb::idx_t>(files.plan().statistics().row_count);
    partition.count_type = duckdb::CountType::COUNT_EXACT;
    result.push_back(std::move(partition));
  }
  return result;
}

duckdb::virtual_column_map_t VirtualColumnsOf(duckdb::ClientContext&, duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto& multi_file = bind_data->Cast<duckdb::MultiFileBindData>();
  multi_file.virtual_columns = PaimonVirtualColumns();
  return multi_file.virtual_columns;
}

duckdb::optional_ptr<duckdb::TableCatalogEntry> TableOf(const duckdb::FunctionData& bind_data) {
  return MultiFile(&bind_data).multi_file_reader->Cast<PaimonMultiFileReader>().info().entry.get();
}

void Serialize(duckdb::Serializer&, const duckdb::optional_ptr<duckdb::FunctionData>, const BoundFunction&) {
  throw duckdb::NotImplementedException("a scan of a Paimon table cannot be serialized");
}

duckdb::unique_ptr<duckdb::FunctionData> Deserialize(duckdb::Deserializer&, BoundFunction&) {
  throw duckdb::NotImplementedException("a scan of a Paimon table cannot be serialized");
}

}  // namespace

duckdb::virtual_column_map_t PaimonVirtualColumns() {
  duckdb::virtual_column_map_t columns;
  columns.insert({duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX, {"file_index", duckdb::LogicalType::UBIGINT}});
  columns.insert(
      {duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER, {"file_row_number", duckdb::LogicalType::BIGINT}});
  columns.insert({duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME, {"filename", duckdb::LogicalType::VARCHAR}});
  columns.insert({duckdb::COLUMN_IDENTIFIER_EMPTY, {"", duckdb::LogicalType::BOOLEAN}});
  return columns;
}

duckdb::TableFunction MakeScanFunction(duckdb::ClientContext& context, duckdb::shared_ptr<PaimonFileList> files,
                                       duckdb::shared_ptr<duckdb::TableCatalogEntry> entry,
                                       duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  auto& database = duckdb::DatabaseInstance::GetDatabase(context);
  auto transaction = duckdb::CatalogTransaction::GetSystemTransaction(database);
  auto& schema = duckdb::Catalog::GetSystemCatalog(database).GetSchema(transaction, SqlName(DEFAULT_SCHEMA));
  auto found = schema.GetEntry(transaction, duckdb::CatalogType::TABLE_FUNCTION_ENTRY, "parquet_scan");
  if (!found) throw duckdb::CatalogException("Paimon tables are read through DuckDB's parquet extension, which is not loaded");
  auto& overloads = found->Cast<duckdb::TableFunctionCatalogEntry>().functions;
  duckdb::TableFunction function = OverloadOf(overloads.GetFunctionByArguments(context, {duckdb::LogicalType::VARCHAR}));

  auto info = duckdb::make_shared_ptr<ScanFunctionInfo>();
  info->files = std::move(files);
  info->entry = std::move(entry);
  SetName(function, "paimon_scan");
  function.function_info = std::move(info);
  function.get_multi_file_reader = PaimonMultiFileReader::Create;
  function.statistics = ColumnStatisticsOf;
  function.statistics_extended = nullptr;
  function.get_partition_stats = RowCountOf;
  function.get_virtual_columns = VirtualColumnsOf;
  SetTableEntryOf<TableOf>(function);
  function.serialize = Serialize;
  function.deserialize = Deserialize;
  function.late_materialization = true;

  duckdb::vector<duckdb::Value> inputs{duckdb::Value("")};
  NamedParameters parameters;
  parameters["can_have_nan"] = duckdb::Value::BOOLEAN(true);  // files' bounds do not count NaN, which SQL has above all numbers
  duckdb::vector<duckdb::LogicalType> input_types, types;
  duckdb::vector<SqlName> input_names, names;
  duckdb::TableFunctionRef ref;
  BoundFunction bound(function);
  duckdb::TableFunctionBindInput input(inputs, parameters, input_types, input_names, nullptr, nullptr, bound, ref);
  bind_data = function.bind(context, input, types, names);
  VirtualColumnsOf(context, bind_data.get());
  return function;
}

}  // namespace bactrian::sql
