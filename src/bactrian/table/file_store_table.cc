#include "bactrian/table/file_store_table.h"

#include <utility>

#include "bactrian/table/lookup/table_lookup.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/plan/table_plan.h"
#include "bactrian/table/plan/table_stream.h"
#include "bactrian/table/write/table_writer.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

std::shared_ptr<const TableSchema> WithOptions(const TableSchema& schema, Options options) {
  auto merged = std::make_shared<TableSchema>(schema);
  merged->options = std::move(options);
  return merged;
}

/// The context of one branch at its latest schema, with the handle's options.
arrow::Result<TableContext> OpenContext(Session& session, std::string path, std::string branch,
                                        const Options& dynamic_options) {
  TableContext context;
  ARROW_ASSIGN_OR_RAISE(context.store, FileStore::Open(path));
  context.paths.root = std::move(path);
  context.paths.branch = std::move(branch);
  context.schemas = std::make_shared<const SchemaStore>(context.store, context.paths);
  context.snapshots = std::make_shared<const SnapshotStore>(context.store, context.paths);
  context.pool = session.memory_pool();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> latest, context.schemas->Latest());
  Options options = latest->options;
  for (const auto& [key, value] : dynamic_options) options[key] = value;
  context.schema = WithOptions(*latest, std::move(options));
  return context;
}

}  // namespace

arrow::Result<std::shared_ptr<FileStoreTable>> FileStoreTable::Open(std::shared_ptr<Session> session, Identifier identifier,
                                                                    std::string path, const Options& dynamic_options) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  auto option = dynamic_options.find("branch");
  const std::string branch = identifier.branch().value_or(option != dynamic_options.end() ? option->second : "main");
  ARROW_RETURN_NOT_OK(ValidateFileName(branch, "a branch's name"));
  ARROW_ASSIGN_OR_RAISE(TableContext context, OpenContext(*session, std::move(path), branch, dynamic_options));
  if (NamesScanTarget(context.schema->options)) {
    // What is not there is an error of the read: a stream may start before it, or find the changelog of what has expired.
    arrow::Result<ScanTarget> target = ResolveScanTarget(context);
    if (!target.ok()) {
      const ErrorKind error = KindOf(target.status());
      if (error != ErrorKind::kSnapshotExpired && error != ErrorKind::kNotFound) return target.status();
    }
    if (target.ok() && target->pins_schema && target->snapshot) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> pinned, context.schemas->Load(target->snapshot->schema_id));
      context.schema = WithOptions(*pinned, context.schema->options);
    }
  }
  return std::shared_ptr<FileStoreTable>(new FileStoreTable(std::move(session), std::move(identifier), std::move(context)));
}

std::shared_ptr<FileStoreTable> FileStoreTable::ReadOptimized() const {
  TableContext context = context_;
  context.top_level_only = true;
  return std::shared_ptr<FileStoreTable>(new FileStoreTable(session_, identifier_, std::move(context)));
}

arrow::Result<std::shared_ptr<Plan>> FileStoreTable::MakePlan(const Scan& scan) { return PlanTable(context_, session_, scan); }

arrow::Result<std::unique_ptr<ChangeStream>> FileStoreTable::NewStream(const Scan& scan) {
  return MakeTableStream(context_, session_, scan);
}

arrow::Result<std::shared_ptr<KeyLookup>> FileStoreTable::NewLookup(const LookupOptions& options) {
  return MakeTableLookup(context_, session_, options);
}

arrow::Result<std::unique_ptr<Writer>> FileStoreTable::NewWriter(const WriteOptions& options) {
  return MakeAppendWriter(context_, options);
}

arrow::Result<std::unique_ptr<Committer>> FileStoreTable::NewCommitter(const CommitOptions& options) {
  return MakeCommitter(context_, options);
}

}  // namespace bactrian
