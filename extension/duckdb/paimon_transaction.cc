#include "paimon_transaction.h"

#include "bactrian/table.h"
#include "paimon_catalog.h"
#include "table_entry.h"

namespace bactrian::sql {

PaimonTransaction::PaimonTransaction(duckdb::TransactionManager& manager, duckdb::ClientContext& context,
                                     PaimonCatalog& catalog)
    : Transaction(manager, context), catalog_(catalog) {}

PaimonTransaction::~PaimonTransaction() = default;

PaimonTransaction& PaimonTransaction::Get(duckdb::ClientContext& context, duckdb::Catalog& catalog) {
  return Transaction::Get(context, catalog).Cast<PaimonTransaction>();
}

duckdb::shared_ptr<PaimonTableEntry> PaimonTransaction::FindEntry(const std::string& key) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second;
}

duckdb::shared_ptr<PaimonTableEntry> PaimonTransaction::AddEntry(const std::string& key,
                                                                 duckdb::shared_ptr<PaimonTableEntry> entry) {
  std::lock_guard lock(mutex_);
  return entries_.emplace(key, std::move(entry)).first->second;
}

void PaimonTransaction::ForgetTable(const Identifier& identifier) {
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const Identifier& seen = entry->second->table()->identifier();
    if (seen.database == identifier.database && seen.table() == identifier.table()) {
      forgotten_.push_back(std::move(entry->second));
      entry = entries_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void PaimonTransaction::AddMessages(const std::shared_ptr<Table>& table, std::vector<CommitMessagePtr> messages) {
  std::lock_guard lock(mutex_);
  Pending& pending = pending_[table->identifier().ToString()];
  pending.table = table;
  pending.messages.insert(pending.messages.end(), messages.begin(), messages.end());
}

bool PaimonTransaction::HasPendingRows(const Identifier& identifier) {
  std::lock_guard lock(mutex_);
  const auto found = pending_.find(identifier.ToString());
  return found != pending_.end() && (!found->second.messages.empty() || found->second.overwrite);
}

void PaimonTransaction::SetOverwrite(const std::shared_ptr<Table>& table, OverwriteSpec spec) {
  std::lock_guard lock(mutex_);
  Pending& pending = pending_[table->identifier().ToString()];
  pending.table = table;
  pending.overwrite = std::move(spec);
}

void PaimonTransaction::CheckNoPendingRows(const Identifier& identifier) {
  if (!HasPendingRows(identifier)) return;
  throw duckdb::TransactionException("table \"%s\" has rows that this transaction inserted: COMMIT first", identifier.object);
}

void PaimonTransaction::CheckNoOverwrite(const Identifier& identifier) {
  std::lock_guard lock(mutex_);
  const auto found = pending_.find(identifier.ToString());
  if (found == pending_.end() || !found->second.overwrite) return;
  throw duckdb::TransactionException("table \"%s\" is overwritten in this transaction: COMMIT first", identifier.object);
}

void PaimonTransaction::AddCreatedTable(const Identifier& identifier) {
  std::lock_guard lock(mutex_);
  created_.push_back(identifier);
}

arrow::Status PaimonTransaction::Commit() {
  while (!pending_.empty()) {
    const Pending& pending = pending_.begin()->second;
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<Committer> committer, pending.table->NewCommitter());
    arrow::Status status = pending.overwrite ? committer->Overwrite(pending.messages, *pending.overwrite).status()
                                             : committer->Commit(pending.messages).status();
    if (!status.ok() && KindOf(status) == ErrorKind::kCommitOutcomeUnknown) {
      pending_.erase(pending_.begin());  // the snapshot may live: neither its files nor its table may go
      created_.clear();
    }
    ARROW_RETURN_NOT_OK(status);
    pending_.erase(pending_.begin());
  }
  created_.clear();
  return arrow::Status::OK();
}

void PaimonTransaction::Rollback() {
  for (auto& [name, pending] : pending_) {
    arrow::Result<std::unique_ptr<Committer>> committer = pending.table->NewCommitter();
    // Files that stay behind are garbage that remove_orphan_files finds; there is nobody left to tell.
    if (committer.ok()) (void)(*committer)->Abort(pending.messages);
  }
  for (const Identifier& table : created_) (void)catalog_.catalog().DropTable(table, /*ignore_if_missing=*/true);
  pending_.clear();
  created_.clear();
}

PaimonTransactionManager::PaimonTransactionManager(duckdb::AttachedDatabase& db, PaimonCatalog& catalog)
    : TransactionManager(db), catalog_(catalog) {}

duckdb::Transaction& PaimonTransactionManager::StartTransaction(duckdb::ClientContext& context) {
  auto transaction = duckdb::make_uniq<PaimonTransaction>(*this, context, catalog_);
  PaimonTransaction& result = *transaction;
  std::lock_guard lock(mutex_);
  transactions_[result] = std::move(transaction);
  return result;
}

duckdb::unique_ptr<PaimonTransaction> PaimonTransactionManager::Take(duckdb::Transaction& transaction) {
  std::lock_guard lock(mutex_);
  auto taken = std::move(transactions_[transaction]);
  transactions_.erase(transaction);
  return taken;
}

duckdb::ErrorData PaimonTransactionManager::CommitTransaction(duckdb::ClientContext&, duckdb::Transaction& transaction) {
  const auto taken = Take(transaction);
  const arrow::Status status = taken->Commit();
  if (status.ok()) return duckdb::ErrorData();
  taken->Rollback();
  return duckdb::ErrorData(duckdb::ExceptionType::TRANSACTION, status.message());
}

void PaimonTransactionManager::RollbackTransaction(duckdb::Transaction& transaction) { Take(transaction)->Rollback(); }

}  // namespace bactrian::sql
