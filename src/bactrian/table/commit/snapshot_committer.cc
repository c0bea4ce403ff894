#include "bactrian/table/commit/snapshot_committer.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "bactrian/base/wall_clock.h"
#include "bactrian/table/commit/conflict_check.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/commit/snapshot_files.h"

namespace bactrian {

namespace {

constexpr const char* kWriterVersion = "bactrian 0.1.0";

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
  const arrow::Result<std::optional<Snapshot>> latest = context_.snapshots->Latest();
  if (!latest.ok()) {
    if (MayHaveExpired(latest.status())) return Attempt{};
    return latest.status();
  }
  arrow::Result<Attempt> attempt = TryAfter(*latest, request, merge, doubt);
  if (attempt.ok() || !MayHaveExpired(attempt.status())) return attempt;
  // A manifest that is missing went with its snapshot when that has expired: then this attempt came too late.
  ARROW_ASSIGN_OR_RAISE(const bool is_there, IsThere(*latest));
  if (is_there) return attempt;
  return Attempt{};
}

arrow::Result<bool> SnapshotCommitter::IsThere(const std::optional<Snapshot>& latest) const {
  if (!latest) return true;
  return context_.store->Exists(context_.paths.SnapshotFile(latest->id));
}

arrow::Result<SnapshotCommitter::Attempt> SnapshotCommitter::TryAfter(const std::optional<Snapshot>& latest,
                                                                      const SnapshotRequest& request, bool merge,
                                                                      Doubt* doubt) const {
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
  // The id is only new while its predecessor is there.
  const arrow::Result<bool> is_there = IsThere(latest);
  if (!is_there.ok() || !*is_there) files.TakeBack();
  ARROW_RETURN_NOT_OK(is_there.status());
  if (!*is_there) return Attempt{};
  bool lost = false;
  ARROW_ASSIGN_OR_RAISE(const Attempt attempt, Publish(snapshot, change, doubt, &lost));
  if (lost) files.TakeBack();
  return attempt;
}

/// `lost` says that this attempt is certainly not published, and never will be.
arrow::Result<SnapshotCommitter::Attempt> SnapshotCommitter::Publish(const Snapshot& snapshot, const SnapshotChange& change,
                                                                     Doubt* doubt, bool* lost) const {
  const arrow::Status published = context_.snapshots->Publish(snapshot);
  if (published.ok()) return Attempt{true, snapshot.id};
  // Whatever the store says, who won is read from the storage.
  const arrow::Result<Snapshot> winner = context_.snapshots->Load(snapshot.id);
  const bool ours = winner.ok() && winner->uuid == snapshot.uuid;
  if (winner.ok() && winner->uuid && doubt->uuids.contains(*winner->uuid)) return Attempt{true, snapshot.id};
  *lost = winner.ok() && !ours;
  if (*lost) return Attempt{};
  // What is not to be seen may still be on its way, and what is there may be no part of the history.
  if (doubt->uuids.empty()) doubt->after_id = snapshot.id - 1;
  doubt->uuids.insert(*snapshot.uuid);
  if (!ours) return Attempt{};
  ARROW_ASSIGN_OR_RAISE(const bool in_history, IsInHistory(snapshot, change));
  if (in_history) return Attempt{true, snapshot.id};
  ARROW_RETURN_NOT_OK(context_.store->DeleteFile(context_.paths.SnapshotFile(snapshot.id)));
  doubt->uuids.erase(*snapshot.uuid);
  *lost = true;
  return Attempt{};
}

/// Whether later snapshots follow this one: not so when it was put under the id of one that had expired.
arrow::Result<bool> SnapshotCommitter::IsInHistory(const Snapshot& snapshot, const SnapshotChange& change) const {
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> history, context_.snapshots->ListHistory());
  if (history.back() == snapshot.id) return true;
  if (history.front() > snapshot.id) return false;
  if (history.front() < snapshot.id) return true;  // its predecessor is there: the id was new
  ARROW_ASSIGN_OR_RAISE(const Snapshot next, context_.snapshots->Load(snapshot.id + 1));
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> ours,
                        ReadManifestList(*context_.store, context_.paths.ManifestFile(snapshot.delta_manifest_list),
                                         snapshot.delta_manifest_list_size));
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> followed, ReadSnapshotManifests(context_, next));
  for (const ManifestFileMeta& manifest : ours) {
    if (std::any_of(followed.begin(), followed.end(), [&](const auto& f) { return f.file_name == manifest.file_name; }))
      return true;
  }
  // Merged into another manifest, perhaps: then its files are there.
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> live, ReadLiveFiles(context_, next, nullptr));
  std::set<std::string_view> names;
  for (const ManifestEntry& entry : live) names.insert(entry.file.file_name);
  const bool adds =
      std::any_of(change.files.begin(), change.files.end(), [](const auto& e) { return e.kind == FileKind::kAdd; });
  if (!adds) return CommitConflict("snapshot ", snapshot.id, " expired while it was published");
  return std::any_of(change.files.begin(), change.files.end(), [&](const ManifestEntry& entry) {
    return entry.kind == FileKind::kAdd && names.contains(entry.file.file_name);
  });
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
  snapshot.time_millis = std::max(WallClockMillis(), latest ? latest->time_millis : 0);
  snapshot.next_row_id = latest ? latest->next_row_id.value_or(0) : 0;
  if (!request.operation.empty()) snapshot.operation = request.operation;
  if (latest) {
    snapshot.watermark = latest->watermark;
    if (latest->schema_id == schema->id) snapshot.statistics = latest->statistics;
  }
  return snapshot;
}

}  // namespace bactrian
