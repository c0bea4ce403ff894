#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/catalog.h"
#include "bactrian/write.h"
#include "compat.h"
#include "duckdb/transaction/transaction.hpp"
#include "duckdb/transaction/transaction_manager.hpp"

namespace bactrian::sql {

class PaimonCatalog;
class PaimonTableEntry;

/// What one SQL transaction has seen and will publish. Tables keep the schema they had when first looked at. Rows inserted
/// become visible when the transaction commits, one snapshot a table; CREATE and DROP take effect at once.
class PaimonTransaction final : public duckdb::Transaction {
 public:
  PaimonTransaction(duckdb::TransactionManager& manager, duckdb::ClientContext& context, PaimonCatalog& catalog);
  ~PaimonTransaction() override;

  static PaimonTransaction& Get(duckdb::ClientContext& context, duckdb::Catalog& catalog);

  /// The entry seen before under `key`; nullptr if there is none.
  duckdb::shared_ptr<PaimonTableEntry> FindEntry(const std::string& key);
  /// Remembers an entry; the one that is there wins.
  duckdb::shared_ptr<PaimonTableEntry> AddEntry(const std::string& key, duckdb::shared_ptr<PaimonTableEntry> entry);
  /// Forgets what was seen of a table that CREATE or DROP has changed.
  void ForgetTable(const Identifier& identifier);

  /// Files to publish at commit. Thread-safe.
  void AddMessages(const std::shared_ptr<Table>& table, std::vector<CommitMessagePtr> messages);
  bool HasPendingRows(const Identifier& identifier);
  /// What is added for the table replaces its rows when the transaction commits, even if nothing is added.
  void SetOverwrite(const std::shared_ptr<Table>& table, OverwriteSpec spec);
  /// Throws if there are: what changes a table at once must not overtake them.
  void CheckNoPendingRows(const Identifier& identifier);
  /// Throws if the transaction overwrites the table: rows added now would be taken for a part of that.
  void CheckNoOverwrite(const Identifier& identifier);
  /// A table that CREATE TABLE AS made: rolling back drops it.
  void AddCreatedTable(const Identifier& identifier);

  arrow::Status Commit();
  void Rollback();

 private:
  struct Pending {
    std::shared_ptr<Table> table;
    std::vector<CommitMessagePtr> messages;
    std::optional<OverwriteSpec> overwrite;
  };

  PaimonCatalog& catalog_;
  std::mutex mutex_;
  std::map<std::string, duckdb::shared_ptr<PaimonTableEntry>> entries_;
  std::vector<duckdb::shared_ptr<PaimonTableEntry>> forgotten_;  ///< plans of this transaction may still point at them
  std::map<std::string, Pending> pending_;                       ///< by identifier
  std::vector<Identifier> created_;
};

class PaimonTransactionManager final : public duckdb::TransactionManager {
 public:
  PaimonTransactionManager(duckdb::AttachedDatabase& db, PaimonCatalog& catalog);

  duckdb::Transaction& StartTransaction(duckdb::ClientContext& context) override;
  duckdb::ErrorData CommitTransaction(duckdb::ClientContext& context, duckdb::Transaction& transaction) override;
  void RollbackTransaction(duckdb::Transaction& transaction) override;
  void Checkpoint(duckdb::ClientContext& context, bool force) override {}

 private:
  duckdb::unique_ptr<PaimonTransaction> Take(duckdb::Transaction& transaction);

  PaimonCatalog& catalog_;
  std::mutex mutex_;
  duckdb::reference_map_t<duckdb::Transaction, duckdb::unique_ptr<PaimonTransaction>> transactions_;
};

}  // namespace bactrian::sql
