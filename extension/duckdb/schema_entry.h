#pragma once

#include <string>

#include "bactrian/catalog.h"
#include "compat.h"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"

namespace bactrian::sql {

class PaimonCatalog;
class PaimonTableEntry;

/// A database of a warehouse. Its tables are looked up anew in every transaction. Names match exactly, else without regard to
/// case; `t$snapshots` and `t$branch_b` are looked up like tables.
class PaimonSchemaEntry final : public duckdb::SchemaCatalogEntry {
 public:
  PaimonSchemaEntry(duckdb::Catalog& catalog, duckdb::CreateSchemaInfo& info);

  void Scan(duckdb::ClientContext& context, duckdb::CatalogType type,
            const std::function<void(duckdb::CatalogEntry&)>& callback) override;
  void Scan(duckdb::CatalogType type, const std::function<void(duckdb::CatalogEntry&)>& callback) override {}
  duckdb::optional_ptr<duckdb::CatalogEntry> LookupEntry(duckdb::CatalogTransaction transaction,
                                                         const duckdb::EntryLookupInfo& lookup) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateTable(duckdb::CatalogTransaction transaction,
                                                         duckdb::BoundCreateTableInfo& info) override;
  void DropEntry(duckdb::ClientContext& context, duckdb::DropInfo& info) override;
  void Alter(duckdb::CatalogTransaction transaction, duckdb::AlterInfo& info) override;

  duckdb::optional_ptr<duckdb::CatalogEntry> CreateIndex(duckdb::CatalogTransaction, duckdb::CreateIndexInfo&,
                                                         duckdb::TableCatalogEntry&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateFunction(duckdb::CatalogTransaction, duckdb::CreateFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateView(duckdb::CatalogTransaction, duckdb::CreateViewInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSequence(duckdb::CatalogTransaction, duckdb::CreateSequenceInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateTableFunction(duckdb::CatalogTransaction,
                                                                 duckdb::CreateTableFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateCopyFunction(duckdb::CatalogTransaction,
                                                                duckdb::CreateCopyFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreatePragmaFunction(duckdb::CatalogTransaction,
                                                                  duckdb::CreatePragmaFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateCollation(duckdb::CatalogTransaction, duckdb::CreateCollationInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateType(duckdb::CatalogTransaction, duckdb::CreateTypeInfo&) override;

  /// The object as the warehouse spells it; nullopt if there is none.
  std::optional<Identifier> Resolve(const std::string& object);

 private:
  const std::string& database() const { return NameText(name); }
  PaimonCatalog& paimon_catalog() const;
  duckdb::shared_ptr<PaimonTableEntry> OpenTable(const Identifier& identifier, const Options& dynamic_options);
};

/// What CREATE TABLE says as a Paimon schema: column types, NOT NULL, PRIMARY KEY, PARTITIONED BY, WITH (…), comments.
Schema ToPaimonSchema(duckdb::ClientContext& context, const duckdb::CreateTableInfo& info);

/// The dynamic options that AT (VERSION => …) or AT (TIMESTAMP => …) stand for.
Options TimeTravelOptions(duckdb::optional_ptr<duckdb::BoundAtClause> at);

}  // namespace bactrian::sql
