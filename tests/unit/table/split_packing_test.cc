#include "bactrian/table/plan/split_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

using testing::ElementsAre;

SplitFile File(std::string name, int64_t size, int64_t sequence, int32_t level = 0, std::optional<int64_t> deletes = 0) {
  auto meta = std::make_shared<DataFileMeta>();
  meta->file_name = std::move(name);
  meta->file_size = size;
  meta->row_count = 10;
  meta->min_key = meta->max_key = EmptySerializedRow();
  meta->min_sequence_number = sequence;
  meta->level = level;
  meta->delete_row_count = deletes;
  SplitFile file;
  file.meta = std::move(meta);
  return file;
}

std::vector<std::string> Pack(std::vector<SplitFile> files, SplitOptions options, bool raw = true) {
  BucketFiles bucket;
  bucket.files = std::move(files);
  bucket.raw = raw;
  std::vector<std::shared_ptr<const Split>> splits;
  EXPECT_TRUE(PackSplits(TableSchema(), std::move(bucket), options, &splits).ok());
  std::vector<std::string> names;
  for (const auto& split : splits) {
    std::string& joined = names.emplace_back();
    for (const SplitFile& file : static_cast<const DataSplit&>(*split).files) joined += file.meta->file_name;
  }
  return names;
}

TEST(SplitPacking, FillsBinsInOrderUpToTheTargetSize) {
  const SplitOptions options{.target_size = 100, .open_file_cost = 10};
  EXPECT_THAT(Pack({File("a", 40, 1), File("b", 60, 2), File("c", 50, 3), File("d", 51, 4)}, options),
              ElementsAre("ab", "c", "d"));
}

TEST(SplitPacking, SmallFilesWeighTheCostOfOpeningThem) {
  const SplitOptions options{.target_size = 100, .open_file_cost = 50};
  EXPECT_THAT(Pack({File("a", 1, 1), File("b", 1, 2), File("c", 1, 3)}, options), ElementsAre("ab", "c"));
}

TEST(SplitPacking, AFileAboveTheTargetIsASplitOfItsOwn) {
  const SplitOptions options{.target_size = 100, .open_file_cost = 10};
  EXPECT_THAT(Pack({File("a", 500, 1), File("b", 20, 2), File("c", 500, 3)}, options), ElementsAre("a", "b", "c"));
}

TEST(SplitPacking, FilesAreOrderedBySequenceAndOtherwiseStayAsTheyCame) {
  const SplitOptions options{.target_size = 1000, .open_file_cost = 10};
  EXPECT_THAT(Pack({File("c", 1, 7), File("a", 1, 0), File("b", 1, 0)}, options), ElementsAre("abc"));
}

TEST(SplitPacking, WhatMustBeMergedStaysTogether) {
  const SplitOptions options{.target_size = 10, .open_file_cost = 10};
  EXPECT_THAT(Pack({File("a", 100, 1), File("b", 100, 2)}, options, /*raw=*/false), ElementsAre("ab"));
}

TEST(RawConvertible, FollowsLevelsDeleteRowsAndEngine) {
  TableSchema schema;
  EXPECT_TRUE(IsRawConvertible(schema, {File("a", 1, 1, 0)}));
  EXPECT_FALSE(IsRawConvertible(schema, {File("a", 1, 1, 0, 3)}));
  EXPECT_TRUE(IsRawConvertible(schema, {File("a", 1, 1, 5), File("b", 1, 1, 5, std::nullopt)}));
  EXPECT_FALSE(IsRawConvertible(schema, {File("a", 1, 1, 5), File("b", 1, 1, 4)}));
  EXPECT_FALSE(IsRawConvertible(schema, {File("a", 1, 1, 5), File("b", 1, 1, 0)}));
  schema.options["deletion-vectors.enabled"] = "true";
  EXPECT_TRUE(IsRawConvertible(schema, {File("a", 1, 1, 5), File("b", 1, 1, 4)}));
  EXPECT_FALSE(IsRawConvertible(schema, {File("a", 1, 1, 5), File("b", 1, 1, 0)}));
}

TEST(DataSplit, CountsRowsExactlyWhereDeletesAreKnown) {
  DataSplit split;
  split.files = {File("a", 1, 1), File("b", 1, 1)};
  EXPECT_EQ(split.exact_row_count(), 20);
  split.files[0].deletion = DeletionFile{"index", {"a", 0, 1, 3}};
  EXPECT_EQ(split.exact_row_count(), 17);
  EXPECT_EQ(split.row_count(), 20);
  split.files[0].deletion->range.cardinality.reset();
  EXPECT_EQ(split.exact_row_count(), std::nullopt);
  split.files[0].deletion.reset();
  split.raw = false;
  EXPECT_EQ(split.exact_row_count(), std::nullopt);
}

}  // namespace
}  // namespace bactrian
