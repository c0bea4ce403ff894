#include "bactrian/table/commit/bucket_numbers.h"

#include <set>

#include "bactrian/table/commit/live_files.h"

namespace bactrian {

namespace {

/// Beyond this many snapshots by others it is cheaper to look at the partitions anew.
constexpr int64_t kMaxFollowed = 100;

arrow::Status Conflict(int32_t known, int32_t written_for) {
  return CommitConflict("a partition with ", known, " buckets cannot take files written for ", written_for,
                        " without an overwrite");
}

}  // namespace

arrow::Status CheckBucketNumbers(const std::vector<ManifestEntry>& live, const std::vector<ManifestEntry>& added) {
  std::map<std::string_view, int32_t> numbers;
  for (const auto* entries : {&live, &added}) {
    for (const ManifestEntry& entry : *entries) {
      if (entry.total_buckets <= 0) continue;
      const int32_t known = numbers.try_emplace(entry.partition, entry.total_buckets).first->second;
      if (known != entry.total_buckets) return Conflict(known, entry.total_buckets);
    }
  }
  return arrow::Status::OK();
}

arrow::Status BucketNumbers::Check(const TableContext& context, const Snapshot& latest, const SnapshotChange& change) {
  std::lock_guard lock(mutex_);
  ARROW_RETURN_NOT_OK(CatchUp(context, latest));
  std::set<std::string, std::less<>> unknown = change.Partitions();
  std::erase_if(unknown, [&](const std::string& partition) { return numbers_.contains(partition); });
  if (!unknown.empty()) {
    ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> live, ReadLiveFiles(context, latest, &unknown));
    for (const std::string& partition : unknown) numbers_[partition] = 0;
    for (const ManifestEntry& entry : live) {
      if (entry.total_buckets > 0) numbers_[entry.partition] = entry.total_buckets;
    }
  }
  for (const ManifestEntry& entry : change.files) {
    const int32_t known = numbers_.find(entry.partition)->second;
    if (known > 0 && entry.total_buckets > 0 && known != entry.total_buckets) return Conflict(known, entry.total_buckets);
  }
  return CheckBucketNumbers({}, change.files);
}

/// Brings the numbers up to `latest`, or forgets them.
arrow::Status BucketNumbers::CatchUp(const TableContext& context, const Snapshot& latest) {
  const int64_t from = std::exchange(snapshot_id_, latest.id);
  if (numbers_.empty() || latest.id == from) return arrow::Status::OK();
  if (latest.id < from || latest.id > from + kMaxFollowed) {
    numbers_.clear();
    return arrow::Status::OK();
  }
  for (int64_t id = from + 1; id <= latest.id; ++id) {
    arrow::Result<Snapshot> snapshot = id == latest.id ? latest : context.snapshots->Load(id);
    const arrow::Status followed = snapshot.ok() ? Follow(context, *snapshot) : snapshot.status();
    if (followed.ok()) continue;
    numbers_.clear();
    return MayHaveExpired(followed) ? arrow::Status::OK() : followed;
  }
  return arrow::Status::OK();
}

arrow::Status BucketNumbers::Follow(const TableContext& context, const Snapshot& snapshot) {
  if (snapshot.commit_kind == CommitKind::kOverwrite) numbers_.clear();
  if (snapshot.commit_kind != CommitKind::kAppend) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests,
                        ReadManifestList(*context.store, context.paths.ManifestFile(snapshot.delta_manifest_list),
                                         snapshot.delta_manifest_list_size));
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> added, ReadManifestEntries(context, manifests, nullptr));
  for (const ManifestEntry& entry : added) {
    const auto known = numbers_.find(entry.partition);
    if (known != numbers_.end() && entry.total_buckets > 0) known->second = entry.total_buckets;
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
