#include "bactrian/meta/schema_store.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

namespace bactrian {
namespace {

constexpr std::string_view kPrefix = "schema-";

std::optional<int64_t> ParseSchemaId(std::string_view name) {
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int64_t id = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error != std::errc() || end != name.data() + name.size() || id < 0) return std::nullopt;
  return id;
}

}  // namespace

struct SchemaStore::State {
  std::shared_ptr<FileStore> store;
  TablePaths paths;
  std::mutex mutex;
  std::map<int64_t, std::shared_ptr<const TableSchema>> schemas;  // guarded by mutex
};

SchemaStore::SchemaStore(std::shared_ptr<FileStore> store, TablePaths paths) : state_(std::make_unique<State>()) {
  state_->store = std::move(store);
  state_->paths = std::move(paths);
}

SchemaStore::~SchemaStore() = default;

arrow::Result<std::vector<int64_t>> SchemaStore::ListIds() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> files, state_->store->List(state_->paths.SchemaDirectory()));
  std::vector<int64_t> ids;
  for (const FileStatus& file : files) {
    std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    if (file.is_directory) continue;
    if (auto id = ParseSchemaId(name)) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

arrow::Result<std::shared_ptr<const TableSchema>> SchemaStore::Latest() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  if (ids.empty()) return NotFound("there is no table at ", state_->paths.MetaRoot(), " (no schema file)");
  return Load(ids.back());
}

arrow::Result<std::shared_ptr<const TableSchema>> SchemaStore::Load(int64_t id) const {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (auto it = state_->schemas.find(id); it != state_->schemas.end()) return it->second;
  }
  const std::string path = state_->paths.SchemaFile(id);
  ARROW_ASSIGN_OR_RAISE(std::string text, state_->store->ReadAll(path));
  auto parsed = TableSchema::FromJson(text);
  if (!parsed.ok()) return parsed.status().WithMessage(path, ": ", parsed.status().message());
  auto schema = std::make_shared<const TableSchema>(*std::move(parsed));
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->schemas.emplace(id, std::move(schema)).first->second;
}

arrow::Status SchemaStore::Publish(const TableSchema& schema) const {
  return state_->store->PutIfAbsent(state_->paths.SchemaFile(schema.id), schema.ToJson());
}

}  // namespace bactrian
