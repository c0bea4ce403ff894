/// Snapshots, tags and their files (format reference: snapshot.md §1–3).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/io/file_store.h"
#include "bactrian/status.h"
#include "bactrian/value.h"

namespace bactrian {

enum class CommitKind : uint8_t { kAppend, kCompact, kOverwrite, kAnalyze };
std::string_view CommitKindName(CommitKind kind);  ///< "APPEND", …

struct Snapshot {
  int32_t version = 3;
  std::optional<std::string> uuid;
  int64_t id = 0;
  int64_t schema_id = 0;
  std::string base_manifest_list;
  std::optional<int64_t> base_manifest_list_size;
  std::string delta_manifest_list;
  std::optional<int64_t> delta_manifest_list_size;
  std::optional<std::string> changelog_manifest_list;
  std::optional<int64_t> changelog_manifest_list_size;
  std::optional<std::string> index_manifest;
  std::string commit_user;
  std::optional<std::string> writer_version;
  int64_t commit_identifier = 0;
  CommitKind commit_kind = CommitKind::kAppend;
  int64_t time_millis = 0;
  std::optional<int64_t> total_record_count;
  std::optional<int64_t> delta_record_count;
  std::optional<int64_t> changelog_record_count;
  std::optional<int64_t> watermark;
  std::optional<std::string> statistics;
  std::map<std::string, std::string> properties;
  std::optional<int64_t> next_row_id;
  std::optional<std::string> operation;

  /// Unknown keys are ignored. kCorrupt for malformed text and for names of files that ValidateFileName refuses.
  static arrow::Result<Snapshot> FromJson(std::string_view json);
  std::string ToJson() const;  ///< the reference's pretty text
};

/// A tag file is a snapshot's JSON with two more keys.
struct Tag {
  std::string name;
  Snapshot snapshot;
  std::optional<TimestampValue> create_time;  ///< local wall clock as if UTC
  std::optional<double> time_retained_seconds;

  static arrow::Result<Tag> FromJson(std::string_view name, std::string_view json);
  std::string ToJson() const;
};

/// Where a table's metadata lives for one branch (format reference: layout.md §1). A value type; every path is absolute.
struct TablePaths {
  std::string root;  ///< the table's directory
  std::string branch = "main";

  std::string MetaRoot() const;  ///< root, or root/branch/branch-<b>
  std::string SchemaFile(int64_t id) const;
  std::string SchemaDirectory() const;
  std::string SnapshotDirectory() const;
  std::string SnapshotFile(int64_t id) const;
  std::string ChangelogDirectory() const;
  std::string TagDirectory() const;
  std::string TagFile(std::string_view name) const;
  std::string ConsumerDirectory() const;
  std::string BranchDirectory() const;                      ///< root/branch
  std::string ManifestFile(std::string_view name) const;    ///< root/manifest/<name>
  std::string IndexFile(std::string_view name) const;       ///< root/index/<name>
  std::string StatisticsFile(std::string_view name) const;  ///< root/statistics/<name>
};

/// kCorrupt unless `name`, read from metadata, is a plain file name: no slash, no "..", no scheme, not empty. Everything that
/// parses metadata here calls it, so names in Snapshot, ManifestFileMeta, ManifestEntry and IndexFileEntry are plain.
arrow::Status ValidateFileName(std::string_view name, std::string_view named_by);

/// Snapshots of one branch. Hints are verified as snapshot.md §2 says. Thread-safe, stateless.
class SnapshotStore {
 public:
  SnapshotStore(std::shared_ptr<FileStore> store, TablePaths paths) : store_(std::move(store)), paths_(std::move(paths)) {}

  arrow::Result<std::optional<int64_t>> LatestId() const;
  arrow::Result<std::optional<int64_t>> EarliestId() const;
  arrow::Result<std::optional<Snapshot>> Latest() const;
  /// kNotFound; kSnapshotExpired when the id is below the earliest.
  arrow::Result<Snapshot> Load(int64_t id) const;
  arrow::Result<std::vector<int64_t>> ListIds() const;  ///< ascending
  /// The ids without a gap up to the newest: below a gap there are only strays of commits and expiries that did not end.
  arrow::Result<std::vector<int64_t>> ListHistory() const;
  /// The newest snapshot with time_millis <= t; nullopt if none. Binary search.
  arrow::Result<std::optional<Snapshot>> AtOrBeforeTime(int64_t time_millis) const;
  /// The first snapshot with a watermark >= w; nullopt if none.
  arrow::Result<std::optional<Snapshot>> AtOrAfterWatermark(int64_t watermark) const;

  /// Puts the snapshot if absent (kAlreadyExists when another commit won); then writes LATEST, best effort. kSnapshotExpired:
  /// it was put, but perhaps under an id that was used before, in which case it is no part of the history.
  arrow::Status Publish(const Snapshot& snapshot) const;
  void WriteEarliestHint(int64_t id) const;  ///< best effort

 private:
  std::shared_ptr<FileStore> store_;
  TablePaths paths_;
};

class TagStore {
 public:
  TagStore(std::shared_ptr<FileStore> store, TablePaths paths) : store_(std::move(store)), paths_(std::move(paths)) {}
  arrow::Result<std::vector<Tag>> List() const;  ///< by name
  arrow::Result<std::optional<Tag>> Load(std::string_view name) const;
  arrow::Status Create(const Tag& tag, bool replace) const;
  arrow::Status Delete(std::string_view name) const;

 private:
  std::shared_ptr<FileStore> store_;
  TablePaths paths_;
};

struct Branch {
  std::string name;
  int64_t create_time_millis = 0;  ///< modification time of its directory
};
arrow::Result<std::vector<Branch>> ListBranches(FileStore& store, const TablePaths& paths);

}  // namespace bactrian
