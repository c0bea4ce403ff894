#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bactrian/catalog.h"
#include "compat.h"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/storage/database_size.hpp"
#include "schema_entry.h"

namespace bactrian::sql {

/// A warehouse as a DuckDB catalog: databases are schemas. Thread-safe.
class PaimonCatalog final : public duckdb::Catalog {
 public:
  /// The reference's name of the database that is there without being made.
  static constexpr char kDefaultDatabase[] = "default";
  /// Of the tables that tell about the whole warehouse.
  static constexpr char kSystemDatabase[] = "sys";

  PaimonCatalog(duckdb::AttachedDatabase& db, std::shared_ptr<bactrian::Catalog> catalog);

  bactrian::Catalog& catalog() { return *catalog_; }

  /// What CALL finds under `schema`, the catalog's `sys`; nullptr if there is no procedure of this name.
  duckdb::optional_ptr<duckdb::CatalogEntry> ProcedureEntry(duckdb::SchemaCatalogEntry& schema, const std::string& name);

  void Initialize(bool) override {}
  duckdb::string GetCatalogType() override { return "paimon"; }
  DefaultSchemaName GetDefaultSchema() const override { return SqlName(kDefaultDatabase); }
  bool SupportsTimeTravel() const override { return true; }
  bool InMemory() override { return false; }
  duckdb::string GetDBPath() override { return catalog_->warehouse(); }
  duckdb::DatabaseSize GetDatabaseSize(duckdb::ClientContext& context) override;

  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSchema(duckdb::CatalogTransaction transaction,
                                                          duckdb::CreateSchemaInfo& info) override;
  void ScanSchemas(duckdb::ClientContext& context, std::function<void(duckdb::SchemaCatalogEntry&)> callback) override;
  duckdb::optional_ptr<duckdb::SchemaCatalogEntry> LookupSchema(duckdb::CatalogTransaction transaction,
                                                                const duckdb::EntryLookupInfo& lookup,
                                                                duckdb::OnEntryNotFound if_not_found) override;
  duckdb::ErrorData SupportsCreateTable(duckdb::BoundCreateTableInfo& info) override;

  duckdb::PhysicalOperator& PlanCreateTableAs(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                              duckdb::LogicalCreateTable& op, duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanInsert(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalInsert& op, duckdb::optional_ptr<duckdb::PhysicalOperator> plan) override;
  duckdb::PhysicalOperator& PlanDelete(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalDelete& op, duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanUpdate(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalUpdate& op, duckdb::PhysicalOperator& plan) override;

  duckdb::unique_ptr<duckdb::LogicalOperator> BindCreateIndex(duckdb::Binder& binder, duckdb::CreateStatement& statement,
                                                              duckdb::TableCatalogEntry& table,
                                                              duckdb::unique_ptr<duckdb::LogicalOperator> plan) override;
  duckdb::unique_ptr<duckdb::LogicalOperator> BindAlterAddIndex(duckdb::Binder& binder, duckdb::TableCatalogEntry& table,
                                                                duckdb::unique_ptr<duckdb::LogicalOperator> plan,
                                                                duckdb::unique_ptr<duckdb::CreateIndexInfo> create_info,
                                                                duckdb::unique_ptr<duckdb::AlterTableInfo> alter_info) override;

 private:
  void DropSchema(duckdb::ClientContext& context, duckdb::DropInfo& info) override;
  PaimonSchemaEntry& SchemaEntry(const std::string& database);

  std::shared_ptr<bactrian::Catalog> catalog_;
  std::mutex mutex_;
  std::map<std::string, duckdb::unique_ptr<PaimonSchemaEntry>> schemas_;  ///< entries once made live as long as the catalog
  std::map<std::string, duckdb::unique_ptr<duckdb::CatalogEntry>> procedures_;
};

}  // namespace bactrian::sql
