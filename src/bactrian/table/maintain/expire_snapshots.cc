#include <algorithm>
#include <map>
#include <set>

#include "bactrian/base/wall_clock.h"
#include "bactrian/io/empty_directory.h"
#include "bactrian/meta/consumer_store.h"
#include "bactrian/meta/index_manifest.h"
#include "bactrian/table.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/data_file_paths.h"
#include "bactrian/table/maintain/file_references.h"
#include "bactrian/table/maintain/maintenance.h"
#include "bactrian/table/path_guard.h"
#include "bactrian/table/write/bucket_writer.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

constexpr int kMaxAttempts = 3;

/// Snapshots [begin, end) are to go.
struct ExpiredRange {
  int64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

/// The lowest snapshot that a consumer still wants (snapshot.md §5).
arrow::Result<int64_t> FirstConsumed(const TableContext& context) {
  int64_t first = INT64_MAX;
  ARROW_ASSIGN_OR_RAISE(const bool changelog_only,
                        CoreOptions(context.schema->options).GetBool("consumer.changelog-only", false));
  if (changelog_only) return first;
  ARROW_ASSIGN_OR_RAISE(const std::vector<Consumer> consumers, ConsumerStore(context.store, context.paths).List());
  for (const Consumer& consumer : consumers) first = std::min(first, consumer.next_snapshot);
  return first;
}

arrow::Result<ExpiredRange> FindRange(const TableContext& context, const ExpireOptions& given) {
  ARROW_ASSIGN_OR_RAISE(const RetentionOptions table, RetentionOptions::Make(context.schema->options));
  const int64_t retain_min =
      given.retain_min.value_or(given.retain_max ? std::min(table.retain_min, *given.retain_max) : table.retain_min);
  const int64_t retain_max = given.retain_max.value_or(std::max(table.retain_max, retain_min));
  const int64_t retained_millis = given.time_retained_millis.value_or(table.time_retained_millis);
  const int64_t limit = given.limit.value_or(table.limit);
  if (retain_min < 1 || retain_max < retain_min || limit < 1) {
    return Invalid("snapshots to retain: at least 1, the most (", retain_max, ") not below the least (", retain_min,
                   "), and at least one expired a call");
  }
  // Listed, not asked from hints: an expiry that did not end has left snapshots before the one that EARLIEST names.
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> history, context.snapshots->ListHistory());
  if (history.empty()) return ExpiredRange{};
  const int64_t earliest = history.front(), latest = history.back();
  ARROW_ASSIGN_OR_RAISE(const int64_t first_consumed, FirstConsumed(context));
  const int64_t first = std::max(latest - retain_max + 1, earliest);
  const int64_t last = std::min({latest - retain_min + 1, first_consumed, earliest + limit});
  const int64_t keep_from = WallClockMillis() - retained_millis;
  for (int64_t id = first; id < last; ++id) {
    ARROW_ASSIGN_OR_RAISE(const Snapshot next, context.snapshots->Load(id + 1));
    if (next.time_millis >= keep_from) return ExpiredRange{earliest, id};
  }
  return ExpiredRange{earliest, last};
}

/// Finds the files that only the snapshots of a range use. Reads much, changes nothing.
class ExpiryPlan {
 public:
  ExpiryPlan(const TableContext& context, DataFilePaths paths, PathGuard guard, ExpiredRange range)
      : context_(context), paths_(std::move(paths)), guard_(std::move(guard)), range_(range) {}

  arrow::Status Make() {
    ARROW_ASSIGN_OR_RAISE(tags_, TagStore(context_.store, context_.paths).List());
    for (int64_t id = range_.begin; id < range_.end; ++id) ARROW_RETURN_NOT_OK(AddMetadata(id));
    for (int64_t id = range_.begin + 1; id <= range_.end; ++id) ARROW_RETURN_NOT_OK(AddDeletedData(id));
    return KeepReferenced();
  }

  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& [name, files] : data_) paths.insert(paths.end(), files.begin(), files.end());
    paths.insert(paths.end(), changelog_paths_.begin(), changelog_paths_.end());
    for (const auto& [name, path] : metadata_) paths.push_back(path);
    return paths;
  }

 private:
  arrow::Status AddMetadata(int64_t id) {
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, context_.snapshots->Load(id));
    FileReferences references;
    ARROW_RETURN_NOT_OK(AddMetadataOf(context_, snapshot, &references));
    std::map<std::string, std::string> index_files;
    if (snapshot.index_manifest) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<IndexFileEntry> entries,
                            ReadIndexManifest(*context_.store, context_.paths.ManifestFile(*snapshot.index_manifest)));
      for (const IndexFileEntry& entry : entries) {
        index_files[entry.file_name] = entry.external_path.value_or(context_.paths.IndexFile(entry.file_name));
      }
    }
    for (const std::string& name : references.metadata) {
      ARROW_RETURN_NOT_OK(ValidateFileName(name, "snapshot " + std::to_string(id)));
      const auto index_file = index_files.find(name);
      std::string path = index_file != index_files.end() ? index_file->second
                         : snapshot.statistics == name   ? context_.paths.StatisticsFile(name)
                                                         : context_.paths.ManifestFile(name);
      ARROW_RETURN_NOT_OK(guard_.Check(path, "snapshot " + std::to_string(id)));
      metadata_[name] = std::move(path);
    }
    return AddChangelog(snapshot);
  }

  arrow::Status AddChangelog(const Snapshot& snapshot) {
    if (!snapshot.changelog_manifest_list) return arrow::Status::OK();
    for (const char* key : {"changelog.num-retained.min", "changelog.num-retained.max", "changelog.time-retained"}) {
      if (context_.schema->options.contains(key)) {
        return Unsupported("option ", key, ": expiry of snapshots whose changelog lives longer is not supported yet");
      }
    }
    ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests,
                          ReadManifestList(*context_.store, context_.paths.ManifestFile(*snapshot.changelog_manifest_list),
                                           snapshot.changelog_manifest_list_size));
    ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, ReadManifestEntries(context_, manifests, nullptr));
    for (const ManifestEntry& entry : entries) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> paths, PathsOf(entry));
      changelog_paths_.insert(changelog_paths_.end(), paths.begin(), paths.end());
    }
    return arrow::Status::OK();
  }

  /// The files that snapshot `id` deleted for good, unless the newest tag before it shows them.
  arrow::Status AddDeletedData(int64_t id) {
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, context_.snapshots->Load(id));
    ARROW_RETURN_NOT_OK(ValidateFileName(snapshot.delta_manifest_list, "snapshot " + std::to_string(id)));
    ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests,
                          ReadManifestList(*context_.store, context_.paths.ManifestFile(snapshot.delta_manifest_list),
                                           snapshot.delta_manifest_list_size));
    ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, ReadManifestEntries(context_, manifests, nullptr));
    std::map<std::string, const ManifestEntry*> deleted;
    for (const ManifestEntry& entry : entries) {
      if (entry.kind == FileKind::kDelete) {
        deleted[entry.file.file_name] = &entry;
      } else {
        deleted.erase(entry.file.file_name);  // an upgrade: the same file at another level
      }
    }
    if (deleted.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const FileReferences* tagged, FilesOfNewestTagBefore(id));
    for (const auto& [name, entry] : deleted) {
      if (tagged != nullptr && tagged->data_files.contains(name)) continue;
      ARROW_ASSIGN_OR_RAISE(data_[name], PathsOf(*entry));
    }
    return arrow::Status::OK();
  }

  arrow::Result<const FileReferences*> FilesOfNewestTagBefore(int64_t id) {
    const Tag* newest = nullptr;
    for (const Tag& tag : tags_) {
      if (tag.snapshot.id < id && (newest == nullptr || tag.snapshot.id > newest->snapshot.id)) newest = &tag;
    }
    if (newest == nullptr) return nullptr;
    if (tag_files_of_ != newest->snapshot.id) {
      tag_files_ = {};
      ARROW_RETURN_NOT_OK(AddDataFilesOf(context_, newest->snapshot, &tag_files_));
      tag_files_of_ = newest->snapshot.id;
    }
    return &tag_files_;
  }

  /// Takes out what the snapshots that stay, tags and other branches refer to.
  arrow::Status KeepReferenced() {
    FileReferences kept;
    ARROW_ASSIGN_OR_RAISE(const Snapshot first_kept, context_.snapshots->Load(range_.end));
    ARROW_RETURN_NOT_OK(AddMetadataOf(context_, first_kept, &kept));
    for (const Tag& tag : tags_) ARROW_RETURN_NOT_OK(AddMetadataOf(context_, tag.snapshot, &kept));
    ARROW_RETURN_NOT_OK(AddRevived(&kept));
    ARROW_ASSIGN_OR_RAISE(const std::vector<TableContext> branches, OtherBranches(context_));
    for (const TableContext& branch : branches) ARROW_RETURN_NOT_OK(AddReferencesOfBranch(branch, &kept));
    std::erase_if(metadata_, [&](const auto& file) { return kept.metadata.contains(file.first); });
    std::erase_if(data_, [&](const auto& file) { return kept.data_files.contains(file.first); });
    return arrow::Status::OK();
  }

  /// A rollback to an older state as the newest one brings files back that were deleted in between.
  arrow::Status AddRevived(FileReferences* kept) {
    if (data_.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> latest, context_.snapshots->LatestId());
    for (int64_t id = range_.end + 1; latest && id <= *latest; ++id) {
      ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, context_.snapshots->Load(id));
      if (snapshot.commit_kind != CommitKind::kOverwrite) continue;
      ARROW_RETURN_NOT_OK(AddMetadataOf(context_, snapshot, kept));
      ARROW_RETURN_NOT_OK(AddDataFilesOf(context_, snapshot, kept));
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::vector<std::string>> PathsOf(const ManifestEntry& entry) const {
    ARROW_ASSIGN_OR_RAISE(std::vector<std::string> paths, paths_.ExtraFiles(entry.partition, entry.bucket, entry.file));
    ARROW_ASSIGN_OR_RAISE(std::string path, paths_.DataFile(entry.partition, entry.bucket, entry.file));
    paths.push_back(std::move(path));
    for (const std::string& file : paths) ARROW_RETURN_NOT_OK(guard_.Check(file, "manifest entry " + entry.file.file_name));
    return paths;
  }

  const TableContext& context_;
  const DataFilePaths paths_;
  const PathGuard guard_;
  const ExpiredRange range_;
  std::vector<Tag> tags_;
  FileReferences tag_files_;
  int64_t tag_files_of_ = -1;                             ///< snapshot id of the tag
  std::map<std::string, std::vector<std::string>> data_;  ///< by file name: its path and those of its extra files
  std::vector<std::string> changelog_paths_;
  std::map<std::string, std::string> metadata_;  ///< by file name
};

/// The directories of the deleted data files that hold nothing any more, and their parents up to the table's.
arrow::Status CleanEmptyDirectories(const TableContext& context, const std::vector<std::string>& deleted) {
  std::set<std::string> directories;
  const std::string root = context.paths.root + "/";
  for (const std::string& path : deleted) {
    std::string directory = path.substr(0, path.rfind('/'));
    const bool is_bucket = directory.substr(directory.rfind('/') + 1).starts_with("bucket-");
    if (is_bucket && directory.starts_with(root)) directories.insert(std::move(directory));
  }
  for (std::string directory : directories) {
    while (directory.size() > root.size()) {
      ARROW_ASSIGN_OR_RAISE(const bool was_empty, DeleteEmptyDirectory(directory));
      if (!was_empty) break;
      directory.resize(directory.rfind('/'));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<ExpireResult> ExpireRange(const TableContext& context, const ExpiredRange& range, bool dry_run) {
  ARROW_ASSIGN_OR_RAISE(DataFilePaths paths, DataFilePaths::Make(context.paths, *context.schema));
  ARROW_ASSIGN_OR_RAISE(PathGuard guard, PathGuard::Make(context, SessionOptions{}));
  ARROW_ASSIGN_OR_RAISE(const RetentionOptions retention, RetentionOptions::Make(context.schema->options));
  ExpiryPlan plan(context, std::move(paths), std::move(guard), range);
  ARROW_RETURN_NOT_OK(plan.Make());
  ExpireResult result{range.end - range.begin, plan.Paths()};
  if (dry_run) return result;
  // The snapshots go first: what a crash leaves behind then is unreferenced, and every snapshot that is left has its files.
  // The hint comes after them: one that is ahead would hide what a crash left.
  for (int64_t id = range.begin; id < range.end; ++id) {
    ARROW_RETURN_NOT_OK(context.store->DeleteFile(context.paths.SnapshotFile(id)));
  }
  context.snapshots->WriteEarliestHint(range.end);
  arrow::Status status;
  for (const std::string& path : result.files) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<FileStore> store, StoreOfPath(context, path));
    status &= store->DeleteFile(path);
  }
  if (retention.clean_empty_directories) status &= CleanEmptyDirectories(context, result.files);
  ARROW_RETURN_NOT_OK(status);
  return result;
}

}  // namespace

arrow::Result<RetentionOptions> RetentionOptions::Make(const Options& map) {
  const CoreOptions options(map);
  RetentionOptions result;
  ARROW_ASSIGN_OR_RAISE(result.retain_min, options.GetInt("snapshot.num-retained.min", result.retain_min));
  ARROW_ASSIGN_OR_RAISE(result.retain_max, options.GetInt("snapshot.num-retained.max", result.retain_max));
  ARROW_ASSIGN_OR_RAISE(result.time_retained_millis,
                        options.GetDurationMillis("snapshot.time-retained", result.time_retained_millis));
  ARROW_ASSIGN_OR_RAISE(result.limit, options.GetInt("snapshot.expire.limit", result.limit));
  ARROW_ASSIGN_OR_RAISE(result.clean_empty_directories, options.GetBool("snapshot.clean-empty-directories", false));
  return result;
}

arrow::Result<ExpireResult> ExpireSnapshots(const TableContext& context, const ExpireOptions& options) {
  for (int attempt = 1;; ++attempt) {
    ARROW_ASSIGN_OR_RAISE(const ExpiredRange range, FindRange(context, options));
    if (range.empty()) return ExpireResult{};
    arrow::Result<ExpireResult> result = ExpireRange(context, range, options.dry_run);
    if (result.ok() || !MayHaveExpired(result.status()) || attempt == kMaxAttempts) return result;
    // Another expiry is at work when the first snapshot of the range has gone meanwhile: then all is looked at anew.
    ARROW_ASSIGN_OR_RAISE(const bool is_there, context.store->Exists(context.paths.SnapshotFile(range.begin)));
    if (is_there) return result;
  }
}

arrow::Status ExpireAfterCommit(const TableContext& context, int64_t latest_id) {
  ARROW_ASSIGN_OR_RAISE(const RetentionOptions retention, RetentionOptions::Make(context.schema->options));
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> earliest, context.snapshots->EarliestId());
  if (!earliest || latest_id - retention.retain_min + 1 <= *earliest) return arrow::Status::OK();
  if (latest_id - std::max(retention.retain_max, retention.retain_min) + 1 <= *earliest) {
    const arrow::Result<Snapshot> second = context.snapshots->Load(*earliest + 1);
    // What is not there any more is being expired by somebody else.
    if (!second.ok()) return MayHaveExpired(second.status()) ? arrow::Status::OK() : second.status();
    if (second->time_millis >= WallClockMillis() - retention.time_retained_millis) return arrow::Status::OK();
  }
  return ExpireSnapshots(context, ExpireOptions{}).status();
}

arrow::Result<ExpireResult> ExpireSnapshots(const Table& table, const ExpireOptions& options) {
  if (table.context() == nullptr) return Unsupported(table.identifier().ToString(), " has no snapshots to expire");
  return ExpireSnapshots(*table.context(), options);
}

}  // namespace bactrian
