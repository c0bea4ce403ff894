#include "bactrian/table/plan/row_groups.h"

#include <algorithm>

namespace bactrian {

arrow::Result<std::vector<std::vector<SplitFile>>> GroupByRows(std::span<const SplitFile> files) {
  std::vector<const SplitFile*> ordered;
  for (const SplitFile& file : files) ordered.push_back(&file);
  std::stable_sort(ordered.begin(), ordered.end(), [](const SplitFile* a, const SplitFile* b) {
    return a->meta->first_row_id.value_or(INT64_MAX) < b->meta->first_row_id.value_or(INT64_MAX);
  });
  std::vector<std::vector<SplitFile>> groups;
  int64_t end = 0;  // of the last group's rows
  for (const SplitFile* file : ordered) {
    const std::optional<int64_t> first = file->meta->first_row_id;
    if (groups.empty() || !first || !groups.back().front().meta->first_row_id || *first >= end) {
      groups.push_back({*file});
      end = first ? *first + file->meta->row_count : end;
      continue;
    }
    const DataFileMeta& head = *groups.back().front().meta;
    if (*first != *head.first_row_id || file->meta->row_count != head.row_count) {
      return Unsupported("data file ", file->path, " holds columns of some of another file's rows, which cannot be read yet");
    }
    groups.back().push_back(*file);
  }
  return groups;
}

}  // namespace bactrian
