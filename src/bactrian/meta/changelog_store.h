#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bactrian/meta/snapshot.h"

namespace bactrian {

/// Long-lived changelogs of one branch: the documents of snapshots that have expired, kept for those who follow the table
/// (format reference: snapshot.md §4). Thread-safe, stateless.
class ChangelogStore {
 public:
  ChangelogStore(std::shared_ptr<FileStore> store, TablePaths paths) : store_(std::move(store)), paths_(std::move(paths)) {}

  arrow::Result<std::vector<int64_t>> ListIds() const;  ///< ascending
  arrow::Result<std::optional<Snapshot>> Load(int64_t id) const;
  arrow::Status Delete(int64_t id) const;  ///< its document alone

 private:
  std::string PathOf(int64_t id) const;

  std::shared_ptr<FileStore> store_;
  TablePaths paths_;
};

}  // namespace bactrian
