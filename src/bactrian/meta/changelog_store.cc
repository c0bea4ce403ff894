#include "bactrian/meta/changelog_store.h"

#include <algorithm>
#include <charconv>

namespace bactrian {

namespace {
constexpr std::string_view kPrefix = "changelog-";
}

arrow::Result<std::vector<int64_t>> ChangelogStore::ListIds() const {
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileStatus> files, store_->List(paths_.ChangelogDirectory()));
  std::vector<int64_t> ids;
  for (const FileStatus& file : files) {
    std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    if (file.is_directory || !name.starts_with(kPrefix)) continue;
    name.remove_prefix(kPrefix.size());
    int64_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (error == std::errc() && end == name.data() + name.size() && id > 0) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string ChangelogStore::PathOf(int64_t id) const {
  return JoinPath(paths_.ChangelogDirectory(), std::string(kPrefix) + std::to_string(id));
}

arrow::Status ChangelogStore::Delete(int64_t id) const { return store_->DeleteFile(PathOf(id)); }

arrow::Result<std::optional<Snapshot>> ChangelogStore::Load(int64_t id) const {
  const std::string path = PathOf(id);
  auto text = store_->ReadAll(path);
  if (!text.ok() && KindOf(text.status()) == ErrorKind::kNotFound) return std::nullopt;
  ARROW_RETURN_NOT_OK(text.status());
  auto changelog = Snapshot::FromJson(*text);
  if (!changelog.ok()) return changelog.status().WithMessage(path, ": ", changelog.status().message());
  if (changelog->id != id) return Corrupt(path, ": holds changelog ", changelog->id);
  return *std::move(changelog);
}

}  // namespace bactrian
