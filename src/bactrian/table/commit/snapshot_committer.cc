#include "bactrian/table/commit/snapshot_committer.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "bactrian/table/commit/conflict_check.h"
#include "bactrian/table/commit/snapshot_files.h"

namespace bactrian {

namespace {

constexpr const char* kWriterVersion = "bactrian 0.1.0";

int64_t NowMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// min * 2^attempt, at most max, and up to a fifth more, so that commits that met once do not meet again.
std::chrono::milliseconds RetryWait(const CommitSettings& settings, int32_t attempt) {
  int64_t wait = std::max<int64_t>(settings.min_retry_wait_millis, 0);
  for (int32_t i = 1; i < attempt && wait < settings.max_retry_wait_millis; ++i) wait *= 2;
  wait = std::min(wait, settings.max_retry_wait_millis);
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::milliseconds(wait + std::uniform_int_distribution<int64_t>(0, wait / 5)(random));
}

arrow::Status OutcomeUnknown(const arrow::Status& cause) {
  return MakeError(ErrorKind::kCommitOutcomeUnknown,
                   "the snapshot may have been published; nothing was deleted. " + cause.message());
}

}  // namespace

arrow::Result<CommitResult> SnapshotCommitter::Commit(const SnapshotRequest& request) const {
  const auto start = std::chrono::steady_clock::now();
  Doubt doubt;
  for (int32_t attempt = 1;; ++attempt) {
    // A merge makes an attempt longer: one that lost does without, so that it does not lose again.
    arrow::Result<Attempt> result = TryOnce(request, /*merge=*/attempt == 1, &doubt);
    if (!result.ok()) return doubt.uuids.empty() ? result.status() : OutcomeUnknown(result.status());
    if (result->done) return CommitResult{result->snapshot_id, attempt};
    const auto elapsed = std::chrono::steady_clock::now() - start;
    const bool late = settings_.timeout_millis > 0 && elapsed > std::chrono::milliseconds(settings_.timeout_millis);
    if (attempt > settings_.max_retries || late) {
      const arrow::Status gave_up = CommitConflict("gave up after ", attempt, " attempts: other commits kept winning (options ",
                                                   "commit.max-retries, commit.timeout)");
      return doubt.uuids.empty() ? gave_up : OutcomeUnknown(gave_up);
    }
    std::this_thread::sleep_for(RetryWait(settings_, attempt));
  }
}

arrow::Result<SnapshotCommitter::Attempt> SnapshotCommitter::TryOnce(const SnapshotRequest& request, bool merge,
                                                                     Doubt* doubt) const {
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> latest, context_.snapshots->Latest());
  if (!doubt->uuids.empty()) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> found, FindDoubtful(*doubt, latest ? latest->id : 0));
    if (found) return Attempt{true, found};
  }
  ARROW_ASSIGN_OR_RAISE(SnapshotChange change, request.change(latest));
  if (change.empty() && !request.allow_empty) return Attempt{true, std::nullopt};
  if (latest && request.check_conflicts) ARROW_RETURN_NOT_OK(CheckConflicts(context_, *latest, change, request.kind));
  if (settings_.drop_stats_of_deletes) {
    for (ManifestEntry& entry : change.files) {
      if (entry.kind != FileKind::kDelete) continue;
      entry.file.value_stats = SimpleStats::Empty();
      entry.file.value_stats_cols.emplace();
    }
  }
  ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, NewSnapshot(request, latest));
  SnapshotFiles files(context_, settings_);
  if (arrow::Status written = files.Write(latest, change, merge, &snapshot); !written.ok()) {
    files.TakeBack();
    return written;
  }
  bool lost = false;
  ARROW_ASSIGN_OR_RAISE(const Attempt attempt, Publish(snapshot, doubt, &lost));
  if (lost) files.TakeBack();
  return attempt;
}

/// `lost` says that this attempt is certainly not published, and never will be.
arrow::Result<SnapshotCommitter::Attempt> SnapshotCommitter::Publish(const Snapshot& snapshot, Doubt* doubt, bool* lost) const {
  const arrow::Status published = context_.snapshots->Publish(snapshot);
  if (published.ok()) return Attempt{true, snapshot.id};
  // Whatever the store says, who won is read from the storage.
  arrow::Result<Snapshot> winner = context_.snapshots->Load(snapshot.id);
  if (winner.ok() && winner->uuid) {
    if (winner->uuid == snapshot.uuid || doubt->uuids.contains(*winner->uuid)) return Attempt{true, snapshot.id};
  }
  *lost = winner.ok();
  if (*lost) return Attempt{};
  // Nothing is to be seen there, but an effect may still be on its way.
  if (doubt->uuids.empty()) doubt->after_id = snapshot.id - 1;
  doubt->uuids.insert(*snapshot.uuid);
  return Attempt{};
}

arrow::Result<std::optional<int64_t>> SnapshotCommitter::FindDoubtful(const Doubt& doubt, int64_t latest_id) const {
  for (int64_t id = doubt.after_id + 1; id <= latest_id; ++id) {
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, context_.snapshots->Load(id));
    if (snapshot.uuid && doubt.uuids.contains(*snapshot.uuid)) return id;
  }
  return std::nullopt;
}

arrow::Result<Snapshot> SnapshotCommitter::NewSnapshot(const SnapshotRequest& request,
                                                       const std::optional<Snapshot>& latest) const {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> schema, context_.schemas->Latest());
  Snapshot snapshot;
  snapshot.uuid = NewUuid();
  snapshot.id = latest ? latest->id + 1 : 1;
  snapshot.schema_id = schema->id;
  snapshot.commit_user = commit_user_;
  snapshot.writer_version = kWriterVersion;
  snapshot.commit_identifier = request.identifier;
  snapshot.commit_kind = request.kind;
  snapshot.time_millis = std::max(NowMillis(), latest ? latest->time_millis : 0);
  snapshot.next_row_id = latest ? latest->next_row_id.value_or(0) : 0;
  if (!request.operation.empty()) snapshot.operation = request.operation;
  if (latest) {
    snapshot.watermark = latest->watermark;
    if (latest->schema_id == schema->id) snapshot.statistics = latest->statistics;
  }
  return snapshot;
}

}  // namespace bactrian
