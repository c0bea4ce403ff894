#include "paimon_extension.h"

#include "bactrian/session.h"
#include "changes_function.h"
#include "compat.h"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/parser/parsed_data/attach_info.hpp"
#include "duckdb/storage/storage_extension.hpp"
#include "errors.h"
#include "key_lookup.h"
#include "paimon_catalog.h"
#include "paimon_transaction.h"
#include "scan_optimizer.h"
#include "scan_options.h"
#include "scan_serialization.h"
#include "store_file_system.h"
#include "table_functions.h"

namespace bactrian::sql {

namespace {

/// One session for all catalogs of a database: they share the cache of metadata.
struct PaimonStorageInfo final : duckdb::StorageExtensionInfo {
  std::shared_ptr<Session> session;
};

duckdb::unique_ptr<duckdb::Catalog> Attach(duckdb::optional_ptr<duckdb::StorageExtensionInfo> storage_info,
                                           duckdb::ClientContext&, duckdb::AttachedDatabase& db, const duckdb::string& name,
                                           duckdb::AttachInfo& info, duckdb::AttachOptions& options) {
  for (const auto& [option, value] : options.options) {
    throw duckdb::BinderException("ATTACH … (TYPE paimon) has no option \"%s\"", option);
  }
  if (info.path.empty()) throw duckdb::BinderException("ATTACH … (TYPE paimon) needs the path of a warehouse");
  auto& session = static_cast<PaimonStorageInfo&>(*storage_info).session;
  const bool read_only = options.access_mode == duckdb::AccessMode::READ_ONLY;
  return duckdb::make_uniq<PaimonCatalog>(
      db, ValueOrThrow(session->OpenCatalog({.warehouse = info.path, .options = {}, .read_only = read_only})));
}

duckdb::unique_ptr<duckdb::TransactionManager> MakeTransactionManager(duckdb::optional_ptr<duckdb::StorageExtensionInfo>,
                                                                      duckdb::AttachedDatabase& db, duckdb::Catalog& catalog) {
  return duckdb::make_uniq<PaimonTransactionManager>(db, catalog.Cast<PaimonCatalog>());
}

}  // namespace

void LoadPaimon(duckdb::DatabaseInstance& database) {
  auto info = duckdb::make_shared_ptr<PaimonStorageInfo>();
  info->session = ValueOrThrow(Session::Make({}));
  RegisterScanSettings(duckdb::DBConfig::GetConfig(database));
  RegisterKeyLookupSetting(duckdb::DBConfig::GetConfig(database));
  RegisterTableFunctions(database, info->session);
  auto extension = duckdb::make_shared_ptr<duckdb::StorageExtension>();
  extension->attach = Attach;
  extension->create_transaction_manager = MakeTransactionManager;
  extension->storage_info = std::move(info);
  RegisterChangesFunction(database);
  RegisterScanFunction(database);
  RegisterScanOptimizer(database);
  RegisterStoreFileSystem(database);
  duckdb::StorageExtension::Register(duckdb::DBConfig::GetConfig(database), "paimon", std::move(extension));
}

}  // namespace bactrian::sql
