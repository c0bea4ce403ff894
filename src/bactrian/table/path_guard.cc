#include "bactrian/table/path_guard.h"

#include <algorithm>
#include <optional>

#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

/// One spelling for each path: local ones without scheme, no slash at the end. nullopt for what is no absolute path, or
/// could climb out of a folder.
std::optional<std::string> Normalise(std::string_view path) {
  std::string root;
  if (path.starts_with("file:")) {
    path.remove_prefix(5);
    if (path.starts_with("//localhost/")) path.remove_prefix(11);
  }
  if (const size_t scheme = path.find("://"); scheme != std::string_view::npos && scheme > 0) {
    const size_t authority = scheme + 3;
    const size_t slash = std::min(path.find('/', authority), path.size());
    root = path.substr(0, slash);
    path.remove_prefix(slash);
  } else if (!path.starts_with('/')) {
    return std::nullopt;
  }
  while (!path.empty()) {
    const size_t begin = path.find_first_not_of('/');
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "." || segment == "..") return std::nullopt;
    root.append("/").append(segment);
    path.remove_prefix(end);
  }
  return root;
}

}  // namespace

std::vector<std::string> ExternalPathsOf(const TableSchema& schema) {
  std::vector<std::string> paths;
  const std::string text = CoreOptions(schema.options).GetString("data-file.external-paths", "");
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string path = text.substr(begin, end - begin);
    path.erase(0, std::min(path.find_first_not_of(" \t"), path.size()));
    path.erase(path.find_last_not_of(" \t") + 1);
    if (!path.empty()) paths.push_back(std::move(path));
    begin = end + 1;
  }
  return paths;
}

arrow::Result<PathGuard> PathGuard::Make(const TableContext& context, const SessionOptions& session) {
  PathGuard guard;
  auto allow = [&](std::string_view path) {
    // The root itself allows nothing: an empty text is a prefix of everything.
    if (auto root = Normalise(path); root && !root->empty()) guard.roots_.push_back(*std::move(root));
  };
  allow(context.paths.root);
  for (const std::string& path : session.allowed_paths) allow(path);
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, context.schemas->ListIds());
  for (int64_t id : ids) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, context.schemas->Load(id));
    for (const std::string& path : ExternalPathsOf(*schema)) allow(path);
  }
  return guard;
}

arrow::Status PathGuard::Check(std::string_view path, std::string_view named_by) const {
  const std::optional<std::string> normal = Normalise(path);
  auto holds = [&](const std::string& root) {
    return normal->starts_with(root) && normal->substr(root.size()).starts_with('/');
  };
  if (normal && std::any_of(roots_.begin(), roots_.end(), holds)) return arrow::Status::OK();
  return Corrupt(named_by, " names ", path,
                 ", which lies neither under the table's folder nor under an external path that a "
                 "schema of the table declares; allow it with SessionOptions::allowed_paths");
}

}  // namespace bactrian
