#include "bactrian/base/row_ranges.h"

#include <algorithm>

namespace bactrian {

RowRanges RowRanges::Intersect(const RowRanges& other) const {
  RowRanges result;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    result.Append({std::max(a->begin, b->begin), std::min(a->end, b->end)});
    if (a->end < b->end) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

RowRanges RowRanges::Union(const RowRanges& other) const {
  RowRanges result;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() || b != other.ranges_.end()) {
    const bool take_a = b == other.ranges_.end() || (a != ranges_.end() && a->begin < b->begin);
    result.Append(take_a ? *a++ : *b++);
  }
  return result;
}

RowRanges RowRanges::Complement(int64_t num_rows) const {
  RowRanges result;
  int64_t next = 0;
  for (const RowRange& range : ranges_) {
    result.Append({next, std::min(range.begin, num_rows)});
    next = range.end;
  }
  result.Append({next, num_rows});
  return result;
}

}  // namespace bactrian
