#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bactrian/meta/manifest.h"

namespace bactrian {

/// "All"-mode statistics over the partitions of a manifest's entries (format reference: manifest.md §2, §6): a null count
/// counts entries. Each distinct partition is decoded once.
class PartitionStatsCollector {
 public:
  explicit PartitionStatsCollector(std::vector<TypePtr> types) : types_(std::move(types)) {}
  void Add(std::string_view partition);
  arrow::Result<SimpleStats> Finish() const;

 private:
  std::vector<TypePtr> types_;
  std::unordered_map<std::string, int64_t> entries_;  // serialised partition: number of entries
};

}  // namespace bactrian
