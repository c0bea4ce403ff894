#include "scan_function.h"

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "file_statistics.h"
#include "key_lookup.h"
#include "multi_file_reader.h"
#include "scan_serialization.h"

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
  if (field.type->root() == TypeRoot::kVariant) return nullptr;  // DuckDB 1.5 takes VARIANT nulls for NULL: not counted
  const bactrian::ColumnStatistics& known = found->second;
  const duckdb::LogicalType& type = files.source().columns[column].type;
  const bool bounded = known.precision != Precision::kAbsent && !field.type->is_string();
  auto statistics = bounded ? MakeStatistics(type, field, known.min, known.max) : MakeStatistics(type, field, {}, {});
  if (known.null_count == 0) statistics->Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
  if (known.distinct_count && *known.distinct_count > 0) {
    statistics->SetDistinctCount(static_cast<duckdb::idx_t>(*known.distinct_count));
  }
  return statistics;
}

/// Lets count(*), min and max be answered from manifests where they know them exactly.
duckdb::vector<duckdb::PartitionStatistics> PartitionStatistics(duckdb::ClientContext&, duckdb::GetPartitionStatsInput& input) {
  return PartitionStatisticsOf(Files(input.bind_data.get()));
}

duckdb::virtual_column_map_t VirtualColumnsOf(duckdb::ClientContext&, duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto& multi_file = bind_data->Cast<duckdb::MultiFileBindData>();
  multi_file.virtual_columns = PaimonVirtualColumns();
  return multi_file.virtual_columns;
}

duckdb::optional_ptr<duckdb::TableCatalogEntry> TableOf(const duckdb::FunctionData& bind_data) {
  return MultiFile(&bind_data).multi_file_reader->Cast<PaimonMultiFileReader>().info().entry.get();
}

/// What EXPLAIN shows beside columns and filters.
ScanDescription Describe(duckdb::TableFunctionToStringInput& input) {
  ScanDescription result;
  result["Function"] = duckdb::StringUtil::Upper(kScanFunctionName);
  if (const auto keys = KeysLookedUp(Files(input.bind_data.get()).plan())) {
    result["Key Lookup"] = std::to_string(*keys) + (*keys == 1 ? " key" : " keys");
  }
  return result;
}

/// What EXPLAIN ANALYZE shows: how many files each stage of pruning left, and what was opened.
ScanDescription DescribeExecution(const duckdb::FunctionData& bind_data, duckdb::GlobalTableFunctionState& global_state) {
  const PaimonFileList& files = Files(&bind_data);
  auto& state = global_state.Cast<duckdb::MultiFileGlobalState>();
  int64_t read = 0, bytes = 0, skipped = 0;
  for (const auto& reader : state.readers) {
    if (reader->file_state == duckdb::MultiFileFileState::UNOPENED) continue;
    if (reader->file_state == duckdb::MultiFileFileState::SKIPPED) {
      ++skipped;
      continue;
    }
    ++read;
    const PaimonFileList::Item& item = files.item(reader->file_to_be_opened);
    bytes += item.file ? static_cast<const DataSplit&>(*item.split).files[*item.file].meta->file_size : item.split->bytes();
  }
  const PlanMetrics& metrics = files.plan().metrics();
  ScanDescription result;
  const auto show = [&](const char* name, int64_t value) { result.insert({name, std::to_string(value)}); };
  show("Total Files Read", read);
  show("Bytes of Files Read", bytes);
  show("Files Skipped While Running", skipped);
  show("Files Planned", static_cast<int64_t>(files.items().size()));
  show("Bytes Planned", files.plan().statistics().bytes);
  show("Files in Manifests Read", metrics.files_total);
  show("Manifests Read", metrics.manifests_read);
  show("Manifests", metrics.manifests_total);
  return result;
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
  SetName(function, kScanFunctionName);
  function.function_info = std::move(info);
  function.get_multi_file_reader = PaimonMultiFileReader::Create;
  function.statistics = ColumnStatisticsOf;
  function.statistics_extended = nullptr;
  function.to_string = Describe;
  function.get_partition_stats = PartitionStatistics;
  SetDescription<DescribeExecution>(function);
  function.get_virtual_columns = VirtualColumnsOf;
  SetTableEntryOf<TableOf>(function);
  function.serialize = SerializeScan;
  function.deserialize = DeserializeScan;
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
