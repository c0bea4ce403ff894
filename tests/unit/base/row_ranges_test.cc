#include "bactrian/base/row_ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bactrian {
namespace {

RowRanges Of(std::vector<RowRange> ranges) {
  RowRanges result;
  for (RowRange range : ranges) result.Append(range);
  return result;
}

/// The same set as one flag a row.
std::vector<bool> Flags(const RowRanges& ranges, int64_t num_rows) {
  std::vector<bool> flags(static_cast<size_t>(num_rows));
  for (RowRange range : ranges.ranges()) {
    for (int64_t i = range.begin; i < range.end && i < num_rows; ++i) flags[static_cast<size_t>(i)] = true;
  }
  return flags;
}

TEST(RowRanges, JoinsAdjacentRangesAndIgnoresEmptyOnes) {
  EXPECT_EQ(Of({{0, 2}, {2, 2}, {2, 4}, {6, 7}}).ranges(), (std::vector<RowRange>{{0, 4}, {6, 7}}));
  EXPECT_TRUE(RowRanges::All(0).empty());
}

TEST(RowRanges, SetOperationsAgreeWithFlagsPerRow) {
  std::mt19937 random(7);
  constexpr int64_t kRows = 60;
  for (int round = 0; round < 500; ++round) {
    RowRanges sets[2];
    for (RowRanges& set : sets) {
      for (int64_t at = random() % 8; at < kRows + 10;) {
        const int64_t end = at + 1 + random() % 6;
        set.Append({at, end});
        at = end + random() % 9;
      }
    }
    const auto a = Flags(sets[0], kRows), b = Flags(sets[1], kRows);
    const auto both = Flags(sets[0].Intersect(sets[1]), kRows), any = Flags(sets[0].Union(sets[1]), kRows);
    const auto none = Flags(sets[0].Complement(kRows), kRows);
    for (size_t i = 0; i < kRows; ++i) {
      ASSERT_EQ(both[i], a[i] && b[i]);
      ASSERT_EQ(any[i], a[i] || b[i]);
      ASSERT_EQ(none[i], !a[i]);
    }
    const RowRanges complement = sets[0].Complement(kRows);
    ASSERT_TRUE(complement.empty() || complement.ranges().back().end <= kRows);
    ASSERT_EQ(complement.Complement(kRows), sets[0].Intersect(RowRanges::All(kRows)));
  }
}

}  // namespace
}  // namespace bactrian
