#include "bactrian/maintain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "../table_write/test_table.h"
#include "bactrian/io/fault_store.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/maintain/maintenance.h"
#include "bactrian/table/write/commit_message.h"
#include "bactrian/table/write/table_writer.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// A table whose data files hold no rows but are there: expiry and cleaning only ask for names.
class MaintainTest : public ::testing::Test {
 protected:
  static Schema OneColumn() {
    Schema schema;
    schema.fields = {TestColumn("id", DataType::Bigint())};
    return schema;
  }

  std::string DataPath(const std::string& name) const {
    return JoinPath(JoinPath(table_.context.paths.root, "bucket-0"), name);
  }

  CommitMessagePtr Message(const std::vector<std::string>& names) {
    auto message = std::make_shared<CommitMessage>();
    message->partition = std::string(EmptySerializedRow());
    for (const std::string& name : names) {
      EXPECT_TRUE(table_.context.store->PutIfAbsent(DataPath(name), "rows").ok());
      EXPECT_TRUE(table_.context.store->PutIfAbsent(DataPath(name + ".index"), "index").ok());
      DataFileMeta file;
      file.file_name = name;
      file.row_count = 1;
      file.min_key = file.max_key = std::string(EmptySerializedRow());
      file.key_stats = file.value_stats = SimpleStats::Empty();
      file.extra_files = {name + ".index"};
      message->new_files.push_back(std::move(file));
    }
    return message;
  }

  std::unique_ptr<Committer> NewCommitter() { return MakeCommitter(table_.context, {}).ValueOrDie(); }
  void Append(const std::vector<std::string>& names) { ASSERT_TRUE(NewCommitter()->Commit({Message(names)}).ok()); }
  void Replace(const std::vector<std::string>& names) { ASSERT_TRUE(NewCommitter()->Overwrite({Message(names)}).ok()); }
  void CreateTag(const std::string& name, int64_t snapshot) {
    Tag tag;
    tag.name = name;
    tag.snapshot = table_.context.snapshots->Load(snapshot).ValueOrDie();
    ASSERT_TRUE(TagStore(table_.context.store, table_.context.paths).Create(tag, false).ok());
  }
  arrow::Result<ExpireResult> Expire(int64_t retain, bool dry_run = false) {
    ExpireOptions options;
    options.retain_min = options.retain_max = retain;
    options.time_retained_millis = 0;
    options.dry_run = dry_run;
    return ExpireSnapshots(table_.context, options);
  }
  arrow::Result<OrphanResult> RemoveOrphans(bool dry_run = false) {
    // Files of this very millisecond are old enough.
    return RemoveOrphanFiles(table_.context, OrphanOptions{.older_than_millis = -1000, .dry_run = dry_run});
  }

  std::vector<std::string> DataFiles() const {
    std::vector<std::string> names;
    for (const std::string& path : table_.Files("bucket-0")) {
      const std::string name = path.substr(path.rfind('/') + 1);
      if (!name.ends_with(".index")) names.push_back(name);
    }
    return names;
  }

  /// Every file of every snapshot is there.
  void ExpectWhole(const TableContext& context) {
    for (const int64_t id : context.snapshots->ListIds().ValueOrDie())
      ExpectWhole(context, context.snapshots->Load(id).ValueOrDie());
    for (const Tag& tag : TagStore(context.store, context.paths).List().ValueOrDie()) ExpectWhole(context, tag.snapshot);
  }
  void ExpectWhole(const TableContext& context, const Snapshot& snapshot) {
    const auto live = ReadLiveFiles(context, snapshot, nullptr);
    ASSERT_TRUE(live.ok()) << live.status().message();
    for (const ManifestEntry& entry : *live) {
      EXPECT_THAT(table_.Files("bucket-0"), Contains(DataPath(entry.file.file_name))) << "snapshot " << snapshot.id;
      EXPECT_THAT(table_.Files("bucket-0"), Contains(DataPath(entry.file.file_name + ".index"))) << "snapshot " << snapshot.id;
    }
  }

  TestTable table_ = TestTable::Make(OneColumn());
};

TEST_F(MaintainTest, ExpiryKeepsTheNewestAndDeletesWhatOnlyTheOldOnesUsed) {
  Append({"a"});
  Replace({"b"});
  Append({"c"});
  Replace({"d"});
  const ExpireResult result = Expire(1).ValueOrDie();
  EXPECT_EQ(result.snapshots, 3);
  EXPECT_THAT(table_.context.snapshots->ListIds().ValueOrDie(), testing::ElementsAre(4));
  EXPECT_EQ(table_.context.snapshots->EarliestId().ValueOrDie(), 4);
  EXPECT_THAT(DataFiles(), UnorderedElementsAre("d"));
  EXPECT_THAT(table_.Files("bucket-0"), SizeIs(2)) << "extra files go with theirs";
  ExpectWhole(table_.context);
  EXPECT_THAT(RemoveOrphans().ValueOrDie().files, IsEmpty()) << "expiry left something";
}

TEST_F(MaintainTest, FilesThatAreStillLiveStay) {
  Append({"a"});
  Append({"b"});
  Append({"c"});
  EXPECT_EQ(Expire(1)->snapshots, 2);
  EXPECT_THAT(DataFiles(), UnorderedElementsAre("a", "b", "c"));
  ExpectWhole(table_.context);
}

TEST_F(MaintainTest, ADryRunDeletesNothing) {
  Append({"a"});
  Replace({"b"});
  const auto before = table_.Files();
  const ExpireResult result = Expire(1, /*dry_run=*/true).ValueOrDie();
  EXPECT_EQ(result.snapshots, 1);
  EXPECT_THAT(result.files, Contains(DataPath("a")));
  EXPECT_THAT(table_.Files(), testing::UnorderedElementsAreArray(before));
}

TEST_F(MaintainTest, TheDefaultsKeepTenSnapshotsAndAnHour) {
  for (int i = 0; i < 15; ++i) Append({"f" + std::to_string(i)});
  EXPECT_EQ(ExpireSnapshots(table_.context, ExpireOptions{})->snapshots, 0) << "all are younger than an hour";
  EXPECT_EQ(ExpireSnapshots(table_.context, ExpireOptions{.time_retained_millis = -1000})->snapshots, 5);
  EXPECT_THAT(table_.context.snapshots->ListIds().ValueOrDie(), SizeIs(10));
}

TEST_F(MaintainTest, AtMostTheLimitIsExpiredACall) {
  for (int i = 0; i < 6; ++i) Append({"f" + std::to_string(i)});
  ExpireOptions options{.retain_min = 1, .retain_max = 1, .time_retained_millis = 0, .limit = 2};
  EXPECT_EQ(ExpireSnapshots(table_.context, options)->snapshots, 2);
  EXPECT_THAT(table_.context.snapshots->ListIds().ValueOrDie(), testing::ElementsAre(3, 4, 5, 6));
}

TEST_F(MaintainTest, TheNewestSnapshotNeverExpires) {
  Append({"a"});
  EXPECT_EQ(KindOf(Expire(0).status()), ErrorKind::kInvalid);
  EXPECT_EQ(Expire(1)->snapshots, 0);
}

TEST_F(MaintainTest, ATagKeepsItsFilesAndCanBeRead) {
  Append({"a"});
  Append({"b"});
  CreateTag("keep", 2);
  Replace({"c"});
  Replace({"d"});
  ASSERT_EQ(Expire(1)->snapshots, 3);
  EXPECT_THAT(DataFiles(), UnorderedElementsAre("a", "b", "d"));
  ExpectWhole(table_.context);
  EXPECT_THAT(RemoveOrphans().ValueOrDie().files, IsEmpty());
  ExpectWhole(table_.context);
  // Without the tag its files are nobody's.
  ASSERT_TRUE(TagStore(table_.context.store, table_.context.paths).Delete("keep").ok());
  ASSERT_FALSE(RemoveOrphans().ValueOrDie().files.empty());
  EXPECT_THAT(DataFiles(), UnorderedElementsAre("d"));
}

TEST_F(MaintainTest, ATagOlderThanAllSnapshotsStillProtects) {
  Append({"a"});
  CreateTag("keep", 1);
  Append({"b"});
  ASSERT_EQ(Expire(1)->snapshots, 1);
  Replace({"c"});
  ASSERT_EQ(Expire(1)->snapshots, 1);
  EXPECT_THAT(DataFiles(), UnorderedElementsAre("a", "c"));
  ExpectWhole(table_.context);
}

TEST_F(MaintainTest, ABranchKeepsItsFiles) {
  Append({"a"});
  const Snapshot first = table_.context.snapshots->Load(1).ValueOrDie();
  TableContext branch = table_.context;
  branch.paths.branch = "b";
  branch.schemas = std::make_shared<SchemaStore>(branch.store, branch.paths);
  branch.snapshots = std::make_shared<SnapshotStore>(branch.store, branch.paths);
  ASSERT_TRUE(branch.schemas->Publish(*table_.context.schema).ok());
  ASSERT_TRUE(branch.snapshots->Publish(first).ok());
  Replace({"b"});
  ASSERT_EQ(Expire(1)->snapshots, 1);
  EXPECT_THAT(DataFiles(), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(RemoveOrphans().ValueOrDie().files, IsEmpty());
  ExpectWhole(branch);
  ExpectWhole(table_.context);
}

TEST_F(MaintainTest, AConsumerHoldsSnapshotsBack) {
  for (const char* name : {"a", "b", "c", "d"}) Append({name});
  const std::string path = JoinPath(table_.context.paths.ConsumerDirectory(), "consumer-x");
  ASSERT_TRUE(table_.context.store->Overwrite(path, R"({"nextSnapshot" : 3})").ok());
  EXPECT_EQ(Expire(1)->snapshots, 2);
  EXPECT_THAT(table_.context.snapshots->ListIds().ValueOrDie(), testing::ElementsAre(3, 4));
}

TEST_F(MaintainTest, AMissingManifestIsAnErrorBeforeAnythingIsDeleted) {
  Append({"a"});
  Replace({"b"});
  const Snapshot first = table_.context.snapshots->Load(1).ValueOrDie();
  ASSERT_TRUE(table_.context.store->DeleteFile(table_.context.paths.ManifestFile(first.delta_manifest_list)).ok());
  const auto before = table_.Files();
  const auto result = Expire(1);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.status().message(), HasSubstr(first.delta_manifest_list));
  EXPECT_THAT(table_.Files(), testing::UnorderedElementsAreArray(before));
}

TEST_F(MaintainTest, FilesThatALaterSnapshotBroughtBackStay) {
  Append({"a"});
  const std::vector<ManifestEntry> live =
      ReadLiveFiles(table_.context, table_.context.snapshots->Load(1).ValueOrDie(), nullptr).ValueOrDie();
  Replace({"b"});
  Append({"c"});
  // A rollback to snapshot 1 as the newest one.
  auto back = std::make_shared<CommitMessage>();
  back->partition = std::string(EmptySerializedRow());
  back->new_files = {live.at(0).file};
  ASSERT_TRUE(NewCommitter()->Overwrite({back}).ok());
  Append({"d"});
  ASSERT_EQ(Expire(3)->snapshots, 2);
  EXPECT_THAT(DataFiles(), Contains("a"));
  ExpectWhole(table_.context);
}

TEST_F(MaintainTest, OrphansAreFoundWherePaimonPutsFilesAndNowhereElse) {
  Append({"a"});
  const std::string root = table_.context.paths.root;
  const std::vector<std::string> orphans = {"bucket-0/data-x-0.parquet",
                                            "manifest/manifest-x-0",
                                            "index/index-x-0",
                                            "statistics/stat-x-0",
                                            "snapshot/.snapshot-2.abc.tmp",
                                            "schema/.schema-1.abc.tmp",
                                            "branch/branch-b/snapshot/.snapshot-2.abc.tmp"};
  const std::vector<std::string> others = {
      "README",         "notes/data-x-0.parquet",      "bucket-0/deeper/data-x-0.parquet", "p=1/bucket-0/data-x-0.parquet",
      "snapshot/notes", "manifest/deeper/manifest-x-0"};
  for (const auto* paths : {&orphans, &others}) {
    for (const std::string& path : *paths)
      ASSERT_TRUE(table_.context.store->PutIfAbsent(JoinPath(root, path), "x").ok()) << path;
  }
  const OrphanResult found = RemoveOrphans(/*dry_run=*/true).ValueOrDie();
  EXPECT_EQ(found.bytes, static_cast<int64_t>(orphans.size()));
  EXPECT_THAT(RemoveOrphans().ValueOrDie().files, SizeIs(orphans.size()));
  for (const std::string& path : orphans) EXPECT_THAT(table_.Files(), Not(Contains(JoinPath(root, path))));
  for (const std::string& path : others) EXPECT_THAT(table_.Files(), Contains(JoinPath(root, path)));
  ExpectWhole(table_.context);
}

TEST_F(MaintainTest, YoungFilesAreKeptForTheCommitsTheyBelongTo) {
  const CommitMessagePtr message = Message({"uncommitted"});
  EXPECT_THAT(RemoveOrphanFiles(table_.context, OrphanOptions{}).ValueOrDie().files, IsEmpty());
  ASSERT_TRUE(NewCommitter()->Commit({message}).ok());
  EXPECT_THAT(RemoveOrphans().ValueOrDie().files, IsEmpty());
  ExpectWhole(table_.context);
}

TEST_F(MaintainTest, ExternalPathsAreCleanedOnRequest) {
  const std::string root = "memory://maintain_external/lake";
  const auto external = FileStore::Open(root).ValueOrDie();
  Schema schema = OneColumn();
  schema.options = {{"data-file.external-paths", root}, {"data-file.external-paths.strategy", "entropy-inject"}};
  table_ = TestTable::Make(schema, external, "memory://maintain_external/t");
  auto message = std::make_shared<CommitMessage>(*Message({"live"}));
  for (DataFileMeta& file : message->new_files) file.external_path = root + "/bucket-0/0101/1100/0000/11110000/live";
  ASSERT_TRUE(NewCommitter()->Commit({message}).ok());
  const std::vector<std::string> kept = {"/bucket-0/0101/1100/0000/11110000/live", "/notes/bucket-0/x", "/0101/x",
                                         "/bucket-0/deeper/x"};
  const std::vector<std::string> orphans = {"/bucket-0/0101/1100/0000/11110000/x", "/bucket-0/x"};
  for (const auto* paths : {&kept, &orphans}) {
    for (const std::string& path : *paths) ASSERT_TRUE(external->PutIfAbsent(root + path, "x").ok());
  }
  const auto clean = [&](bool external_paths) {
    return RemoveOrphanFiles(table_.context, {.older_than_millis = -1000, .external_paths = external_paths}).ValueOrDie();
  };
  clean(false);
  for (const std::string& path : orphans) EXPECT_TRUE(external->Exists(root + path).ValueOrDie()) << path;
  EXPECT_THAT(clean(true).files, SizeIs(orphans.size()));
  for (const std::string& path : orphans) EXPECT_FALSE(external->Exists(root + path).ValueOrDie()) << path;
  for (const std::string& path : kept) EXPECT_TRUE(external->Exists(root + path).ValueOrDie()) << path;
}

TEST_F(MaintainTest, EmptyDirectoriesGoOnRequestAndOthersStay) {
  const auto temporary = std::filesystem::temp_directory_path() / ("bactrian-maintain-" + NewUuid());
  for (const bool clean : {false, true}) {
    const std::filesystem::path root = temporary / (clean ? "clean" : "plain") / "t";
    Schema schema = {.fields = {TestColumn("id", DataType::Bigint()), TestColumn("p", DataType::Int())},
                     .partition_keys = {"p"}};
    if (clean) schema.options["snapshot.clean-empty-directories"] = "true";
    table_ = TestTable::Make(schema, FileStore::Open(root.string()).ValueOrDie(), root.string());
    const auto message = [&](int32_t partition, const std::string& name) {
      auto result = std::make_shared<CommitMessage>(*Message({}));
      result->partition =
          EncodeSerializedRow(std::vector<TypePtr>{DataType::Int()}, std::vector<Value>{partition}).ValueOrDie();
      EXPECT_TRUE(
          table_.context.store->PutIfAbsent((root / ("p=" + std::to_string(partition)) / "bucket-0" / name).string(), "rows")
              .ok());
      DataFileMeta file;
      file.file_name = name;
      file.row_count = 1;
      file.min_key = file.max_key = std::string(EmptySerializedRow());
      file.key_stats = file.value_stats = SimpleStats::Empty();
      result->new_files.push_back(file);
      return result;
    };
    ASSERT_TRUE(NewCommitter()->Commit({message(1, "a"), message(2, "b"), message(3, "c")}).ok());
    std::ofstream(root / "p=3" / "bucket-0" / "somebody's") << "else";
    ASSERT_TRUE(NewCommitter()->DropPartitions({{{"p", 1}}, {{"p", 3}}}).ok());
    ASSERT_EQ(Expire(1)->snapshots, 1);
    EXPECT_EQ(std::filesystem::exists(root / "p=1"), !clean);
    EXPECT_TRUE(std::filesystem::exists(root / "p=2" / "bucket-0" / "b"));
    EXPECT_TRUE(std::filesystem::exists(root / "p=3" / "bucket-0" / "somebody's"));
    EXPECT_TRUE(std::filesystem::exists(root));
  }
  std::filesystem::remove_all(temporary);
}

TEST_F(MaintainTest, ExpiriesAtTheSameTimeDoNotFailForEachOther) {
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 12; ++i) Append({"r" + std::to_string(round) + "f" + std::to_string(i)});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const auto result = Expire(2);
        EXPECT_TRUE(result.ok()) << result.status().ToString();
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(table_.context.snapshots->ListIds().ValueOrDie(), SizeIs(2));
    ExpectWhole(table_.context);
  }
}

TEST_F(MaintainTest, ACrashAtAnyStepOfExpiryLeavesWholeSnapshotsAndOnlyOrphans) {
  for (int nth = 1;; ++nth) {
    table_ = TestTable::Make(OneColumn());
    Append({"a"});
    Replace({"b"});
    Append({"c"});
    Replace({"d"});
    auto faults = std::make_shared<FaultStore>(table_.context.store);
    TableContext crashing = table_.context;
    crashing.store = faults;
    crashing.snapshots = std::make_shared<SnapshotStore>(faults, crashing.paths);
    Fault crash;
    crash.op = FileOp::kAnyMutation;
    crash.nth = nth;
    crash.crash = true;
    faults->Arm(crash);
    ExpireOptions options{.retain_min = 1, .retain_max = 1, .time_retained_millis = 0};
    const bool survived = ExpireSnapshots(crashing, options).ok() && !faults->crashed();
    ExpectWhole(table_.context);
    ASSERT_TRUE(RemoveOrphans().ok());
    ExpectWhole(table_.context);
    ASSERT_TRUE(Expire(1).ok());
    ASSERT_TRUE(RemoveOrphans().ok());
    EXPECT_THAT(DataFiles(), UnorderedElementsAre("d")) << "crash at step " << nth;
    if (survived) {
      EXPECT_GT(nth, 8) << "expiry of three snapshots has more steps";
      break;
    }
  }
}

}  // namespace
}  // namespace bactrian
