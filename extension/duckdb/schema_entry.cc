#include "schema_entry.h"

#include "alter_table.h"
#include "bactrian/table.h"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"
#include "duckdb/planner/tableref/bound_at_clause.hpp"
#include "errors.h"
#include "paimon_catalog.h"
#include "paimon_transaction.h"
#include "scan_options.h"
#include "table_entry.h"

namespace bactrian::sql {

namespace {

[[noreturn]] void ThrowNoSuchObject(const char* kind) {
  throw duckdb::NotImplementedException("a Paimon catalog holds tables, not %s", kind);
}

/// "t" of "t$snapshots", and the rest with its dollar sign.
std::pair<std::string, std::string> SplitObject(const std::string& object) {
  const size_t dollar = object.find('$');
  return dollar == std::string::npos ? std::pair(object, std::string())
                                     : std::pair(object.substr(0, dollar), object.substr(dollar));
}

}  // namespace

PaimonSchemaEntry::PaimonSchemaEntry(duckdb::Catalog& catalog, duckdb::CreateSchemaInfo& info)
    : SchemaCatalogEntry(catalog, info) {}

PaimonCatalog& PaimonSchemaEntry::paimon_catalog() const { return catalog.Cast<PaimonCatalog>(); }

std::optional<Identifier> PaimonSchemaEntry::Resolve(const std::string& object) {
  if (database() == PaimonCatalog::kSystemDatabase) return Identifier{database(), object};
  const auto [table, suffix] = SplitObject(object);
  arrow::Result<std::vector<std::string>> tables = paimon_catalog().catalog().ListTables(database());
  if (!tables.ok() && KindOf(tables.status()) == ErrorKind::kNotFound)
    return std::nullopt;  // the default database, not made yet
  CheckOk(tables.status());
  const std::string* match = nullptr;
  for (const std::string& candidate : *tables) {
    if (candidate == table) return Identifier{database(), object};
    if (match == nullptr && duckdb::StringUtil::CIEquals(candidate, table)) match = &candidate;
  }
  if (match == nullptr) return std::nullopt;
  return Identifier{database(), *match + suffix};
}

duckdb::shared_ptr<PaimonTableEntry> PaimonSchemaEntry::OpenTable(const Identifier& identifier,
                                                                  const Options& dynamic_options) {
  std::shared_ptr<Table> table = ValueOrThrow(paimon_catalog().catalog().GetTable(identifier, dynamic_options));
  return PaimonTableEntry::Make(catalog, *this, std::move(table));
}

duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::LookupEntry(duckdb::CatalogTransaction transaction,
                                                                          const duckdb::EntryLookupInfo& lookup) {
  if (lookup.GetCatalogType() == duckdb::CatalogType::TABLE_FUNCTION_ENTRY && database() == PaimonCatalog::kSystemDatabase) {
    return paimon_catalog().ProcedureEntry(*this, duckdb::StringUtil::Lower(lookup.GetEntryName()));
  }
  if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY) return nullptr;
  Options options = TimeTravelOptions(lookup.GetAtClause());
  if (options.empty()) options = SessionScanOptions(transaction.GetContext());
  std::string key = database() + '.' + lookup.GetEntryName();
  for (const auto& [option, value] : options) key += '\n' + option + '=' + value;
  auto& paimon_transaction = PaimonTransaction::Get(transaction.GetContext(), catalog);
  duckdb::shared_ptr<PaimonTableEntry> entry = paimon_transaction.FindEntry(key);
  if (!entry) {
    // As it is spelled first: to list a database is to look into each of its tables.
    arrow::Result<std::shared_ptr<Table>> exact =
        paimon_catalog().catalog().GetTable({database(), lookup.GetEntryName()}, options);
    if (exact.ok()) {
      entry = paimon_transaction.AddEntry(key, PaimonTableEntry::Make(catalog, *this, *std::move(exact)));
    } else {
      const std::optional<Identifier> identifier = Resolve(lookup.GetEntryName());
      if (!identifier) return nullptr;
      entry = paimon_transaction.AddEntry(key, OpenTable(*identifier, options));
    }
  }
  return entry.get();
}

void PaimonSchemaEntry::Scan(duckdb::ClientContext& context, duckdb::CatalogType type,
                             const std::function<void(duckdb::CatalogEntry&)>& callback) {
  if (type != duckdb::CatalogType::TABLE_ENTRY) return;
  arrow::Result<std::vector<std::string>> tables = paimon_catalog().catalog().ListTables(database());
  if (!tables.ok()) return;  // dropped meanwhile, or the default database that is not made yet
  auto& transaction = PaimonTransaction::Get(context, catalog);
  for (const std::string& table : *tables) {
    const std::string key = database() + '.' + table;
    duckdb::shared_ptr<PaimonTableEntry> entry = transaction.FindEntry(key);
    if (!entry) {
      // One table that cannot be read must not hide the others; naming it in a query gives its error.
      arrow::Result<std::shared_ptr<Table>> opened = paimon_catalog().catalog().GetTable({database(), table});
      if (!opened.ok()) continue;
      entry = transaction.AddEntry(key, PaimonTableEntry::Make(catalog, *this, *opened));
    }
    callback(*entry);
  }
}

duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateTable(duckdb::CatalogTransaction transaction,
                                                                          duckdb::BoundCreateTableInfo& info) {
  const duckdb::CreateTableInfo& create = info.Base();
  auto& paimon_transaction = PaimonTransaction::Get(transaction.GetContext(), catalog);
  bactrian::Catalog& tables = paimon_catalog().catalog();
  const std::optional<Identifier> existing = Resolve(TableNameOf(create));
  const Identifier identifier = existing.value_or(Identifier{database(), TableNameOf(create)});
  if (existing && create.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT) return nullptr;
  if (existing && create.on_conflict != duckdb::OnCreateConflict::REPLACE_ON_CONFLICT) {
    throw duckdb::CatalogException("Table with name \"%s\" already exists!", TableNameOf(create));
  }
  const Schema schema = ToPaimonSchema(transaction.GetContext(), create);  // refused before anything is dropped
  if (existing) CheckOk(tables.DropTable(identifier, /*ignore_if_missing=*/true));
  if (database() == PaimonCatalog::kDefaultDatabase) CheckOk(tables.CreateDatabase(database(), /*ignore_if_exists=*/true));
  CheckOk(tables.CreateTable(identifier, schema));
  paimon_transaction.ForgetTable(identifier);
  const LookupName lookup_name = ToLookupName(identifier.object);
  const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::TABLE_ENTRY, lookup_name);
  return LookupEntry(transaction, lookup);
}

void PaimonSchemaEntry::DropEntry(duckdb::ClientContext& context, duckdb::DropInfo& info) {
  if (info.type != duckdb::CatalogType::TABLE_ENTRY) ThrowNoSuchObject("views or other objects");
  const std::optional<Identifier> identifier = Resolve(ObjectNameOf(info));
  const bool ignore = info.if_not_found == duckdb::OnEntryNotFound::RETURN_NULL;
  if (!identifier) {
    if (ignore) return;
    throw duckdb::CatalogException("Table with name %s does not exist!", ObjectNameOf(info));
  }
  if (identifier->object != identifier->table()) {
    throw duckdb::InvalidInputException("\"%s\" is no table that can be dropped", ObjectNameOf(info));
  }
  CheckOk(paimon_catalog().catalog().DropTable(*identifier, ignore));
  PaimonTransaction::Get(context, catalog).ForgetTable(*identifier);
}

void PaimonSchemaEntry::Alter(duckdb::CatalogTransaction transaction, duckdb::AlterInfo& info) {
  const std::optional<Identifier> identifier = Resolve(ObjectNameOf(info));
  if (!identifier) {
    if (info.if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return;
    throw duckdb::CatalogException("Table with name %s does not exist!", ObjectNameOf(info));
  }
  duckdb::ClientContext& context = transaction.GetContext();
  auto& paimon_transaction = PaimonTransaction::Get(context, catalog);
  paimon_transaction.CheckNoPendingRows(*identifier);
  bactrian::Catalog& tables = paimon_catalog().catalog();
  if (const std::optional<std::string> new_name = NewTableName(info)) {
    const std::optional<Identifier> existing = Resolve(*new_name);
    if (existing && existing->object != identifier->object) {
      throw duckdb::CatalogException("Table with name \"%s\" already exists!", *new_name);
    }
    CheckOk(tables.RenameTable(*identifier, {database(), *new_name}));
  } else {
    const std::shared_ptr<Table> table = ValueOrThrow(tables.GetTable(*identifier));
    CheckOk(tables.AlterTable(*identifier, ToSchemaChanges(context, *ScanSource::Make(table), info)));
  }
  paimon_transaction.ForgetTable(*identifier);
}

duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateIndex(duckdb::CatalogTransaction, duckdb::CreateIndexInfo&,
                                                                          duckdb::TableCatalogEntry&) {
  ThrowNoSuchObject("indexes");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateFunction(duckdb::CatalogTransaction,
                                                                             duckdb::CreateFunctionInfo&) {
  ThrowNoSuchObject("functions");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateView(duckdb::CatalogTransaction, duckdb::CreateViewInfo&) {
  ThrowNoSuchObject("views");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateSequence(duckdb::CatalogTransaction,
                                                                             duckdb::CreateSequenceInfo&) {
  ThrowNoSuchObject("sequences");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateTableFunction(duckdb::CatalogTransaction,
                                                                                  duckdb::CreateTableFunctionInfo&) {
  ThrowNoSuchObject("functions");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateCopyFunction(duckdb::CatalogTransaction,
                                                                                 duckdb::CreateCopyFunctionInfo&) {
  ThrowNoSuchObject("functions");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreatePragmaFunction(duckdb::CatalogTransaction,
                                                                                   duckdb::CreatePragmaFunctionInfo&) {
  ThrowNoSuchObject("pragmas");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateCollation(duckdb::CatalogTransaction,
                                                                              duckdb::CreateCollationInfo&) {
  ThrowNoSuchObject("collations");
}
duckdb::optional_ptr<duckdb::CatalogEntry> PaimonSchemaEntry::CreateType(duckdb::CatalogTransaction, duckdb::CreateTypeInfo&) {
  ThrowNoSuchObject("types");
}

}  // namespace bactrian::sql
