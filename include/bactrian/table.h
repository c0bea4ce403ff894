/// A table (or branch, or system table) at one schema.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "bactrian/catalog.h"
#include "bactrian/lookup.h"
#include "bactrian/scan.h"
#include "bactrian/schema.h"
#include "bactrian/stream.h"
#include "bactrian/write.h"

namespace bactrian {

class Session;
struct TableContext;

/// Thread-safe, immutable: a handle does not see later schema changes; every scan sees the newest snapshot (or the one that the
/// handle's time-travel options pick).
class BACTRIAN_EXPORT Table : public std::enable_shared_from_this<Table> {
 public:
  virtual ~Table() = default;
  virtual const Identifier& identifier() const = 0;
  virtual const std::string& path() const = 0;
  /// The schema with the handle's dynamic options merged; that of the snapshot under time travel.
  virtual const std::shared_ptr<const TableSchema>& schema() const = 0;
  virtual std::shared_ptr<Session> session() const = 0;
  /// For the library itself (writing, maintenance); nullptr for system tables.
  virtual const TableContext* context() const { return nullptr; }

  Scan NewScan() { return Scan(shared_from_this()); }
  virtual arrow::Result<std::shared_ptr<Plan>> MakePlan(const Scan& scan) = 0;
  /// See Scan::OpenStream.
  virtual arrow::Result<std::unique_ptr<ChangeStream>> NewStream(const Scan& scan);
  /// Lookups by primary key in the snapshot that a scan would see now. kUnsupported for tables without primary key.
  virtual arrow::Result<std::shared_ptr<KeyLookup>> NewLookup(const LookupOptions& options = {});
  /// kUnsupported for system tables and what cannot be written yet.
  virtual arrow::Result<std::unique_ptr<Writer>> NewWriter(const WriteOptions& options = {}) = 0;
  virtual arrow::Result<std::unique_ptr<Committer>> NewCommitter(const CommitOptions& options = {}) = 0;
};

}  // namespace bactrian
