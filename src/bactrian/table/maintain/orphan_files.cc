#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>

#include "bactrian/base/wall_clock.h"
#include "bactrian/table.h"
#include "bactrian/table/maintain/file_references.h"
#include "bactrian/table/maintain/maintenance.h"
#include "bactrian/table/path_guard.h"
#include "bactrian/table/write/bucket_writer.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

constexpr std::array<std::string_view, 3> kSharedDirectories = {"manifest", "index", "statistics"};
constexpr std::array<std::string_view, 5> kBranchDirectories = {"snapshot", "schema", "tag", "changelog", "consumer"};
constexpr int kMaxAttempts = 3;

std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.push_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

/// Knows where Paimon puts files in a table's directory (format reference: layout.md §1).
class TableLayout {
 public:
  explicit TableLayout(const TableSchema& schema)
      : num_partition_keys_(schema.partition_keys.size()),
        path_directory_(CoreOptions(schema.options).GetString("data-file.path-directory", "")) {}

  /// Whether a file below an external root (path relative to that) is a data file: entropy directories may come after the
  /// bucket's.
  bool IsExternalDataFile(std::string_view relative_path) const {
    std::vector<std::string_view> parts = SplitPath(relative_path);
    const auto is_entropy = [](std::string_view part) { return part.find_first_not_of("01") == std::string_view::npos; };
    if (parts.empty()) return false;
    const auto file = std::prev(parts.end());
    auto begin = file;
    while (begin != parts.begin() && is_entropy(*std::prev(begin))) --begin;
    parts.erase(begin, file);
    return IsDataFile(parts);
  }

  /// Whether a file (path relative to the table's directory) is of a kind that may be an orphan.
  bool MayBeOrphan(std::string_view relative_path) const {
    const std::vector<std::string_view> parts = SplitPath(relative_path);
    if (parts.size() == 2 && Contains(kSharedDirectories, parts[0])) return true;
    if (parts.size() == 2 && Contains(kBranchDirectories, parts[0])) return IsTemporary(parts[1]);
    if (parts.size() == 4 && parts[0] == "branch" && parts[1].starts_with("branch-") &&
        Contains(kBranchDirectories, parts[2])) {
      return IsTemporary(parts[3]);
    }
    return IsDataFile(parts);
  }

 private:
  template <size_t n>
  static bool Contains(const std::array<std::string_view, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  static bool IsTemporary(std::string_view name) { return name.starts_with('.') && name.ends_with(".tmp"); }

  bool IsDataFile(const std::vector<std::string_view>& parts) const {
    std::vector<std::string_view> directory = SplitPath(path_directory_);
    if (parts.size() != directory.size() + num_partition_keys_ + 2) return false;
    if (!std::equal(directory.begin(), directory.end(), parts.begin())) return false;
    const auto partitions = parts.begin() + static_cast<ptrdiff_t>(directory.size());
    if (!std::all_of(partitions, parts.end() - 2,
                     [](std::string_view part) { return part.find('=') != std::string_view::npos; })) {
      return false;
    }
    return parts[parts.size() - 2].starts_with("bucket-");
  }

  size_t num_partition_keys_;
  std::string path_directory_;
};

/// Files below `root` that `may_be_orphan` (asked with the path below the root) and that were not touched since a time.
arrow::Status AddOldFiles(FileStore& store, const std::string& root, int64_t before_millis,
                          const std::function<bool(std::string_view)>& may_be_orphan, std::vector<OrphanFile>* old) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileStatus> files, store.List(root, /*recursive=*/true));
  for (const FileStatus& file : files) {
    if (file.is_directory || file.modified_millis > before_millis || !file.path.starts_with(root)) continue;
    if (may_be_orphan(std::string_view(file.path).substr(root.size()))) old->push_back({file.path, file.size});
  }
  return arrow::Status::OK();
}

/// The external roots that any schema of the table names.
arrow::Result<std::set<std::string>> ExternalRoots(const TableContext& context) {
  std::set<std::string> roots;
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, context.schemas->ListIds());
  for (const int64_t id : ids) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> schema, context.schemas->Load(id));
    for (std::string& root : ExternalPathsOf(*schema)) {
      while (root.ends_with('/')) root.pop_back();
      roots.insert(std::move(root));
    }
  }
  return roots;
}

arrow::Result<std::vector<OrphanFile>> ListOldFiles(const TableContext& context, const OrphanOptions& options) {
  const int64_t before = WallClockMillis() - options.older_than_millis;
  const TableLayout layout(*context.schema);
  std::vector<OrphanFile> old;
  ARROW_RETURN_NOT_OK(AddOldFiles(
      *context.store, context.paths.root, before, [&](std::string_view path) { return layout.MayBeOrphan(path); }, &old));
  if (!options.external_paths) return old;
  ARROW_ASSIGN_OR_RAISE(const std::set<std::string> roots, ExternalRoots(context));
  for (const std::string& root : roots) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<FileStore> store, StoreOfPath(context, root));
    ARROW_RETURN_NOT_OK(AddOldFiles(
        *store, root, before, [&](std::string_view path) { return layout.IsExternalDataFile(path); }, &old));
  }
  return old;
}

arrow::Result<FileReferences> CollectReferences(const TableContext& context) {
  FileReferences references;
  ARROW_RETURN_NOT_OK(AddReferencesOfBranch(context, &references));
  ARROW_ASSIGN_OR_RAISE(const std::vector<TableContext> branches, OtherBranches(context));
  for (const TableContext& branch : branches) ARROW_RETURN_NOT_OK(AddReferencesOfBranch(branch, &references));
  return references;
}

/// Snapshots may expire while their manifests are read: then all is looked at again.
arrow::Result<FileReferences> CollectSettledReferences(const TableContext& context) {
  for (int attempt = 1;; ++attempt) {
    arrow::Result<FileReferences> references = CollectReferences(context);
    if (references.ok() || attempt == kMaxAttempts) return references;
    const ErrorKind kind = KindOf(references.status());
    if (kind != ErrorKind::kNotFound && kind != ErrorKind::kSnapshotExpired) return references;
  }
}

}  // namespace

arrow::Result<OrphanResult> RemoveOrphanFiles(const TableContext& context, const OrphanOptions& options) {
  // First what is there, then what is referred to: a file that a commit takes up in between is seen as referenced.
  ARROW_ASSIGN_OR_RAISE(std::vector<OrphanFile> files, ListOldFiles(context, options));
  ARROW_ASSIGN_OR_RAISE(const FileReferences references, CollectSettledReferences(context));
  OrphanResult result;
  arrow::Status status;
  for (OrphanFile& file : files) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (references.metadata.contains(name) || references.data_files.contains(name)) continue;
    if (!options.dry_run) {
      ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<FileStore> store, StoreOfPath(context, file.path));
      const arrow::Status deleted = store->DeleteFile(file.path);
      status &= deleted;
      if (!deleted.ok()) continue;
    }
    result.bytes += file.size;
    result.files.push_back(std::move(file));
  }
  ARROW_RETURN_NOT_OK(status);
  return result;
}

arrow::Result<OrphanResult> RemoveOrphanFiles(const Table& table, const OrphanOptions& options) {
  if (table.context() == nullptr) return Unsupported(table.identifier().ToString(), " has no files of its own");
  return RemoveOrphanFiles(*table.context(), options);
}

}  // namespace bactrian
