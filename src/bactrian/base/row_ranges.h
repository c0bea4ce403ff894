#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bactrian {

/// Row positions [begin, end) of a file.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const RowRange&) const = default;
};

/// A set of row positions as ascending, disjoint, non-adjacent, non-empty ranges. A value type.
class RowRanges {
 public:
  RowRanges() = default;
  static RowRanges All(int64_t num_rows) { return num_rows > 0 ? RowRanges({{0, num_rows}}) : RowRanges(); }

  /// Appends a range that begins at or after the end of the last one; joins it when adjacent, ignores it when empty.
  void Append(RowRange range) {
    if (range.begin >= range.end) return;
    if (!ranges_.empty() && ranges_.back().end >= range.begin) {
      if (range.end > ranges_.back().end) ranges_.back().end = range.end;
    } else {
      ranges_.push_back(range);
    }
  }

  const std::vector<RowRange>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  int64_t num_rows() const {
    int64_t total = 0;
    for (const RowRange& r : ranges_) total += r.end - r.begin;
    return total;
  }
  RowRanges Intersect(const RowRanges& other) const;
  RowRanges Union(const RowRanges& other) const;
  /// The rows of [0, num_rows) that are not in this set.
  RowRanges Complement(int64_t num_rows) const;
  bool operator==(const RowRanges&) const = default;

 private:
  explicit RowRanges(std::vector<RowRange> ranges) : ranges_(std::move(ranges)) {}
  std::vector<RowRange> ranges_;
};

}  // namespace bactrian
