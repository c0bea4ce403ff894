#include "bactrian/merge/sections.h"

#include <algorithm>
#include <queue>

namespace bactrian {
namespace {

/// Spreads files (ascending by min key) over the fewest runs: each goes to the run that ended first, if it ended before the
/// file.
Section DistributeToRuns(std::span<KeyRange> files) {
  Section runs;
  const auto ends_later = [&runs](size_t a, size_t b) { return CompareKeys(runs[a].back().max, runs[b].back().max) > 0; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(ends_later)> by_end(ends_later);
  for (KeyRange& file : files) {
    if (!by_end.empty() && CompareKeys(file.min, runs[by_end.top()].back().max) > 0) {
      const size_t run = by_end.top();
      by_end.pop();
      runs[run].push_back(std::move(file));
      by_end.push(run);
    } else {
      runs.push_back({std::move(file)});
      by_end.push(runs.size() - 1);
    }
  }
  return runs;
}

}  // namespace

int CompareKeys(std::span<const Value> a, std::span<const Value> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const bool a_null = IsNull(a[i]), b_null = IsNull(b[i]);
    if (a_null || b_null) {
      if (a_null != b_null) return a_null ? -1 : 1;
      continue;
    }
    const auto order = CompareValues(a[i], b[i]);
    if (order != 0) return order < 0 ? -1 : 1;
  }
  return 0;
}

std::vector<Section> PartitionIntoSections(std::vector<KeyRange> files) {
  std::sort(files.begin(), files.end(), [](const KeyRange& a, const KeyRange& b) {
    const int by_min = CompareKeys(a.min, b.min);
    return by_min != 0 ? by_min < 0 : CompareKeys(a.max, b.max) < 0;
  });
  std::vector<Section> sections;
  for (size_t begin = 0; begin < files.size();) {
    size_t end = begin + 1, widest = begin;
    while (end < files.size() && CompareKeys(files[end].min, files[widest].max) <= 0) {
      if (CompareKeys(files[end].max, files[widest].max) > 0) widest = end;
      ++end;
    }
    sections.push_back(DistributeToRuns({files.begin() + static_cast<std::ptrdiff_t>(begin), end - begin}));
    begin = end;
  }
  return sections;
}

}  // namespace bactrian
