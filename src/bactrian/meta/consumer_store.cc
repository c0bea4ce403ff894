#include "bactrian/meta/consumer_store.h"

#include <algorithm>

#include "bactrian/base/json.h"

namespace bactrian {

namespace {
constexpr std::string_view kPrefix = "consumer-";
}

arrow::Result<std::string> ConsumerStore::PathOf(std::string_view id) const {
  const std::string name = std::string(kPrefix) + std::string(id);
  if (id.empty() || !ValidateFileName(name, "consumer-id").ok())
    return Invalid("option consumer-id: '", id, "' is no file name");
  return JoinPath(paths_.ConsumerDirectory(), name);
}

arrow::Result<std::vector<Consumer>> ConsumerStore::List() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> files, store_->List(paths_.ConsumerDirectory()));
  std::sort(files.begin(), files.end(), [](const FileStatus& a, const FileStatus& b) { return a.path < b.path; });
  std::vector<Consumer> consumers;
  for (const FileStatus& file : files) {
    const std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    if (file.is_directory || !name.starts_with(kPrefix) || name == kPrefix) continue;
    ARROW_ASSIGN_OR_RAISE(std::optional<Consumer> consumer, Load(name.substr(kPrefix.size())));
    if (consumer) consumers.push_back(*std::move(consumer));  // else it expired while we read
  }
  return consumers;
}

arrow::Result<std::optional<Consumer>> ConsumerStore::Load(std::string_view id) const {
  ARROW_ASSIGN_OR_RAISE(const std::string path, PathOf(id));
  auto text = store_->ReadAll(path);
  if (!text.ok() && KindOf(text.status()) == ErrorKind::kNotFound) return std::nullopt;
  ARROW_RETURN_NOT_OK(text.status());
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json document, ParseJson(*text, path));
  ARROW_ASSIGN_OR_RAISE(const int64_t next, RequireJsonInteger(document, "nextSnapshot", path));
  return Consumer{std::string(id), next};
}

arrow::Status ConsumerStore::Put(const Consumer& consumer) const {
  ARROW_ASSIGN_OR_RAISE(const std::string path, PathOf(consumer.id));
  return store_->Overwrite(path, PrettyJson(nlohmann::ordered_json{{"nextSnapshot", consumer.next_snapshot}}));
}

}  // namespace bactrian
