// Snapshots, tags, branches and schemas in a store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/meta/snapshot.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    paths_.root = std::string("memory://meta_") + test->name() + "/w/db.db/t";
    ASSERT_OK_AND_ASSIGN(store_, FileStore::Open(paths_.root));
  }

  Snapshot MakeSnapshot(int64_t id) const {
    Snapshot snapshot;
    snapshot.id = id;
    snapshot.base_manifest_list = "manifest-list-0";
    snapshot.delta_manifest_list = "manifest-list-1";
    snapshot.commit_user = "u";
    snapshot.time_millis = 1000 * id;
    if (id >= 3) snapshot.watermark = 10 * id;
    return snapshot;
  }
  void Publish(int64_t from, int64_t to) {
    for (int64_t id = from; id <= to; ++id) ASSERT_OK(snapshots().Publish(MakeSnapshot(id)));
  }
  void WriteHint(const std::string& name, std::string_view text) {
    ASSERT_OK(store_->Overwrite(JoinPath(paths_.SnapshotDirectory(), name), text));
  }
  SnapshotStore snapshots() const { return SnapshotStore(store_, paths_); }

  std::shared_ptr<FileStore> store_;
  TablePaths paths_;
};

TEST_F(StoreTest, ATableWithoutSnapshotsHasNone) {
  EXPECT_EQ(*snapshots().LatestId(), std::nullopt);
  EXPECT_EQ(*snapshots().EarliestId(), std::nullopt);
  ASSERT_OK_AND_ASSIGN(auto latest, snapshots().Latest());
  EXPECT_FALSE(latest.has_value());
  EXPECT_EQ(ErrorKindOf(snapshots().Load(1)), ErrorKind::kNotFound);
  ASSERT_OK_AND_ASSIGN(auto at, snapshots().AtOrBeforeTime(INT64_MAX));
  EXPECT_FALSE(at.has_value());
}

TEST_F(StoreTest, HintsAreNeverTrustedUnchecked) {
  Publish(1, 12);
  ASSERT_OK(store_->DeleteFile(paths_.SnapshotFile(1)));
  for (std::string_view hint : {"", " ", "12\n", "garbage", "0", "-1", "3", "11", "13", "100", "99999999999999999999999", "1e1",
                                "9223372036854775807", "12abc", "\0\0"}) {
    WriteHint("LATEST", hint);
    WriteHint("EARLIEST", hint == "3" || hint == "11" || hint == "12\n" ? "2" : hint);
    EXPECT_EQ(*snapshots().LatestId(), 12) << hint;
    EXPECT_EQ(*snapshots().EarliestId(), 2) << hint;
  }
  WriteHint("LATEST", std::string(1 << 20, '1'));
  EXPECT_EQ(*snapshots().LatestId(), 12);
}

TEST_F(StoreTest, GoodHintsSaveTheListing) {
  Publish(1, 3);
  const int64_t before = store_->counters().lists;
  EXPECT_EQ(*snapshots().LatestId(), 3);
  EXPECT_EQ(store_->counters().lists, before);
}

TEST_F(StoreTest, OnlyNumberedSnapshotsAreListed) {
  Publish(1, 2);
  for (const char* name : {"snapshot-", "snapshot-x", "snapshot-3.tmp", ".snapshot-4.uuid.tmp", "snapshot--5", "xsnapshot-6"}) {
    ASSERT_OK(store_->Overwrite(JoinPath(paths_.SnapshotDirectory(), name), "{}"));
  }
  EXPECT_THAT(*snapshots().ListIds(), ElementsAre(1, 2));
}

TEST_F(StoreTest, PublishDoesNotReplace) {
  Publish(1, 1);
  EXPECT_EQ(ErrorKindOf(snapshots().Publish(MakeSnapshot(1))), ErrorKind::kAlreadyExists);
}

TEST_F(StoreTest, ExpiredSnapshotsAreToldFromMissingOnes) {
  Publish(1, 4);
  ASSERT_OK(store_->DeleteFile(paths_.SnapshotFile(1)));
  snapshots().WriteEarliestHint(2);
  EXPECT_EQ(ErrorKindOf(snapshots().Load(1)), ErrorKind::kSnapshotExpired);
  EXPECT_EQ(ErrorKindOf(snapshots().Load(5)), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(snapshots().Load(0)), ErrorKind::kNotFound);
}

TEST_F(StoreTest, CorruptSnapshotNamesTheFile) {
  ASSERT_OK(store_->Overwrite(paths_.SnapshotFile(1), "{"));
  auto result = snapshots().Load(1);
  EXPECT_EQ(ErrorKindOf(result), ErrorKind::kCorrupt);
  EXPECT_THAT(result.status().message(), HasSubstr(paths_.SnapshotFile(1)));
  ASSERT_OK(store_->Overwrite(paths_.SnapshotFile(1), MakeSnapshot(2).ToJson()));
  EXPECT_EQ(ErrorKindOf(snapshots().Load(1)), ErrorKind::kCorrupt);
}

TEST_F(StoreTest, TimeTravelTakesTheNewestNotAfter) {
  Publish(1, 7);
  auto at = [&](int64_t t) -> int64_t {
    auto snapshot = snapshots().AtOrBeforeTime(t);
    EXPECT_TRUE(snapshot.ok());
    return *snapshot ? (*snapshot)->id : 0;
  };
  EXPECT_EQ(at(999), 0);
  EXPECT_EQ(at(1000), 1);
  EXPECT_EQ(at(4999), 4);
  EXPECT_EQ(at(7000), 7);
  EXPECT_EQ(at(INT64_MAX), 7);
}

TEST_F(StoreTest, WatermarksMayBeginLate) {
  Publish(1, 7);
  auto at = [&](int64_t w) -> int64_t {
    auto snapshot = snapshots().AtOrAfterWatermark(w);
    EXPECT_TRUE(snapshot.ok());
    return *snapshot ? (*snapshot)->id : 0;
  };
  EXPECT_EQ(at(0), 3);
  EXPECT_EQ(at(30), 3);
  EXPECT_EQ(at(31), 4);
  EXPECT_EQ(at(70), 7);
  EXPECT_EQ(at(71), 0);
}

TEST_F(StoreTest, TagsAreCreatedReplacedListedAndDeleted) {
  TagStore tags(store_, paths_);
  EXPECT_TRUE(tags.List()->empty());
  ASSERT_OK(tags.Create({.name = "b", .snapshot = MakeSnapshot(1), .create_time = {}, .time_retained_seconds = {}}, false));
  ASSERT_OK(tags.Create({.name = "2024", .snapshot = MakeSnapshot(2), .create_time = {}, .time_retained_seconds = {}}, false));
  EXPECT_EQ(ErrorKindOf(
                tags.Create({.name = "b", .snapshot = MakeSnapshot(3), .create_time = {}, .time_retained_seconds = {}}, false)),
            ErrorKind::kAlreadyExists);
  ASSERT_OK(tags.Create({.name = "b", .snapshot = MakeSnapshot(3), .create_time = {}, .time_retained_seconds = {}}, true));
  ASSERT_OK(store_->Overwrite(JoinPath(paths_.TagDirectory(), "tag-success-file/b_SUCCESS"), "x"));
  ASSERT_OK_AND_ASSIGN(std::vector<Tag> all, tags.List());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "2024");
  EXPECT_EQ(all[1].snapshot.id, 3);
  ASSERT_OK(tags.Delete("b"));
  EXPECT_EQ(ErrorKindOf(tags.Delete("b")), ErrorKind::kNotFound);
  ASSERT_OK_AND_ASSIGN(auto gone, tags.Load("b"));
  EXPECT_FALSE(gone.has_value());
}

TEST_F(StoreTest, TagNamesWithSlashesOrBlanksAreInvalid) {
  TagStore tags(store_, paths_);
  for (const char* name : {"", "  ", "../../x", "a/b"}) {
    EXPECT_EQ(ErrorKindOf(tags.Load(name)), ErrorKind::kInvalid) << name;
    EXPECT_EQ(ErrorKindOf(tags.Delete(name)), ErrorKind::kInvalid) << name;
  }
}

TEST_F(StoreTest, BranchesAreTheDirectoriesWithThePrefix) {
  EXPECT_TRUE(ListBranches(*store_, paths_)->empty());
  for (const char* name : {"branch-b", "branch-a", "other"}) {
    ASSERT_OK(store_->Overwrite(JoinPath(paths_.BranchDirectory(), std::string(name) + "/schema/schema-0"), "{}"));
  }
  ASSERT_OK(store_->Overwrite(JoinPath(paths_.BranchDirectory(), "branch-file"), "x"));
  ASSERT_OK_AND_ASSIGN(std::vector<Branch> branches, ListBranches(*store_, paths_));
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(branches[0].name, "a");
  EXPECT_EQ(branches[1].name, "b");
}

TEST_F(StoreTest, SchemasArePublishedOnceAndTheLargestIsLatest) {
  SchemaStore schemas(store_, paths_);
  EXPECT_EQ(ErrorKindOf(schemas.Latest()), ErrorKind::kNotFound);
  TableSchema first;
  first.fields = {{0, "a", DataType::Int(), std::nullopt, std::nullopt}};
  first.highest_field_id = 0;
  first.time_millis = 7;
  ASSERT_OK(schemas.Publish(first));
  EXPECT_EQ(ErrorKindOf(schemas.Publish(first)), ErrorKind::kAlreadyExists);
  TableSchema tenth = first;
  tenth.id = 10;
  ASSERT_OK(schemas.Publish(tenth));
  TableSchema ninth = first;
  ninth.id = 9;
  ASSERT_OK(schemas.Publish(ninth));
  ASSERT_OK(store_->Overwrite(JoinPath(paths_.SchemaDirectory(), "schema-11.tmp"), "{"));
  EXPECT_THAT(*schemas.ListIds(), ElementsAre(0, 9, 10));
  ASSERT_OK_AND_ASSIGN(auto latest, schemas.Latest());
  EXPECT_EQ(latest->id, 10);
  EXPECT_EQ(latest->time_millis, 7);
}

TEST_F(StoreTest, CorruptSchemaNamesTheFile) {
  ASSERT_OK(store_->Overwrite(paths_.SchemaFile(0), std::string(10000, '[')));
  SchemaStore schemas(store_, paths_);
  auto result = schemas.Latest();
  EXPECT_EQ(ErrorKindOf(result), ErrorKind::kCorrupt);
  EXPECT_THAT(result.status().message(), HasSubstr(paths_.SchemaFile(0)));
}

}  // namespace
}  // namespace bactrian
