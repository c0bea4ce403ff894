#include "bactrian/catalog/alter_table.h"

#include "bactrian/base/wall_clock.h"
#include "bactrian/meta/schema_change.h"
#include "bactrian/meta/schema_store.h"

namespace bactrian {

namespace {

/// Far more changes than a table ever sees at once; ends the loop when a store answers nonsense.
constexpr int kMaxAttempts = 1000;

}  // namespace

arrow::Status AlterTable(const std::shared_ptr<FileStore>& store, const TablePaths& paths,
                         const std::vector<SchemaChange>& changes) {
  if (changes.empty()) return arrow::Status::OK();
  const SchemaStore schemas(store, paths);
  const SnapshotStore snapshots(store, paths);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> latest, schemas.Latest());
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> snapshot, snapshots.LatestId());
    const SchemaChangeContext context{.has_snapshot = snapshot.has_value(), .now_millis = WallClockMillis()};
    ARROW_ASSIGN_OR_RAISE(const TableSchema next, ApplySchemaChanges(*latest, changes, context));
    arrow::Status published = schemas.Publish(next);
    if (published.ok()) return published;
    // Whatever the store says, who won is read from the storage.
    const arrow::Result<std::string> winner = store->ReadAll(paths.SchemaFile(next.id));
    if (winner.ok() && *winner == next.ToJson()) return arrow::Status::OK();
    if (!winner.ok() && KindOf(winner.status()) == ErrorKind::kNotFound) return published;
    ARROW_RETURN_NOT_OK(winner.status());
  }
  return CommitConflict("gave up changing the schema of ", paths.root, ": other changes kept winning");
}

}  // namespace bactrian
