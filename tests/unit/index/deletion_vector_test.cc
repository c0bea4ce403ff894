#include "bactrian/index/deletion_vector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "../status_asserts.h"

namespace bactrian {
namespace {

constexpr char kDirectory[] = "memory://deletion_vectors/index";

/// An index file of the reference, its vectors as the index manifest records them, and the rows that they delete.
struct Sample {
  std::string name;
  bool bitmap64;
  std::vector<DeletionVectorRange> ranges;
  std::vector<std::vector<RowRange>> deleted;
};

std::vector<Sample> Samples() {
  const std::vector<RowRange> run = {{23, 56}}, two = {{7, 8}, {41, 42}};
  return {{"append-32", false, {{"data-0", 1, 28, 4}}, {{{0, 1}, {5, 7}, {19, 20}}}},
          {"append-64", true, {{"data-0", 1, 46, 3}}, {{{0, 1}, {5, 6}, {19, 20}}}},
          {"pk-32", false, {{"data-0", 1, 19, 33}, {"data-1", 28, 24, 2}}, {run, two}},
          {"pk-64", true, {{"data-1", 1, 44, 2}, {"data-0", 45, 39, 33}}, {two, run}}};
}

std::string BytesOf(const Sample& sample) {
  std::ifstream in(BACTRIAN_TEST_SOURCE_DIR "/data/deletion_vectors/" + sample.name, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

class DeletionVectorTest : public ::testing::Test {
 protected:
  DeletionVectorTest() : store_(FileStore::Open(kDirectory).ValueOrDie()) {
    EXPECT_TRUE(store_->DeleteDirectory(kDirectory).ok());
  }

  arrow::Result<std::shared_ptr<const RoaringBitmap>> Read(std::string_view bytes, const DeletionVectorRange& range) {
    const std::string path = JoinPath(kDirectory, "index-1");
    ARROW_RETURN_NOT_OK(store_->Overwrite(path, bytes));
    return ReadDeletionVector(*store_, path, range);
  }

  std::shared_ptr<FileStore> store_;
};

TEST_F(DeletionVectorTest, ReadsTheReferencesVectors) {
  for (const Sample& sample : Samples()) {
    for (size_t i = 0; i < sample.ranges.size(); ++i) {
      ASSERT_OK_AND_ASSIGN(const auto vector, Read(BytesOf(sample), sample.ranges[i]));
      EXPECT_EQ(vector->ToRanges(1000).ranges(), sample.deleted[i]) << sample.name;
    }
  }
}

TEST_F(DeletionVectorTest, ACardinalityThatIsNotRecordedIsNotNeeded) {
  for (const Sample& sample : Samples()) {
    DeletionVectorRange range = sample.ranges[0];
    range.cardinality.reset();
    EXPECT_TRUE(Read(BytesOf(sample), range).ok());
  }
}

TEST_F(DeletionVectorTest, WritesTheReferencesBytesAndRanges) {
  for (const Sample& sample : Samples()) {
    std::vector<RoaringBitmap> bitmaps(sample.ranges.size());
    std::vector<std::pair<std::string, const RoaringBitmap*>> vectors;
    for (size_t i = 0; i < bitmaps.size(); ++i) {
      for (RowRange range : sample.deleted[i]) bitmaps[i].AddRange(range.begin, range.end);
      vectors.emplace_back(sample.ranges[i].data_file, &bitmaps[i]);
    }
    ASSERT_OK_AND_ASSIGN(const auto written, WriteDeletionVectors(*store_, kDirectory, sample.name, vectors, sample.bitmap64));
    ASSERT_OK_AND_ASSIGN(const std::string bytes, store_->ReadAll(JoinPath(kDirectory, sample.name)));
    EXPECT_EQ(bytes, BytesOf(sample)) << sample.name;
    EXPECT_EQ(written.file.name, sample.name);
    EXPECT_EQ(written.file.size, static_cast<int64_t>(bytes.size()));
    ASSERT_EQ(written.ranges.size(), sample.ranges.size());
    for (size_t i = 0; i < bitmaps.size(); ++i) {
      EXPECT_EQ(written.ranges[i].data_file, sample.ranges[i].data_file);
      EXPECT_EQ(written.ranges[i].offset, sample.ranges[i].offset);
      EXPECT_EQ(written.ranges[i].length, sample.ranges[i].length);
      EXPECT_EQ(written.ranges[i].cardinality, sample.ranges[i].cardinality);
    }
  }
}

TEST_F(DeletionVectorTest, RoundTripsLargeAndEmptyVectors) {
  RoaringBitmap large, empty;
  for (uint64_t i = 0; i < 300000; i += 3) large.Add(i);
  large.AddRange(1000000, 2000000);
  for (bool bitmap64 : {false, true}) {
    const std::string name = bitmap64 ? "index-64" : "index-32";
    ASSERT_OK_AND_ASSIGN(const auto written,
                         WriteDeletionVectors(*store_, kDirectory, name, {{"a", &empty}, {"b", &large}}, bitmap64));
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_OK_AND_ASSIGN(const auto vector, ReadDeletionVector(*store_, JoinPath(kDirectory, name), written.ranges[i]));
      EXPECT_EQ(vector->ToRanges(INT64_MAX), (i == 0 ? empty : large).ToRanges(INT64_MAX));
    }
  }
}

TEST_F(DeletionVectorTest, PositionsThatNoFileHasAreInvalid) {
  RoaringBitmap vector;
  vector.Add(uint64_t{1} << 32);
  for (bool bitmap64 : {false, true}) {
    EXPECT_EQ(ErrorKindOf(WriteDeletionVectors(*store_, kDirectory, "index", {{"a", &vector}}, bitmap64)), ErrorKind::kInvalid);
  }
}

TEST_F(DeletionVectorTest, EveryFlippedBitOfItIsCorrupt) {
  for (const Sample& sample : Samples()) {
    const std::string bytes = BytesOf(sample);
    const DeletionVectorRange& range = sample.ranges[0];
    const size_t end = static_cast<size_t>(range.offset + range.length + (sample.bitmap64 ? 0 : 8));
    for (size_t bit = 0; bit < end * 8; ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_EQ(ErrorKindOf(Read(damaged, range)), ErrorKind::kCorrupt) << sample.name << " bit " << bit;
    }
  }
}

TEST_F(DeletionVectorTest, EveryTruncationIsCorrupt) {
  for (const Sample& sample : Samples()) {
    const std::string bytes = BytesOf(sample);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(ErrorKindOf(Read(bytes.substr(0, size), sample.ranges.back())), ErrorKind::kCorrupt)
          << sample.name << " " << size;
    }
  }
}

TEST_F(DeletionVectorTest, ARecordThatContradictsTheFileIsCorrupt) {
  const Sample sample = Samples()[2];
  const std::string bytes = BytesOf(sample);
  const DeletionVectorRange good = sample.ranges[0];
  for (const auto& [offset, length, cardinality] : {std::tuple{0, 19, 33},
                                                    {-1, 19, 33},
                                                    {28, 19, 33},
                                                    {1, 20, 33},
                                                    {1, -1, 33},
                                                    {1, 0, 33},
                                                    {INT32_MAX, 19, 33},
                                                    {1, INT32_MAX, 33},
                                                    {INT32_MIN, INT32_MIN, 33},
                                                    {1, 19, 32},
                                                    {60, 19, 33}}) {
    EXPECT_EQ(ErrorKindOf(Read(bytes, {"data-0", offset, length, cardinality})), ErrorKind::kCorrupt)
        << offset << " " << length;
  }
  EXPECT_TRUE(Read(bytes, good).ok());
}

TEST_F(DeletionVectorTest, AMissingFileIsCorruptAndNamesTheDataFile) {
  const auto vector = ReadDeletionVector(*store_, JoinPath(kDirectory, "gone"), {"data-7.parquet", 1, 19, 33});
  EXPECT_EQ(ErrorKindOf(vector), ErrorKind::kCorrupt);
  EXPECT_THAT(vector.status().message(),
              ::testing::AllOf(::testing::HasSubstr("data-7.parquet"), ::testing::HasSubstr("gone")));
}

}  // namespace
}  // namespace bactrian
