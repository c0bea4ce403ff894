#include "bactrian/session.h"

#include <arrow/compute/initialize.h>
#include <arrow/memory_pool.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "bactrian/catalog/file_system_catalog.h"
#include "bactrian/format/file_format.h"
#include "bactrian/io/file_store.h"
#include "bactrian/table/file_store_table.h"
#include "bactrian/table/session_state.h"

namespace bactrian {
namespace {

int NumThreads(int asked) { return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

/// What users type: a path relative to the working directory becomes an absolute one, as stores want them. URIs stay.
std::string AbsolutePath(const std::string& path) {
  if (path.empty() || path[0] == '/' || !SchemeOf(path).empty()) return path;
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// The database that a bare path lies in: its parent's name without ".db" (layout.md §1).
Identifier IdentifierOfPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  std::string parent = path.substr(0, slash);
  parent.erase(0, parent.rfind('/') + 1);
  if (parent.ends_with(".db")) parent.resize(parent.size() - 3);
  return {std::move(parent), path.substr(slash + 1)};
}

/// Of the budget of the cache: for objects in the making, and those that are in use after they had to leave.
constexpr int64_t kPartInUse = 16;

}  // namespace

Session::State::State(SessionOptions session_options)
    : options(std::move(session_options)),
      pool(options.memory_pool ? options.memory_pool : arrow::default_memory_pool()),
      cache(options.cache_bytes - options.cache_bytes / kPartInUse),
      tasks(NumThreads(options.num_threads)) {
  if (options.memory_limit_bytes > 0) {
    counting_pool = std::make_unique<arrow::ProxyMemoryPool>(pool);
    capped_pool = std::make_unique<arrow::CappedMemoryPool>(counting_pool.get(), options.memory_limit_bytes);
    pool = capped_pool.get();
  }
}

Session::Session(SessionOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Session::~Session() = default;

arrow::Result<std::shared_ptr<Session>> Session::Make(SessionOptions options) {
  if (options.cache_bytes < 0 || options.memory_limit_bytes < 0 || options.num_threads < 0) {
    return Invalid("session options must not be negative");
  }
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  RegisterAllFormats();
  return std::shared_ptr<Session>(new Session(std::move(options)));
}

arrow::Result<std::shared_ptr<Catalog>> Session::OpenCatalog(CatalogOptions options) {
  options.warehouse = AbsolutePath(options.warehouse);
  return FileSystemCatalog::Open(shared_from_this(), std::move(options));
}

arrow::Result<std::shared_ptr<Table>> Session::OpenTable(const std::string& path, const Options& dynamic_options) {
  std::string plain = AbsolutePath(path);
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  return FileStoreTable::Open(shared_from_this(), IdentifierOfPath(plain), plain, dynamic_options);
}

const SessionOptions& Session::options() const { return state_->options; }
arrow::MemoryPool* Session::memory_pool() const { return state_->pool; }

}  // namespace bactrian
