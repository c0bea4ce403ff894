#include "bactrian/table/plan/data_split.h"

#include <set>

namespace bactrian {

int64_t DataSplit::row_count() const {
  int64_t rows = 0;
  std::set<int64_t> counted;  // first row ids
  for (const SplitFile& file : files) {
    if (evolves && file.meta->first_row_id && !counted.insert(*file.meta->first_row_id).second) continue;
    rows += file.meta->row_count;
  }
  if (before) {
    for (const SplitFile& file : *before) rows += file.meta->row_count;
  }
  return rows;
}

int64_t DataSplit::bytes() const {
  int64_t bytes = 0;
  for (const SplitFile& file : files) bytes += file.meta->file_size;
  return bytes;
}

std::optional<int64_t> DataSplit::exact_row_count() const {
  if (!raw && !evolves) return std::nullopt;
  int64_t rows = row_count();
  for (const SplitFile& file : files) {
    if (!file.deletion) continue;
    if (!file.deletion->range.cardinality) return std::nullopt;
    rows -= *file.deletion->range.cardinality;
  }
  return rows;
}

}  // namespace bactrian
