#include "bactrian/table/plan/scan_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "../table_write/test_table.h"

namespace bactrian {
namespace {

using testing::HasSubstr;

/// Snapshots 1 to 5 at times 1000 to 5000 with watermarks 10 to 50; 4 is a compaction, 5 an overwrite. Tags "old" (2), "3" (1).
class ScanTargetTest : public testing::Test {
 protected:
  void SetUp() override {
    Schema schema;
    schema.fields = {TestColumn("id", DataType::Int())};
    table_ = TestTable::Make(std::move(schema));
    for (int64_t id = 1; id <= 5; ++id) {
      Snapshot snapshot;
      snapshot.id = id;
      snapshot.time_millis = id * 1000;
      snapshot.watermark = id * 10;
      snapshot.commit_kind = id == 4 ? CommitKind::kCompact : id == 5 ? CommitKind::kOverwrite : CommitKind::kAppend;
      snapshot.base_manifest_list = snapshot.delta_manifest_list = "manifest-list-0";
      snapshot.commit_user = "user";
      ASSERT_OK(table_.context.snapshots->Publish(snapshot));
    }
    const TagStore tags(table_.context.store, table_.context.paths);
    ASSERT_OK_AND_ASSIGN(Snapshot second, table_.context.snapshots->Load(2));
    ASSERT_OK_AND_ASSIGN(Snapshot first, table_.context.snapshots->Load(1));
    Tag tag;
    tag.name = "old";
    tag.snapshot = second;
    ASSERT_OK(tags.Create(tag, false));
    tag.name = "3";
    tag.snapshot = first;
    ASSERT_OK(tags.Create(tag, false));
  }

  arrow::Result<ScanTarget> Resolve(const Options& options) { return ResolveScanTarget(table_.WithOptions(options)); }

  int64_t SnapshotOf(const Options& options) {
    auto target = Resolve(options);
    EXPECT_TRUE(target.ok()) << target.status().ToString();
    return target.ok() && target->snapshot ? target->snapshot->id : -1;
  }

  TestTable table_;
};

TEST_F(ScanTargetTest, TheDefaultIsTheLatestSnapshotUnderTheHandlesSchema) {
  ASSERT_OK_AND_ASSIGN(ScanTarget target, Resolve({}));
  EXPECT_EQ(target.snapshot->id, 5);
  EXPECT_FALSE(target.pins_schema);
  EXPECT_EQ(SnapshotOf({{"scan.mode", "latest-full"}}), 5);
  EXPECT_EQ(SnapshotOf({{"scan.mode", "full"}}), 5);
  EXPECT_EQ(SnapshotOf({{"scan.mode", "latest"}}), 5);
}

TEST_F(ScanTargetTest, TravelsByIdTagTimeAndWatermarkWithTheSchemaOfThatSnapshot) {
  EXPECT_EQ(SnapshotOf({{"scan.snapshot-id", "3"}}), 3);
  EXPECT_EQ(SnapshotOf({{"scan.tag-name", "old"}}), 2);
  EXPECT_EQ(SnapshotOf({{"scan.timestamp-millis", "2999"}}), 2);
  EXPECT_EQ(SnapshotOf({{"scan.timestamp-millis", "3000"}}), 3);
  EXPECT_EQ(SnapshotOf({{"scan.timestamp", "1970-01-01 00:00:03.500"}}), 3);
  EXPECT_EQ(SnapshotOf({{"scan.watermark", "21"}}), 3);
  ASSERT_OK_AND_ASSIGN(ScanTarget target, Resolve({{"scan.snapshot-id", "3"}}));
  EXPECT_TRUE(target.pins_schema);
}

TEST_F(ScanTargetTest, AVersionIsATagBeforeItIsASnapshotId) {
  EXPECT_EQ(SnapshotOf({{"scan.version", "old"}}), 2);
  EXPECT_EQ(SnapshotOf({{"scan.version", "3"}}), 1);
  EXPECT_EQ(SnapshotOf({{"scan.version", "4"}}), 4);
  EXPECT_EQ(SnapshotOf({{"scan.version", "watermark-35"}}), 4);
  EXPECT_EQ(ErrorKindOf(Resolve({{"scan.version", "nope"}})), ErrorKind::kNotFound);
}

TEST_F(ScanTargetTest, WhatIsNotThereIsAnErrorNotTheLatest) {
  EXPECT_EQ(ErrorKindOf(Resolve({{"scan.snapshot-id", "6"}})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(Resolve({{"scan.tag-name", "nope"}})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(Resolve({{"scan.timestamp-millis", "999"}})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(Resolve({{"scan.watermark", "51"}})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(Resolve({{"scan.snapshot-id", "x"}})), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(Resolve({{"scan.timestamp", "yesterday"}})), ErrorKind::kInvalid);
}

TEST_F(ScanTargetTest, ContradictingOptionsAreRefused) {
  for (const Options& options : std::vector<Options>{{{"scan.snapshot-id", "1"}, {"scan.tag-name", "old"}},
                                                     {{"scan.mode", "latest-full"}, {"scan.snapshot-id", "1"}},
                                                     {{"scan.mode", "from-timestamp"}},
                                                     {{"scan.mode", "from-timestamp"}, {"scan.snapshot-id", "1"}},
                                                     {{"scan.mode", "sideways"}},
                                                     {{"scan.snapshot-id", "1"}, {"incremental-between", "1,2"}}}) {
    EXPECT_EQ(ErrorKindOf(Resolve(options)), ErrorKind::kInvalid);
  }
  EXPECT_EQ(SnapshotOf({{"scan.mode", "from-snapshot"}, {"scan.tag-name", "old"}}), 2);
}

TEST_F(ScanTargetTest, CreationTimeTakesTheFirstSnapshotSinceThen) {
  EXPECT_EQ(SnapshotOf({{"scan.creation-time-millis", "2500"}}), 3);
  ASSERT_OK_AND_ASSIGN(ScanTarget before_all, Resolve({{"scan.creation-time-millis", "500"}}));
  EXPECT_EQ(before_all.snapshot->id, 5);
  EXPECT_EQ(before_all.created_from_millis, 500);
  ASSERT_OK_AND_ASSIGN(ScanTarget files, Resolve({{"scan.file-creation-time-millis", "2500"}}));
  EXPECT_EQ(files.snapshot->id, 5);
  EXPECT_EQ(files.created_from_millis, 2501);
}

TEST_F(ScanTargetTest, CompactedFullIsTheNewestCompaction) { EXPECT_EQ(SnapshotOf({{"scan.mode", "compacted-full"}}), 4); }

TEST_F(ScanTargetTest, IncrementalTakesTheAppendsAfterTheStart) {
  ASSERT_OK_AND_ASSIGN(ScanTarget target, Resolve({{"incremental-between", "1,5"}}));
  ASSERT_EQ(target.changes_of->size(), 2);  // compaction and overwrite bring no new rows
  EXPECT_EQ(target.changes_of->front().id, 2);
  EXPECT_EQ(target.changes_of->back().id, 3);
  ASSERT_OK_AND_ASSIGN(ScanTarget times, Resolve({{"incremental-between-timestamp", "0,2500"}}));
  EXPECT_EQ(times.changes_of->size(), 2);
  ASSERT_OK_AND_ASSIGN(ScanTarget diff, Resolve({{"incremental-between", "3,old"}}));
  EXPECT_EQ(diff.since->id, 1);
  EXPECT_EQ(diff.snapshot->id, 2);
  EXPECT_EQ(ErrorKindOf(Resolve({{"incremental-between", "1,9"}})), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(Resolve({{"incremental-between", "4,1"}})), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(Resolve({{"incremental-between", "1"}})), ErrorKind::kInvalid);
}

TEST(ScanTarget, ATableWithoutSnapshotsHasNothingToRead) {
  Schema schema;
  schema.fields = {TestColumn("id", DataType::Int())};
  TestTable table = TestTable::Make(std::move(schema));
  ASSERT_OK_AND_ASSIGN(ScanTarget target, ResolveScanTarget(table.context));
  EXPECT_FALSE(target.snapshot);
  EXPECT_EQ(ErrorKindOf(ResolveScanTarget(table.WithOptions({{"scan.snapshot-id", "1"}}))), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace bactrian
