#include "bactrian/table/open_table.h"

#include <arrow/record_batch.h>

#include "bactrian/table/file_store_table.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/read/batch_plan.h"
#include "bactrian/table/read/log_table.h"
#include "bactrian/table/system/system_table.h"

namespace bactrian {
namespace {

/// A table of ReadSystemTable, computed anew by every plan.
class SystemTable final : public Table {
 public:
  SystemTable(Identifier identifier, std::string name, std::shared_ptr<FileStoreTable> base, const std::vector<Field>& fields)
      : identifier_(std::move(identifier)), name_(std::move(name)), base_(std::move(base)) {
    auto schema = std::make_shared<TableSchema>();
    schema->fields = fields;
    schema_ = std::move(schema);
  }

  const Identifier& identifier() const override { return identifier_; }
  const std::string& path() const override { return base_->path(); }
  const std::shared_ptr<const TableSchema>& schema() const override { return schema_; }
  std::shared_ptr<Session> session() const override { return base_->session(); }

  arrow::Result<std::shared_ptr<Plan>> MakePlan(const Scan& scan) override {
    const TableContext& base = *base_->context();
    ARROW_ASSIGN_OR_RAISE(ScanTarget target, ResolveScanTarget(base));
    SystemTableContext context;
    context.store = base.store;
    context.paths = base.paths;
    context.schema = base.schema;
    context.snapshot = target.snapshot;
    context.pool = base.pool;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> rows, ReadSystemTable(name_, context));
    const auto id = target.snapshot ? std::optional(target.snapshot->id) : std::nullopt;
    return MakeBatchPlan(scan, schema_->fields, std::move(rows), id, base.pool);
  }

  arrow::Result<std::unique_ptr<Writer>> NewWriter(const WriteOptions&) override { return ReadOnly(); }
  arrow::Result<std::unique_ptr<Committer>> NewCommitter(const CommitOptions&) override { return ReadOnly(); }

 private:
  arrow::Status ReadOnly() const { return Unsupported("system table ", identifier_.ToString(), " cannot be written"); }

  Identifier identifier_;
  std::string name_;
  std::shared_ptr<FileStoreTable> base_;
  std::shared_ptr<const TableSchema> schema_;
};

}  // namespace

arrow::Result<std::shared_ptr<Table>> OpenTableObject(std::shared_ptr<Session> session, const Identifier& identifier,
                                                      std::string path, const Options& dynamic_options) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStoreTable> base,
                        FileStoreTable::Open(std::move(session), identifier, std::move(path), dynamic_options));
  const std::optional<std::string> name = identifier.system_table();
  if (!name) return base;
  if (*name == "audit_log") return MakeLogTable(identifier, std::move(base), LogKind::kAudit);
  if (*name == "binlog") return MakeLogTable(identifier, std::move(base), LogKind::kBinlog);
  if (*name == "row_tracking") return MakeLogTable(identifier, std::move(base), LogKind::kRowTracking);
  if (*name == "ro") return base->ReadOptimized();
  const std::vector<Field>* fields = SystemTableFields(*name);
  if (fields) return std::make_shared<SystemTable>(identifier, *name, std::move(base), *fields);
  return NotFound("table ", identifier.database, ".", identifier.table(), " has no system table ", *name);
}

}  // namespace bactrian
