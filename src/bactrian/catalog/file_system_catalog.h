#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bactrian/catalog.h"
#include "bactrian/io/file_store.h"
#include "bactrian/session.h"

namespace bactrian {

/// A catalog that is a directory: <warehouse>/<database>.db/<table> (format reference: layout.md §1). A table is there when
/// its main branch has a schema.
class FileSystemCatalog final : public Catalog {
 public:
  static arrow::Result<std::shared_ptr<Catalog>> Open(std::shared_ptr<Session> session, CatalogOptions options);

  const std::string& warehouse() const override { return options_.warehouse; }
  arrow::Result<std::vector<std::string>> ListDatabases() override;
  arrow::Status CreateDatabase(const std::string& name, bool ignore_if_exists) override;
  arrow::Status DropDatabase(const std::string& name, bool ignore_if_missing, bool cascade) override;
  arrow::Result<std::vector<std::string>> ListTables(const std::string& database) override;
  arrow::Result<std::shared_ptr<Table>> GetTable(const Identifier& identifier, const Options& dynamic_options) override;
  arrow::Status CreateTable(const Identifier& identifier, Schema schema, bool ignore_if_exists) override;
  arrow::Status DropTable(const Identifier& identifier, bool ignore_if_missing) override;
  arrow::Status AlterTable(const Identifier& identifier, const std::vector<SchemaChange>& changes) override;
  arrow::Status RenameTable(const Identifier& from, const Identifier& to) override;

 private:
  FileSystemCatalog(std::shared_ptr<Session> session, CatalogOptions options, std::shared_ptr<FileStore> store)
      : session_(std::move(session)), options_(std::move(options)), store_(std::move(store)) {}

  arrow::Status CheckWritable() const;
  arrow::Result<bool> DatabaseExists(const std::string& name) const;
  arrow::Status CheckDatabase(const std::string& name) const;  ///< kNotFound
  arrow::Result<bool> TableExists(const Identifier& identifier) const;
  std::string DatabasePath(const std::string& name) const;
  std::string TablePath(const Identifier& identifier) const;

  std::shared_ptr<Session> session_;
  CatalogOptions options_;
  std::shared_ptr<FileStore> store_;
};

}  // namespace bactrian
