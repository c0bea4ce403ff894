#include "paimon_catalog.h"

#include <algorithm>

#include "duckdb/main/attached_database.hpp"
#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/create_index_info.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"
#include "duckdb/planner/logical_operator.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"
#include "errors.h"
#include "procedure.h"

namespace bactrian::sql {

PaimonCatalog::PaimonCatalog(duckdb::AttachedDatabase& db, std::shared_ptr<bactrian::Catalog> catalog)
    : Catalog(db), catalog_(std::move(catalog)) {}

PaimonSchemaEntry& PaimonCatalog::SchemaEntry(const std::string& database) {
  std::lock_guard lock(mutex_);
  auto& entry = schemas_[database];
  if (!entry) {
    duckdb::CreateSchemaInfo info;
    FillSchemaInfo(info, *this, database);
    entry = duckdb::make_uniq<PaimonSchemaEntry>(*this, info);
  }
  return *entry;
}

duckdb::optional_ptr<duckdb::CatalogEntry> PaimonCatalog::ProcedureEntry(duckdb::SchemaCatalogEntry& schema,
                                                                         const std::string& name) {
  std::lock_guard lock(mutex_);
  auto& entry = procedures_[name];
  if (!entry) entry = MakeProcedureEntry(*this, schema, name);
  return entry.get();
}

duckdb::optional_ptr<duckdb::CatalogEntry> PaimonCatalog::CreateSchema(duckdb::CatalogTransaction,
                                                                       duckdb::CreateSchemaInfo& info) {
  switch (info.on_conflict) {
    case duckdb::OnCreateConflict::REPLACE_ON_CONFLICT:
    case duckdb::OnCreateConflict::ALTER_ON_CONFLICT:
      throw duckdb::NotImplementedException("CREATE OR REPLACE SCHEMA is not supported for Paimon catalogs");
    default:
      break;
  }
  const bool ignore = info.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT;
  CheckOk(catalog_->CreateDatabase(SchemaNameOf(info), ignore));
  return &SchemaEntry(SchemaNameOf(info));
}

void PaimonCatalog::DropSchema(duckdb::ClientContext& context, duckdb::DropInfo& info) {
  const bool ignore = info.if_not_found == duckdb::OnEntryNotFound::RETURN_NULL;
  const std::string& name = ObjectNameOf(info);
  const LookupName lookup_name = ToLookupName(name);
  const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::SCHEMA_ENTRY, lookup_name);
  const auto schema = LookupSchema(GetCatalogTransaction(context), lookup, duckdb::OnEntryNotFound::RETURN_NULL);
  CheckOk(catalog_->DropDatabase(schema ? NameText(schema->name) : name, ignore, info.cascade));
}

void PaimonCatalog::ScanSchemas(duckdb::ClientContext&, std::function<void(duckdb::SchemaCatalogEntry&)> callback) {
  for (const std::string& database : ValueOrThrow(catalog_->ListDatabases())) callback(SchemaEntry(database));
}

duckdb::optional_ptr<duckdb::SchemaCatalogEntry> PaimonCatalog::LookupSchema(duckdb::CatalogTransaction,
                                                                             const duckdb::EntryLookupInfo& lookup,
                                                                             duckdb::OnEntryNotFound if_not_found) {
  const std::string& name = lookup.GetEntryName();
  const std::vector<std::string> databases = ValueOrThrow(catalog_->ListDatabases());
  if (std::find(databases.begin(), databases.end(), name) != databases.end()) return SchemaEntry(name);
  for (const std::string& database : databases) {
    if (duckdb::StringUtil::CIEquals(database, name)) return SchemaEntry(database);
  }
  // The default database is made on disk with its first table; the system's never is.
  if (name == kDefaultDatabase || name == kSystemDatabase) return SchemaEntry(name);
  if (if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return nullptr;
  throw duckdb::CatalogException(lookup.GetErrorContext(), "Schema with name \"%s\" does not exist in \"%s\"", name,
                                 NameText(GetName()));
}

duckdb::ErrorData PaimonCatalog::SupportsCreateTable(duckdb::BoundCreateTableInfo& info) {
  if (!info.Base().sort_keys.empty()) {
    return duckdb::ErrorData(duckdb::ExceptionType::NOT_IMPLEMENTED, "SORTED BY is not supported for Paimon tables");
  }
  return duckdb::ErrorData();
}

duckdb::DatabaseSize PaimonCatalog::GetDatabaseSize(duckdb::ClientContext&) { return duckdb::DatabaseSize(); }

duckdb::PhysicalOperator& PaimonCatalog::PlanDelete(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&,
                                                    duckdb::LogicalDelete&, duckdb::PhysicalOperator&) {
  throw duckdb::NotImplementedException("DELETE is not supported for Paimon tables yet");
}

duckdb::PhysicalOperator& PaimonCatalog::PlanUpdate(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&,
                                                    duckdb::LogicalUpdate&, duckdb::PhysicalOperator&) {
  throw duckdb::NotImplementedException("UPDATE is not supported for Paimon tables yet");
}

duckdb::unique_ptr<duckdb::LogicalOperator> PaimonCatalog::BindCreateIndex(duckdb::Binder&, duckdb::CreateStatement&,
                                                                           duckdb::TableCatalogEntry&,
                                                                           duckdb::unique_ptr<duckdb::LogicalOperator>) {
  throw duckdb::NotImplementedException("a Paimon catalog holds tables, not indexes");
}

duckdb::unique_ptr<duckdb::LogicalOperator> PaimonCatalog::BindAlterAddIndex(duckdb::Binder&, duckdb::TableCatalogEntry&,
                                                                             duckdb::unique_ptr<duckdb::LogicalOperator>,
                                                                             duckdb::unique_ptr<duckdb::CreateIndexInfo>,
                                                                             duckdb::unique_ptr<duckdb::AlterTableInfo>) {
  throw duckdb::NotImplementedException("a primary key is given to a Paimon table when it is made, not added");
}

}  // namespace bactrian::sql
