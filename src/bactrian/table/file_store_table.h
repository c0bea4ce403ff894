#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bactrian/session.h"
#include "bactrian/table.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// A table whose metadata and data lie under one directory: all tables of a file-system catalog. Immutable.
class FileStoreTable final : public Table {
 public:
  /// The branch is the identifier's, else that of option `branch`. Under time travel the columns are those of the snapshot's
  /// schema; what they travel to and is not there is an error of the read. kNotFound when the directory holds no schema.
  static arrow::Result<std::shared_ptr<FileStoreTable>> Open(std::shared_ptr<Session> session, Identifier identifier,
                                                             std::string path, const Options& dynamic_options);

  const Identifier& identifier() const override { return identifier_; }
  const std::string& path() const override { return context_.paths.root; }
  const std::shared_ptr<const TableSchema>& schema() const override { return context_.schema; }
  std::shared_ptr<Session> session() const override { return session_; }
  arrow::Result<std::shared_ptr<Plan>> MakePlan(const Scan& scan) override;
  arrow::Result<std::unique_ptr<ChangeStream>> NewStream(const Scan& scan) override;
  arrow::Result<std::shared_ptr<KeyLookup>> NewLookup(const LookupOptions& options) override;
  arrow::Result<std::unique_ptr<Writer>> NewWriter(const WriteOptions& options) override;
  arrow::Result<std::unique_ptr<Committer>> NewCommitter(const CommitOptions& options) override;

  const TableContext* context() const override { return &context_; }
  /// `t$ro`: the same table, of which reads see the last level of the merge tree only (format reference: query.md §6).
  std::shared_ptr<FileStoreTable> ReadOptimized() const;

 private:
  FileStoreTable(std::shared_ptr<Session> session, Identifier identifier, TableContext context)
      : session_(std::move(session)), identifier_(std::move(identifier)), context_(std::move(context)) {}

  std::shared_ptr<Session> session_;
  Identifier identifier_;
  TableContext context_;
};

}  // namespace bactrian
