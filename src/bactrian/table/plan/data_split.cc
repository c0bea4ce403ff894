#include "bactrian/table/plan/data_split.h"

namespace bactrian {

int64_t DataSplit::row_count() const {
  int64_t rows = 0;
  for (const SplitFile& file : files) rows += file.meta->row_count;
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
  if (!raw) return std::nullopt;
  int64_t rows = 0;
  for (const SplitFile& file : files) {
    rows += file.meta->row_count;
    if (!file.deletion) continue;
    if (!file.deletion->range.cardinality) return std::nullopt;
    rows -= *file.deletion->range.cardinality;
  }
  return rows;
}

}  // namespace bactrian
