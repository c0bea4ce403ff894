#include "bactrian/io/memory_store.h"

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "bactrian/io/ranged_input.h"

namespace bactrian {

/// Nodes by key ("/a/b"); every parent of a node is there as a directory.
struct MemoryStore::Volume {
  struct Node {
    std::shared_ptr<const std::string> bytes;  ///< null: a directory
    int64_t modified_millis = 0;
  };
  std::mutex mutex;
  std::map<std::string, Node> nodes;

  static int64_t Now() {
    using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }

  /// Makes `key` and its parents directories; an error if one of them is a file.
  arrow::Status MakeDirectories(const std::string& key) {
    for (size_t slash = key.find('/', 1);; slash = key.find('/', slash + 1)) {
      const std::string parent = key.substr(0, slash);
      if (!parent.empty()) {
        auto [node, inserted] = nodes.try_emplace(parent, Node{nullptr, Now()});
        if (!inserted && node->second.bytes != nullptr) return AlreadyExists(parent, " is a file");
      }
      if (slash == std::string::npos) return arrow::Status::OK();
    }
  }
};

namespace {

FileStatus MakeFileStatus(std::string path, const MemoryStore::Volume::Node& node) {
  FileStatus status;
  status.path = std::move(path);
  status.is_directory = node.bytes == nullptr;
  status.size = status.is_directory ? 0 : static_cast<int64_t>(node.bytes->size());
  status.modified_millis = node.modified_millis;
  return status;
}

}  // namespace

class MemoryInput : public RangedInput {
 public:
  MemoryInput(std::shared_ptr<MemoryStore> store, std::string path, std::shared_ptr<const std::string> bytes, int64_t length)
      : RangedInput(std::move(path), length, static_cast<int64_t>(bytes->size())),
        store_(std::move(store)),
        bytes_(std::move(bytes)) {}

 protected:
  arrow::Status ReadRange(int64_t position, int64_t nbytes, uint8_t* out) override {
    ++store_->counters_.read_requests;
    std::memcpy(out, bytes_->data() + position, static_cast<size_t>(nbytes));
    store_->counters_.bytes_read += nbytes;
    return arrow::Status::OK();
  }

 private:
  const std::shared_ptr<MemoryStore> store_;
  const std::shared_ptr<const std::string> bytes_;
};

class MemoryOutput : public arrow::io::OutputStream {
 public:
  MemoryOutput(std::shared_ptr<MemoryStore> store, std::string path) : store_(std::move(store)), path_(std::move(path)) {}
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return static_cast<int64_t>(bytes_.size()); }
  arrow::Status Write(const void* data, int64_t nbytes) override {
    if (closed_) return Invalid("write to the closed file ", path_);
    bytes_.append(static_cast<const char*>(data), static_cast<size_t>(nbytes));
    return arrow::Status::OK();
  }
  arrow::Status Close() override {
    if (std::exchange(closed_, true)) return arrow::Status::OK();
    return store_->Put(path_, std::move(bytes_), /*replace=*/false);
  }
  arrow::Status Abort() override {
    closed_ = true;
    return arrow::Status::OK();
  }

 private:
  const std::shared_ptr<MemoryStore> store_;
  const std::string path_;
  std::string bytes_;
  bool closed_ = false;
};

arrow::Result<std::shared_ptr<FileStore>> MemoryStore::Open(std::string_view uri) {
  constexpr std::string_view kPrefix = "memory://";
  if (!uri.starts_with(kPrefix)) return Invalid("not a memory URI (memory://name/path): ", uri);
  const std::string name(uri.substr(kPrefix.size(), uri.find('/', kPrefix.size()) - kPrefix.size()));
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Volume>> volumes;
  std::lock_guard lock(mutex);
  std::shared_ptr<Volume>& volume = volumes[name];
  if (volume == nullptr) volume = std::make_shared<Volume>();
  return std::make_shared<MemoryStore>(std::string(kPrefix) + name, volume);
}

arrow::Result<std::string> MemoryStore::KeyOf(std::string_view path) const {
  std::string_view key = path;
  if (!key.starts_with(root_)) return Invalid("the file store of ", root_, " cannot open ", path);
  key.remove_prefix(root_.size());
  if (!key.empty() && key.front() != '/') return Invalid("the file store of ", root_, " cannot open ", path);
  while (!key.empty() && key.back() == '/') key.remove_suffix(1);
  return std::string(key);
}

arrow::Status MemoryStore::Put(const std::string& path, std::string bytes, bool replace) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(path));
  if (key.empty()) return Invalid("not a file: ", path);
  ++counters_.writes;
  counters_.bytes_written += static_cast<int64_t>(bytes.size());
  std::lock_guard lock(volume_->mutex);
  auto found = volume_->nodes.find(key);
  if (found != volume_->nodes.end() && (!replace || found->second.bytes == nullptr)) return AlreadyExists(path, " exists");
  ARROW_RETURN_NOT_OK(volume_->MakeDirectories(key.substr(0, key.rfind('/'))));
  volume_->nodes[key] = {std::make_shared<const std::string>(std::move(bytes)), Volume::Now()};
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> MemoryStore::OpenInput(const std::string& path,
                                                                                   std::optional<int64_t> length) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(path));
  ++counters_.opens;
  std::lock_guard lock(volume_->mutex);
  auto found = volume_->nodes.find(key);
  if (found == volume_->nodes.end()) return NotFound("no file ", path);
  const auto& bytes = found->second.bytes;
  if (bytes == nullptr) return Invalid(path, " is a directory");
  return std::make_shared<MemoryInput>(shared_from_this(), path, bytes, length.value_or(static_cast<int64_t>(bytes->size())));
}

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> MemoryStore::OpenOutput(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(path));
  ++counters_.opens;
  std::lock_guard lock(volume_->mutex);
  if (volume_->nodes.contains(key)) return AlreadyExists(path, " exists");
  return std::make_shared<MemoryOutput>(shared_from_this(), path);
}

arrow::Status MemoryStore::PutIfAbsent(const std::string& path, std::string_view bytes) {
  return Put(path, std::string(bytes), /*replace=*/false);
}

arrow::Status MemoryStore::Overwrite(const std::string& path, std::string_view bytes) {
  return Put(path, std::string(bytes), /*replace=*/true);
}

arrow::Result<std::vector<FileStatus>> MemoryStore::List(const std::string& directory, bool recursive) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(directory));
  ++counters_.lists;
  const std::string prefix = key + "/";
  std::vector<FileStatus> entries;
  std::lock_guard lock(volume_->mutex);
  for (auto node = volume_->nodes.lower_bound(prefix); node != volume_->nodes.end() && node->first.starts_with(prefix);
       ++node) {
    const std::string_view name = std::string_view(node->first).substr(prefix.size());
    if (recursive || name.find('/') == std::string_view::npos) {
      entries.push_back(MakeFileStatus(JoinPath(directory, name), node->second));
    }
  }
  return entries;
}

arrow::Result<std::optional<FileStatus>> MemoryStore::Stat(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(path));
  ++counters_.stats;
  std::lock_guard lock(volume_->mutex);
  if (key.empty()) return MakeFileStatus(root_, Volume::Node{});
  auto found = volume_->nodes.find(key);
  if (found == volume_->nodes.end()) return std::nullopt;
  return MakeFileStatus(root_ + key, found->second);
}

arrow::Status MemoryStore::CreateDirectory(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(path));
  ++counters_.writes;
  std::lock_guard lock(volume_->mutex);
  return volume_->MakeDirectories(key);
}

arrow::Status MemoryStore::DeleteFile(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(path));
  ++counters_.deletes;
  std::lock_guard lock(volume_->mutex);
  auto found = volume_->nodes.find(key);
  if (found == volume_->nodes.end()) return arrow::Status::OK();
  if (found->second.bytes == nullptr) return Invalid("cannot delete ", path, ": it is a directory");
  volume_->nodes.erase(found);
  return arrow::Status::OK();
}

arrow::Status MemoryStore::DeleteDirectory(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string key, KeyOf(path));
  ++counters_.deletes;
  std::lock_guard lock(volume_->mutex);
  volume_->nodes.erase(key);
  std::erase_if(volume_->nodes, [prefix = key + "/"](const auto& node) { return node.first.starts_with(prefix); });
  return arrow::Status::OK();
}

arrow::Status MemoryStore::RenameDirectory(const std::string& from, const std::string& to) {
  ARROW_ASSIGN_OR_RAISE(std::string from_key, KeyOf(from));
  ARROW_ASSIGN_OR_RAISE(std::string to_key, KeyOf(to));
  ++counters_.writes;
  std::lock_guard lock(volume_->mutex);
  auto& nodes = volume_->nodes;
  if (!nodes.contains(from_key)) return NotFound("no directory ", from);
  if (nodes.contains(to_key)) return AlreadyExists(to, " exists");
  if (to_key.starts_with(from_key + "/")) return Invalid("cannot move ", from, " into itself");
  std::map<std::string, Volume::Node> moved;
  for (auto node = nodes.begin(); node != nodes.end();) {
    if (node->first == from_key || node->first.starts_with(from_key + "/")) {
      moved.emplace(to_key + node->first.substr(from_key.size()), std::move(node->second));
      node = nodes.erase(node);
    } else {
      ++node;
    }
  }
  nodes.merge(moved);
  return arrow::Status::OK();
}

}  // namespace bactrian
