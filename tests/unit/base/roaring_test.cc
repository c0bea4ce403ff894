#include "bactrian/base/roaring.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

namespace bactrian {
namespace {

void PutUint16(std::string* bytes, size_t at, uint16_t value) { std::memcpy(bytes->data() + at, &value, sizeof(value)); }

RoaringBitmap ArrayBitmap() {
  RoaringBitmap bitmap;
  for (uint64_t value : {1, 5, 9, 70000, 70007}) bitmap.Add(value);
  return bitmap;
}

std::string BitsetBytes() {
  RoaringBitmap bitmap;
  for (uint64_t value = 0; value < 60000; value += 3) bitmap.Add(value);
  return bitmap.ToRb32().ValueOrDie();
}

TEST(Roaring, SerialisesArraysBytesAsTheFormatSays) {
  RoaringBitmap bitmap;
  for (uint64_t value : {3, 70000}) bitmap.Add(value);
  // cookie 12346, two containers, (key, cardinality - 1) each, offsets 24 and 26, the low 16 bits
  const std::string expected("\x3a\x30\0\0\2\0\0\0\0\0\0\0\1\0\0\0\x18\0\0\0\x1a\0\0\0\3\0\x70\x11", 28);
  EXPECT_EQ(bitmap.ToRb32().ValueOrDie(), expected);
}

TEST(Roaring, SerialisesRangesAsRuns) {
  RoaringBitmap bitmap;
  bitmap.AddRange(10, 5000);
  // cookie 12347 with one container, run flag, (key, cardinality - 1), one run (start, length - 1), no offsets
  const std::string expected("\x3b\x30\0\0\1\0\0\x7d\x13\1\0\x0a\0\x7d\x13", 15);
  EXPECT_EQ(bitmap.ToRb32().ValueOrDie(), expected);
}

TEST(Roaring, RoundTripsEveryKindOfContainer) {
  std::mt19937_64 random(3);
  RoaringBitmap bitmap;
  std::set<uint64_t> values;
  for (int i = 0; i < 3000; ++i) values.insert(random() % 1000000);
  for (int i = 0; i < 20000; ++i) values.insert(1000000 + random() % 65536);
  for (uint64_t value = 2000000; value < 2100000; ++value) values.insert(value);
  for (uint64_t value : values) bitmap.Add(value);
  const std::string bytes = bitmap.ToRb32().ValueOrDie() + "trailing";
  size_t consumed = 0;
  const RoaringBitmap parsed = RoaringBitmap::ParseRb32(bytes, &consumed).ValueOrDie();
  EXPECT_EQ(consumed, bytes.size() - 8);
  EXPECT_EQ(parsed.Cardinality(), values.size());
  for (uint64_t value : values) ASSERT_TRUE(parsed.Contains(value));
  EXPECT_FALSE(parsed.Contains(uint64_t{1} << 40));

  for (uint64_t value : {uint64_t{1} << 33, uint64_t{1} << 62}) bitmap.Add(value);
  EXPECT_EQ(KindOf(bitmap.ToRb32().status()), ErrorKind::kInvalid);
  const RoaringBitmap parsed64 = RoaringBitmap::ParseRb64Portable(bitmap.ToRb64Portable()).ValueOrDie();
  EXPECT_EQ(parsed64.Cardinality(), values.size() + 2);
  EXPECT_TRUE(parsed64.Contains(uint64_t{1} << 62));
}

TEST(Roaring, EmptyOnesRoundTrip) {
  EXPECT_EQ(RoaringBitmap::ParseRb32(RoaringBitmap().ToRb32().ValueOrDie()).ValueOrDie().Cardinality(), 0u);
  EXPECT_EQ(RoaringBitmap::ParseRb64Portable(RoaringBitmap().ToRb64Portable()).ValueOrDie().Cardinality(), 0u);
}

TEST(Roaring, RangesCrossTheBordersOf32Bits) {
  const uint64_t border = uint64_t{1} << 32;
  RoaringBitmap bitmap;
  bitmap.AddRange(border - 2, border + 3);
  bitmap.AddRange(7, 7);
  EXPECT_EQ(bitmap.Cardinality(), 5u);
  const auto begin = static_cast<int64_t>(border) - 2;
  EXPECT_EQ(bitmap.ToRanges(INT64_MAX).ranges(), (std::vector<RowRange>{{begin, begin + 5}}));
  EXPECT_EQ(bitmap.ToRanges(begin + 1).ranges(), (std::vector<RowRange>{{begin, begin + 1}}));
}

TEST(Roaring, UnitesAndIntersects) {
  RoaringBitmap a, b;
  a.AddRange(0, 10);
  a.Add(uint64_t{1} << 40);
  b.AddRange(5, 15);
  a.IntersectWith(b);
  EXPECT_EQ(a.ToRanges(100).ranges(), (std::vector<RowRange>{{5, 10}}));
  EXPECT_FALSE(a.Contains(uint64_t{1} << 40));
  a.UnionWith(b);
  EXPECT_EQ(a.ToRanges(100).ranges(), (std::vector<RowRange>{{5, 15}}));
}

TEST(Roaring, EveryTruncationIsCorrupt) {
  for (const std::string& bytes : {ArrayBitmap().ToRb32().ValueOrDie(), BitsetBytes()}) {
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
      EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32(bytes.substr(0, size)).status()), ErrorKind::kCorrupt) << size;
    }
  }
  const std::string bytes = ArrayBitmap().ToRb64Portable();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(KindOf(RoaringBitmap::ParseRb64Portable(bytes.substr(0, size)).status()), ErrorKind::kCorrupt) << size;
  }
}

TEST(Roaring, ContainersThatContradictTheirDescriptionAreCorrupt) {
  const std::string arrays = ArrayBitmap().ToRb32().ValueOrDie();  // header 8, descriptions 8, offsets 8, values from 24
  std::string forged = arrays;
  PutUint16(&forged, 26, 1);  // values 1, 1, 9
  EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32(forged).status()), ErrorKind::kCorrupt);
  forged = arrays;
  PutUint16(&forged, 12, 0);  // keys 0, 0
  EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32(forged).status()), ErrorKind::kCorrupt);
  forged = arrays;
  PutUint16(&forged, 10, 60000);  // an array turned into a bitset that is not there
  EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32(forged).status()), ErrorKind::kCorrupt);
  forged = arrays;
  PutUint16(&forged, 6, 0xffff);  // four billion containers
  EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32(forged).status()), ErrorKind::kCorrupt);

  forged = BitsetBytes();
  forged[100] = static_cast<char>(forged[100] ^ 1);  // cardinality no longer the number of bits
  EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32(forged).status()), ErrorKind::kCorrupt);

  RoaringBitmap runs;
  runs.AddRange(10, 5000);
  forged = runs.ToRb32().ValueOrDie();
  PutUint16(&forged, 11, 65000);  // a run past the container's end
  EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32(forged).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(RoaringBitmap::ParseRb32("\x01\x02\x03\x04").status()), ErrorKind::kCorrupt);
}

TEST(Roaring, RandomDamageIsReadOrRefusedButNeverTrusted) {
  std::mt19937 random(11);
  const std::string bytes = ArrayBitmap().ToRb32().ValueOrDie();
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    auto parsed = RoaringBitmap::ParseRb32(damaged);
    if (parsed.ok()) {
      ASSERT_LE(parsed->ToRanges(INT64_MAX).num_rows(), 200000);
      ASSERT_EQ(static_cast<uint64_t>(parsed->ToRanges(INT64_MAX).num_rows()), parsed->Cardinality());
    } else {
      ASSERT_EQ(KindOf(parsed.status()), ErrorKind::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace bactrian
