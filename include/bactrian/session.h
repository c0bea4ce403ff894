/// A Session owns what calls share: options, the memory budget, the cache of parsed metadata and the task pool.
///
///   ARROW_ASSIGN_OR_RAISE(auto session, bactrian::Session::Make({}));
///   ARROW_ASSIGN_OR_RAISE(auto catalog, session->OpenCatalog({.warehouse = "/data/lake"}));
///   ARROW_ASSIGN_OR_RAISE(auto table, catalog->GetTable({"db", "events"}));
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bactrian/schema.h"

namespace bactrian {

class Catalog;
class Table;

struct SessionOptions {
  int num_threads = 0;                       ///< of the task pool; 0: one a core
  int64_t cache_bytes = 256 << 20;           ///< parsed metadata and footers
  int64_t memory_limit_bytes = 0;            ///< for library readers and writers; 0: no limit
  arrow::MemoryPool* memory_pool = nullptr;  ///< nullptr: Arrow's default pool
  /// Roots (paths or URIs) outside of a table's folder and its declared external paths from which files may be read.
  std::vector<std::string> allowed_paths = {};
};

struct CatalogOptions {
  std::string warehouse;
  Options options = {};  ///< `table-default.*` and others, as in the reference
  bool read_only = false;
};

/// Thread-safe. Catalogs and tables keep their session alive.
class BACTRIAN_EXPORT Session : public std::enable_shared_from_this<Session> {
 public:
  static arrow::Result<std::shared_ptr<Session>> Make(SessionOptions options);
  ~Session();

  /// A file-system catalog. The warehouse need not exist yet unless read_only.
  arrow::Result<std::shared_ptr<Catalog>> OpenCatalog(CatalogOptions options);
  /// A table by its directory, without a catalog.
  arrow::Result<std::shared_ptr<Table>> OpenTable(const std::string& path, const Options& dynamic_options = {});

  const SessionOptions& options() const;
  arrow::MemoryPool* memory_pool() const;

  struct State;
  State& state() { return *state_; }  ///< for the library itself

 private:
  explicit Session(SessionOptions options);
  std::unique_ptr<State> state_;
};

}  // namespace bactrian
