#include "table_entry.h"

#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/parser/constraints/list.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/storage/table_storage_info.hpp"
#include "errors.h"
#include "paimon_transaction.h"
#include "scan_function.h"

namespace bactrian::sql {

namespace {

/// A table's schema in the terms of CREATE TABLE, for DESCRIBE and duckdb_tables().
void FillCreateInfo(const ScanSource& source, duckdb::CreateTableInfo& info) {
  const TableSchema& schema = *source.table->schema();
  for (size_t i = 0; i < source.columns.size(); ++i) {
    const Field& field = schema.fields[i];
    duckdb::ColumnDefinition column(ToSqlName(source.columns[i].name), source.columns[i].type);
    if (field.description) column.SetComment(duckdb::Value(*field.description));
    if (field.default_value) {
      // A constant that does not parse is left to the writer, whose error names the column.
      const auto value = TryCast(duckdb::Value(*field.default_value), source.columns[i].type);
      if (value) column.SetDefaultValue(MakeConstant(*value));
    }
    info.columns.AddColumn(std::move(column));
    if (!field.type->nullable())
      info.constraints.push_back(duckdb::make_uniq<duckdb::NotNullConstraint>(duckdb::LogicalIndex(i)));
  }
  if (schema.comment) info.comment = duckdb::Value(*schema.comment);
  info.tags["paimon.path"] = source.table->path();
}

}  // namespace

duckdb::shared_ptr<PaimonTableEntry> PaimonTableEntry::Make(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                                                            std::shared_ptr<Table> table) {
  duckdb::CreateTableInfo info(schema, ToSqlName(table->identifier().object));
  std::shared_ptr<ScanSource> source = ScanSource::Make(std::move(table));
  FillCreateInfo(*source, info);
  auto entry = duckdb::make_shared_ptr<PaimonTableEntry>(catalog, schema, info, source);
  source->entry = duckdb::shared_ptr<duckdb::TableCatalogEntry>(entry);
  return entry;
}

PaimonTableEntry::PaimonTableEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info,
                                   std::shared_ptr<const ScanSource> source)
    : TableEntryWithColumns(catalog, schema, info), source_(std::move(source)) {}

duckdb::unique_ptr<duckdb::BaseStatistics> PaimonTableEntry::GetStatistics(duckdb::ClientContext&, duckdb::column_t) {
  return nullptr;  // a scan gives those of its plan
}

duckdb::TableFunction PaimonTableEntry::GetScanFunction(duckdb::ClientContext& context,
                                                        duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  if (PaimonTransaction::Get(context, catalog).HasPendingRows(table()->identifier())) {
    throw duckdb::TransactionException("table \"%s\" has rows that this transaction inserted: COMMIT before reading it",
                                       NameText(name));
  }
  return MakeScanFunction(context, PaimonFileList::Make(source_), shared_from_this(), bind_data);
}

duckdb::TableStorageInfo PaimonTableEntry::GetStorageInfo(duckdb::ClientContext&) { return duckdb::TableStorageInfo(); }

duckdb::virtual_column_map_t PaimonTableEntry::GetVirtualColumns() const { return PaimonVirtualColumns(); }

duckdb::vector<duckdb::column_t> PaimonTableEntry::GetRowIdColumns() const {
  return {duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX, duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER};
}

}  // namespace bactrian::sql
