#include "bactrian/base/wall_clock.h"
#include "bactrian/history.h"
#include "bactrian/table.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

namespace {

arrow::Result<Snapshot> SnapshotToTag(const TableContext& context, const std::optional<int64_t>& id) {
  if (id) return context.snapshots->Load(*id);
  ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> latest, context.snapshots->Latest());
  if (!latest) return NotFound("the table in ", context.paths.root, " has no snapshot to tag");
  return *std::move(latest);
}

}  // namespace

arrow::Result<int64_t> CreateTag(const Table& table, const std::string& name, const TagOptions& options) {
  if (table.context() == nullptr) return Unsupported(table.identifier().ToString(), " cannot have tags");
  const TableContext& context = *table.context();
  const TagStore tags(context.store, context.paths);
  Tag tag{.name = name, .snapshot = {}, .create_time = std::nullopt, .time_retained_seconds = std::nullopt};
  ARROW_ASSIGN_OR_RAISE(tag.snapshot, SnapshotToTag(context, options.snapshot_id));
  if (options.time_retained_millis) {
    if (*options.time_retained_millis < 0) return Invalid("a tag cannot be kept for a negative time");
    tag.create_time = TimestampValue{LocalWallClockMillis(), 0};
    tag.time_retained_seconds = static_cast<double>(*options.time_retained_millis) / 1000;
  }
  ARROW_RETURN_NOT_OK(tags.Create(tag, options.replace));
  // An expiry that read the tags before this one was there may have taken the snapshot's files.
  ARROW_ASSIGN_OR_RAISE(const bool alive, context.store->Exists(context.paths.SnapshotFile(tag.snapshot.id)));
  if (alive) return tag.snapshot.id;
  (void)tags.Delete(name);
  return MakeError(ErrorKind::kSnapshotExpired, "snapshot " + std::to_string(tag.snapshot.id) + " expired while it was tagged");
}

arrow::Status DeleteTag(const Table& table, const std::string& name) {
  if (table.context() == nullptr) return Unsupported(table.identifier().ToString(), " cannot have tags");
  return TagStore(table.context()->store, table.context()->paths).Delete(name);
}

}  // namespace bactrian
