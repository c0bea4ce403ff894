#include "bactrian/catalog/file_system_catalog.h"

#include <algorithm>
#include <string_view>

#include "bactrian/base/wall_clock.h"
#include "bactrian/catalog/alter_table.h"
#include "bactrian/catalog/external_files.h"
#include "bactrian/catalog/sys_tables.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/table/open_table.h"

namespace bactrian {
namespace {

constexpr std::string_view kDatabaseSuffix = ".db";
constexpr std::string_view kSystemDatabase = "sys";
constexpr std::string_view kTableDefaultPrefix = "table-default.";

/// Names become directories: no separators, nothing hidden, nothing that the grammar of object names uses.
arrow::Status CheckName(std::string_view name, std::string_view what) {
  ARROW_RETURN_NOT_OK(name.empty() ? Invalid("the ", what, "'s name is empty") : arrow::Status::OK());
  if (name.starts_with('.') || name.find_first_of(std::string_view("/\\$\0", 4)) != std::string_view::npos) {
    return Invalid("'", name, "' is no name for a ", what, ": it must not start with a dot or contain / \\ or $");
  }
  return arrow::Status::OK();
}

arrow::Status CheckDatabaseName(std::string_view name) {
  if (name == kSystemDatabase) return Invalid("database ", kSystemDatabase, " is reserved for system tables");
  return CheckName(name, "database");
}

arrow::Status CheckTableName(const Identifier& identifier) {
  if (identifier.object.find('$') != std::string::npos) {
    return Invalid(identifier.ToString(), " names a branch or system table, which cannot be created, dropped or renamed");
  }
  return CheckName(identifier.object, "table");
}

}  // namespace

arrow::Result<std::shared_ptr<Catalog>> FileSystemCatalog::Open(std::shared_ptr<Session> session, CatalogOptions options) {
  if (options.warehouse.empty()) return Invalid("a catalog needs a warehouse");
  while (options.warehouse.size() > 1 && options.warehouse.back() == '/') options.warehouse.pop_back();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> store, FileStore::Open(options.warehouse));
  if (options.read_only) {
    ARROW_ASSIGN_OR_RAISE(bool exists, store->Exists(options.warehouse));
    if (!exists) return NotFound("there is no warehouse ", options.warehouse);
  }
  return std::shared_ptr<Catalog>(new FileSystemCatalog(std::move(session), std::move(options), std::move(store)));
}

arrow::Status FileSystemCatalog::CheckWritable() const {
  return options_.read_only ? Invalid("the catalog of ", options_.warehouse, " was opened read-only") : arrow::Status::OK();
}

std::string FileSystemCatalog::DatabasePath(const std::string& name) const {
  return JoinPath(options_.warehouse, name + std::string(kDatabaseSuffix));
}

std::string FileSystemCatalog::TablePath(const Identifier& identifier) const {
  return JoinPath(DatabasePath(identifier.database), identifier.table());
}

arrow::Result<bool> FileSystemCatalog::DatabaseExists(const std::string& name) const {
  ARROW_RETURN_NOT_OK(CheckDatabaseName(name));
  ARROW_ASSIGN_OR_RAISE(std::optional<FileStatus> status, store_->Stat(DatabasePath(name)));
  return status && status->is_directory;
}

arrow::Status FileSystemCatalog::CheckDatabase(const std::string& name) const {
  ARROW_ASSIGN_OR_RAISE(bool exists, DatabaseExists(name));
  return exists ? arrow::Status::OK() : NotFound("there is no database ", name, " in ", options_.warehouse);
}

arrow::Result<bool> FileSystemCatalog::TableExists(const Identifier& identifier) const {
  ARROW_RETURN_NOT_OK(CheckName(identifier.table(), "table"));
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, SchemaStore(store_, TablePaths{TablePath(identifier)}).ListIds());
  return !ids.empty();
}

arrow::Result<std::vector<std::string>> FileSystemCatalog::ListDatabases() {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> entries, store_->List(options_.warehouse));
  std::vector<std::string> names;
  for (const FileStatus& entry : entries) {
    std::string_view name = entry.path;
    name.remove_prefix(name.rfind('/') + 1);
    if (!entry.is_directory || !name.ends_with(kDatabaseSuffix)) continue;
    name.remove_suffix(kDatabaseSuffix.size());
    if (CheckDatabaseName(name).ok()) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

arrow::Status FileSystemCatalog::CreateDatabase(const std::string& name, bool ignore_if_exists) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  ARROW_ASSIGN_OR_RAISE(bool exists, DatabaseExists(name));
  if (exists) return ignore_if_exists ? arrow::Status::OK() : AlreadyExists("database ", name, " exists");
  return store_->CreateDirectory(DatabasePath(name));
}

arrow::Status FileSystemCatalog::DropDatabase(const std::string& name, bool ignore_if_missing, bool cascade) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  ARROW_ASSIGN_OR_RAISE(bool exists, DatabaseExists(name));
  if (!exists) return ignore_if_missing ? arrow::Status::OK() : CheckDatabase(name);
  ARROW_ASSIGN_OR_RAISE(std::vector<std::string> tables, ListTables(name));
  if (!tables.empty() && !cascade)
    return Invalid("database ", name, " has ", tables.size(), " tables: drop them first, or cascade");
  for (const std::string& table : tables) ARROW_RETURN_NOT_OK(DropTable({name, table}, /*ignore_if_missing=*/true));
  return store_->DeleteDirectory(DatabasePath(name));
}

arrow::Result<std::vector<std::string>> FileSystemCatalog::ListTables(const std::string& database) {
  if (database == kSystemDatabase) return SysTableNames();
  ARROW_RETURN_NOT_OK(CheckDatabase(database));
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> entries, store_->List(DatabasePath(database)));
  std::vector<std::string> names;
  for (const FileStatus& entry : entries) {
    const std::string name = entry.path.substr(entry.path.rfind('/') + 1);
    if (!entry.is_directory || !CheckName(name, "table").ok()) continue;
    ARROW_ASSIGN_OR_RAISE(bool is_table, TableExists({database, name}));
    if (is_table) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

arrow::Result<std::shared_ptr<Table>> FileSystemCatalog::GetTable(const Identifier& identifier,
                                                                  const Options& dynamic_options) {
  if (identifier.database == kSystemDatabase) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Catalog> catalog, Open(session_, options_));
    return OpenSysTable(session_, std::move(catalog), options_.options, identifier);
  }
  ARROW_RETURN_NOT_OK(CheckDatabase(identifier.database));
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(identifier));
  if (!exists) return NotFound("there is no table ", identifier.database, ".", identifier.table());
  return OpenTableObject(session_, identifier, TablePath(identifier), dynamic_options);
}

arrow::Status FileSystemCatalog::CreateTable(const Identifier& identifier, Schema schema, bool ignore_if_exists) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  ARROW_RETURN_NOT_OK(CheckTableName(identifier));
  ARROW_RETURN_NOT_OK(CheckDatabase(identifier.database));
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(identifier));
  auto already_exists = [&] {
    return ignore_if_exists ? arrow::Status::OK() : AlreadyExists("table ", identifier.ToString(), " exists");
  };
  if (exists) return already_exists();
  for (const auto& [key, value] : options_.options) {
    if (key.starts_with(kTableDefaultPrefix)) schema.options.emplace(key.substr(kTableDefaultPrefix.size()), value);
  }
  ARROW_ASSIGN_OR_RAISE(TableSchema first, MakeInitialSchema(std::move(schema), WallClockMillis()));
  arrow::Status published = SchemaStore(store_, TablePaths{TablePath(identifier)}).Publish(first);
  if (!published.ok() && KindOf(published) == ErrorKind::kAlreadyExists) return already_exists();
  return published;
}

arrow::Status FileSystemCatalog::DropTable(const Identifier& identifier, bool ignore_if_missing) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  ARROW_RETURN_NOT_OK(CheckTableName(identifier));
  ARROW_RETURN_NOT_OK(CheckDatabase(identifier.database));
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(identifier));
  if (!exists) {
    return ignore_if_missing ? arrow::Status::OK() : NotFound("there is no table ", identifier.ToString());
  }
  ARROW_RETURN_NOT_OK(DeleteExternalFiles(store_, TablePaths{TablePath(identifier)}, session_->options()));
  return store_->DeleteDirectory(TablePath(identifier));
}

arrow::Status FileSystemCatalog::AlterTable(const Identifier& identifier, const std::vector<SchemaChange>& changes) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  ARROW_RETURN_NOT_OK(CheckDatabase(identifier.database));
  if (identifier.system_table()) return Invalid("system table ", identifier.ToString(), " cannot be altered");
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(identifier));
  if (!exists) return NotFound("there is no table ", identifier.database, ".", identifier.table());
  const std::string branch = identifier.branch().value_or("main");
  ARROW_RETURN_NOT_OK(ValidateFileName(branch, "a branch's name"));
  return bactrian::AlterTable(store_, {.root = TablePath(identifier), .branch = branch}, changes);
}

arrow::Status FileSystemCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  ARROW_RETURN_NOT_OK(CheckTableName(from));
  ARROW_RETURN_NOT_OK(CheckTableName(to));
  ARROW_RETURN_NOT_OK(CheckDatabase(from.database));
  ARROW_RETURN_NOT_OK(CheckDatabase(to.database));
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(from));
  if (!exists) return NotFound("there is no table ", from.ToString());
  ARROW_ASSIGN_OR_RAISE(bool taken, TableExists(to));
  if (taken) return AlreadyExists("table ", to.ToString(), " exists");
  return store_->RenameDirectory(TablePath(from), TablePath(to));
}

}  // namespace bactrian
