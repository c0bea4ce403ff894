#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/meta/snapshot.h"

namespace bactrian {

/// How far a reader that follows the table has come.
struct Consumer {
  std::string id;
  int64_t next_snapshot = 0;
};

/// Consumer files of one branch (format reference: snapshot.md §5). Thread-safe, stateless.
class ConsumerStore {
 public:
  ConsumerStore(std::shared_ptr<FileStore> store, TablePaths paths) : store_(std::move(store)), paths_(std::move(paths)) {}

  arrow::Result<std::vector<Consumer>> List() const;  ///< by file name
  arrow::Result<std::optional<Consumer>> Load(std::string_view id) const;
  /// Creates or replaces. kInvalid for an id that is no file name.
  arrow::Status Put(const Consumer& consumer) const;

 private:
  arrow::Result<std::string> PathOf(std::string_view id) const;

  std::shared_ptr<FileStore> store_;
  TablePaths paths_;
};

}  // namespace bactrian
