#include <algorithm>

#include "bactrian/history.h"
#include "bactrian/table.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

namespace {

constexpr char kMainBranch[] = "main";

arrow::Result<const TableContext*> MainContext(const Table& table) {
  const TableContext* context = table.context();
  if (context == nullptr) return Unsupported(table.identifier().ToString(), " cannot have branches");
  if (context->paths.branch != kMainBranch) return Invalid("branches are made and deleted through the table, not through one");
  return context;
}

arrow::Status CheckBranchName(const std::string& name) {
  if (name == kMainBranch) return Invalid("\"main\" is the table's own branch");
  if (name.find_first_not_of(" \t\n\r") == std::string::npos) return Invalid("a branch's name is blank");
  if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return Invalid("branch name \"", name, "\" is a number");
  }
  if (!ValidateFileName(name, "a branch's name").ok()) return Invalid("branch name \"", name, "\" is no plain file name");
  return arrow::Status::OK();
}

arrow::Result<bool> BranchExists(const TableContext& context, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Branch> branches, ListBranches(*context.store, context.paths));
  return std::any_of(branches.begin(), branches.end(), [&](const Branch& branch) { return branch.name == name; });
}

arrow::Status Copy(FileStore& store, const std::string& from, const std::string& to) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, store.ReadAll(from));
  return store.PutIfAbsent(to, bytes);
}

/// Schemas first: until the last of them is there, no reader takes the branch for a table with rows.
arrow::Status CopyMetadata(const TableContext& context, const TablePaths& branch, const std::optional<Tag>& tag) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> schemas, context.schemas->ListIds());
  for (const int64_t id : schemas) {
    if (tag && id > tag->snapshot.schema_id) continue;
    ARROW_RETURN_NOT_OK(Copy(*context.store, context.paths.SchemaFile(id), branch.SchemaFile(id)));
  }
  if (!tag) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(Copy(*context.store, context.paths.TagFile(tag->name), branch.TagFile(tag->name)));
  return context.store->PutIfAbsent(branch.SnapshotFile(tag->snapshot.id), tag->snapshot.ToJson());
}

}  // namespace

arrow::Status CreateBranch(const Table& table, const std::string& name, const std::optional<std::string>& tag_name) {
  ARROW_ASSIGN_OR_RAISE(const TableContext* context, MainContext(table));
  ARROW_RETURN_NOT_OK(CheckBranchName(name));
  ARROW_ASSIGN_OR_RAISE(const bool exists, BranchExists(*context, name));
  if (exists) return AlreadyExists("branch \"", name, "\" already exists");
  std::optional<Tag> tag;
  if (tag_name) {
    ARROW_ASSIGN_OR_RAISE(tag, TagStore(context->store, context->paths).Load(*tag_name));
    if (!tag) return NotFound("tag \"", *tag_name, "\" does not exist");
  }
  const TablePaths branch{.root = context->paths.root, .branch = name};
  arrow::Status status = CopyMetadata(*context, branch, tag);
  // Another call that makes the same branch keeps what it has: only what nobody else put is ours to remove.
  if (!status.ok() && KindOf(status) != ErrorKind::kAlreadyExists) (void)context->store->DeleteDirectory(branch.MetaRoot());
  return status;
}

arrow::Status DeleteBranch(const Table& table, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const TableContext* context, MainContext(table));
  ARROW_RETURN_NOT_OK(CheckBranchName(name));
  ARROW_ASSIGN_OR_RAISE(const bool exists, BranchExists(*context, name));
  if (!exists) return NotFound("branch \"", name, "\" does not exist");
  return context->store->DeleteDirectory(TablePaths{.root = context->paths.root, .branch = name}.MetaRoot());
}

}  // namespace bactrian
