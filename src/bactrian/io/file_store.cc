#include "bactrian/io/file_store.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <map>
#include <mutex>
#include <utility>

#include "bactrian/io/local_store.h"
#include "bactrian/io/memory_store.h"

namespace bactrian {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, FileStore::Opener, std::less<>> openers;
};

Registry& GlobalRegistry() {
  static Registry registry;
  return registry;
}

}  // namespace

std::string SchemeOf(std::string_view uri) {
  const size_t colon = uri.find(':');
  if (colon == std::string_view::npos || colon < 2 || uri.find('/') < colon) return "";
  std::string scheme;
  for (char c : uri.substr(0, colon)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool valid =
        (c >= 'a' && c <= 'z') || (!scheme.empty() && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'));
    if (!valid) return "";
    scheme += c;
  }
  return scheme;
}

std::string JoinPath(std::string_view parent, std::string_view child) {
  while (!parent.empty() && parent.back() == '/') parent.remove_suffix(1);
  while (!child.empty() && child.front() == '/') child.remove_prefix(1);
  std::string joined(parent);
  joined += '/';
  joined += child;
  return joined;
}

arrow::Result<std::shared_ptr<FileStore>> FileStore::Open(std::string_view uri) {
  const std::string scheme = SchemeOf(uri);
  if (scheme.empty() || scheme == "file") return std::make_shared<LocalStore>();
  if (scheme == "memory") return MemoryStore::Open(uri);
  Opener opener;
  {
    Registry& registry = GlobalRegistry();
    std::lock_guard lock(registry.mutex);
    auto found = registry.openers.find(scheme);
    if (found != registry.openers.end()) opener = found->second;
  }
  if (opener == nullptr) return Unsupported("no file store for the scheme '", scheme, "' of ", uri);
  return opener(uri);
}

void FileStore::Register(std::string scheme, Opener opener) {
  Registry& registry = GlobalRegistry();
  std::lock_guard lock(registry.mutex);
  registry.openers[std::move(scheme)] = std::move(opener);
}

arrow::Result<std::string> FileStore::ReadAll(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, OpenInput(path));
  ARROW_ASSIGN_OR_RAISE(int64_t size, file->GetSize());
  std::string bytes(static_cast<size_t>(size), '\0');
  ARROW_ASSIGN_OR_RAISE(int64_t read, file->ReadAt(0, size, bytes.data()));
  bytes.resize(static_cast<size_t>(read));
  return bytes;
}

arrow::Result<bool> FileStore::Exists(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto status, Stat(path));
  return status.has_value();
}

}  // namespace bactrian
