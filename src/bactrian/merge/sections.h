#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bactrian/value.h"

namespace bactrian {

/// The key range of one file. `file` is the caller's index.
struct KeyRange {
  std::vector<Value> min, max;  ///< the trimmed primary key's values
  int64_t file = 0;
};

/// Files with ascending, disjoint key ranges, in that order.
using RunOfFiles = std::vector<KeyRange>;
/// Runs whose key ranges overlap each other; no key of a section occurs in another one.
using Section = std::vector<RunOfFiles>;

/// Orders keys as files are sorted (merge.md §1): field by field, nulls first.
int CompareKeys(std::span<const Value> a, std::span<const Value> b);

/// Splits files into sections in key order, each with the fewest runs (merge.md §4, IntervalPartition).
std::vector<Section> PartitionIntoSections(std::vector<KeyRange> files);

}  // namespace bactrian
