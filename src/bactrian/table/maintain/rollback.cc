#include <algorithm>

#include "bactrian/history.h"
#include "bactrian/meta/changelog_store.h"
#include "bactrian/table.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

namespace {

arrow::Status DeleteChangelogsAfter(const TableContext& context, int64_t id) {
  const ChangelogStore changelogs(context.store, context.paths);
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, changelogs.ListIds());
  for (const int64_t changelog : ids) {
    if (changelog > id) ARROW_RETURN_NOT_OK(changelogs.Delete(changelog));
  }
  return arrow::Status::OK();
}

/// Newest first: whenever it ends, what is there is a history without a gap.
arrow::Result<RollbackResult> DeleteAfter(const TableContext& context, int64_t id) {
  RollbackResult result{.snapshot_id = id};
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> snapshots, context.snapshots->ListIds());
  std::sort(snapshots.rbegin(), snapshots.rend());
  for (const int64_t snapshot : snapshots) {
    if (snapshot <= id) break;
    ARROW_RETURN_NOT_OK(context.store->DeleteFile(context.paths.SnapshotFile(snapshot)));
    ++result.snapshots;
  }
  const TagStore store(context.store, context.paths);
  ARROW_ASSIGN_OR_RAISE(const std::vector<Tag> tags, store.List());
  for (const Tag& tag : tags) {
    if (tag.snapshot.id <= id) continue;
    ARROW_RETURN_NOT_OK(store.Delete(tag.name));
    ++result.tags;
  }
  ARROW_RETURN_NOT_OK(DeleteChangelogsAfter(context, id));
  return result;
}

arrow::Status WriteLatestHint(const TableContext& context, int64_t id) {
  return context.store->Overwrite(JoinPath(context.paths.SnapshotDirectory(), "LATEST"), std::to_string(id));
}

arrow::Result<const TableContext*> ContextOf(const Table& table) {
  if (table.context() == nullptr) return Unsupported(table.identifier().ToString(), " cannot be rolled back");
  return table.context();
}

}  // namespace

arrow::Result<RollbackResult> RollbackToSnapshot(const Table& table, int64_t snapshot_id) {
  ARROW_ASSIGN_OR_RAISE(const TableContext* context, ContextOf(table));
  ARROW_RETURN_NOT_OK(context->snapshots->Load(snapshot_id).status());
  ARROW_ASSIGN_OR_RAISE(RollbackResult result, DeleteAfter(*context, snapshot_id));
  ARROW_RETURN_NOT_OK(WriteLatestHint(*context, snapshot_id));
  return result;
}

arrow::Result<RollbackResult> RollbackToTag(const Table& table, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const TableContext* context, ContextOf(table));
  ARROW_ASSIGN_OR_RAISE(const std::optional<Tag> tag, TagStore(context->store, context->paths).Load(name));
  if (!tag) return NotFound("tag \"", name, "\" does not exist");
  const int64_t id = tag->snapshot.id;
  ARROW_ASSIGN_OR_RAISE(const bool there, context->store->Exists(context->paths.SnapshotFile(id)));
  ARROW_ASSIGN_OR_RAISE(RollbackResult result, DeleteAfter(*context, id));
  if (!there) {
    // Between the two steps the table looks empty, never wrong; calling again goes on.
    ARROW_RETURN_NOT_OK(context->store->PutIfAbsent(context->paths.SnapshotFile(id), tag->snapshot.ToJson()));
    context->snapshots->WriteEarliestHint(id);
  }
  ARROW_RETURN_NOT_OK(WriteLatestHint(*context, id));
  return result;
}

}  // namespace bactrian
