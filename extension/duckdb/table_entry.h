#pragma once

#include <memory>

#include "bactrian/table.h"
#include "compat.h"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "file_list.h"
#include "scan_source.h"

namespace bactrian::sql {

/// A table, branch, system table or an earlier state of one, as one transaction sees it.
class PaimonTableEntry final : public TableEntryWithColumns, public duckdb::enable_shared_from_this<PaimonTableEntry> {
 public:
  static duckdb::shared_ptr<PaimonTableEntry> Make(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                                                   std::shared_ptr<Table> table);
  PaimonTableEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info,
                   std::shared_ptr<const ScanSource> source);

  const std::shared_ptr<Table>& table() const { return source_->table; }
  const ScanSource& source() const { return *source_; }

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext& context, duckdb::column_t column) override;
  duckdb::TableFunction GetScanFunction(duckdb::ClientContext& context,
                                        duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext& context) override;
  void BindUpdateConstraints(duckdb::Binder& binder, duckdb::LogicalGet& get, duckdb::LogicalProjection& proj,
                             duckdb::LogicalUpdate& update, duckdb::ClientContext& context) override {}
  duckdb::virtual_column_map_t GetVirtualColumns() const override;
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override;

 private:
  std::shared_ptr<const ScanSource> source_;
};

}  // namespace bactrian::sql
