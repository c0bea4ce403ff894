#include "bactrian/catalog/external_files.h"

#include <algorithm>
#include <set>

#include "bactrian/meta/manifest.h"
#include "bactrian/table/path_guard.h"

namespace bactrian {
namespace {

/// Whether any schema of any branch declares external paths: most tables need no look into their manifests.
arrow::Result<bool> DeclaresExternalPaths(const std::shared_ptr<FileStore>& store, const TablePaths& paths) {
  std::vector<std::string> branches = {"main"};
  ARROW_ASSIGN_OR_RAISE(std::vector<Branch> others, ListBranches(*store, paths));
  for (const Branch& branch : others) branches.push_back(branch.name);
  for (const std::string& branch : branches) {
    const SchemaStore schemas(store, TablePaths{paths.root, branch});
    ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, schemas.ListIds());
    for (int64_t id : ids) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, schemas.Load(id));
      if (!ExternalPathsOf(*schema).empty()) return true;
    }
  }
  return false;
}

}  // namespace

arrow::Status DeleteExternalFiles(const std::shared_ptr<FileStore>& store, const TablePaths& paths,
                                  const SessionOptions& session) {
  ARROW_ASSIGN_OR_RAISE(bool declares, DeclaresExternalPaths(store, paths));
  if (!declares) return arrow::Status::OK();
  TableContext context;
  context.store = store;
  context.paths = paths;
  context.schemas = std::make_shared<const SchemaStore>(store, paths);
  ARROW_ASSIGN_OR_RAISE(PathGuard guard, PathGuard::Make(context, session));
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> files, store->List(JoinPath(paths.root, "manifest")));
  std::set<std::string> to_delete;
  for (const FileStatus& file : files) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (!name.starts_with("manifest-") || name.starts_with("manifest-list-")) continue;
    std::vector<ManifestEntry> entries;
    ARROW_RETURN_NOT_OK(ReadManifest(*store, file.path, file.size, {}, &entries));
    for (const ManifestEntry& entry : entries) {
      const std::optional<std::string>& path = entry.file.external_path;
      if (!path || !guard.Check(*path, name).ok()) continue;
      to_delete.insert(*path);
      const std::string directory = path->substr(0, path->rfind('/'));
      for (const std::string& extra : entry.file.extra_files) {
        if (ValidateFileName(extra, name).ok()) to_delete.insert(JoinPath(directory, extra));
      }
    }
  }
  for (const std::string& path : to_delete) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> external_store, FileStore::Open(path));
    ARROW_RETURN_NOT_OK(external_store->DeleteFile(path));
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
