#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "../table_write/test_table.h"
#include "bactrian/io/fault_store.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/write/commit_message.h"
#include "bactrian/table/write/table_writer.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Schema PlainSchema(Options options = {}) {
  return {.fields = {TestColumn("id", DataType::Bigint())}, .options = std::move(options)};
}

Schema PartitionedSchema(Options options = {}) {
  return {
      .fields = {TestColumn("id", DataType::Bigint()), TestColumn("p", DataType::String()), TestColumn("q", DataType::Int())},
      .partition_keys = {"p", "q"},
      .options = std::move(options)};
}

DataFileMeta DataFile(std::string name, int64_t rows = 1) {
  DataFileMeta file;
  file.file_name = std::move(name);
  file.file_size = 100;
  file.row_count = rows;
  file.min_key = file.max_key = std::string(EmptySerializedRow());
  file.key_stats = file.value_stats = SimpleStats::Empty();
  file.max_sequence_number = rows - 1;
  file.creation_time_millis = 1;
  file.delete_row_count = 0;
  file.file_source = FileSource::kAppend;
  return file;
}

std::shared_ptr<CommitMessage> Message(std::vector<DataFileMeta> files, std::string partition = "",
                                       int32_t total_buckets = -1) {
  auto message = std::make_shared<CommitMessage>();
  message->partition = partition.empty() ? std::string(EmptySerializedRow()) : std::move(partition);
  message->total_buckets = total_buckets;
  message->new_files = std::move(files);
  return message;
}

std::string PartitionRow(Value p, Value q) {
  return EncodeSerializedRow(std::vector<TypePtr>{DataType::String(), DataType::Int()},
                             std::vector<Value>{std::move(p), std::move(q)})
      .ValueOrDie();
}

std::unique_ptr<Committer> NewCommitter(const TableContext& context, std::string user = "") {
  return MakeCommitter(context, {.commit_user = std::move(user)}).ValueOrDie();
}

std::vector<std::string> LiveFiles(const TableContext& context) {
  std::vector<std::string> names;
  const auto latest = context.snapshots->Latest().ValueOrDie();
  if (!latest) return names;
  for (const ManifestEntry& entry : ReadLiveFiles(context, *latest, nullptr).ValueOrDie())
    names.push_back(entry.file.file_name);
  return names;
}

TEST(CommitterTest, TheFirstCommitIsSnapshotOneWithTheReferencesFields) {
  TestTable table = TestTable::Make(PlainSchema());
  auto committer = NewCommitter(table.context, "user");
  const CommitResult result = committer->Commit({Message({DataFile("a", 3), DataFile("b", 4)})}).ValueOrDie();
  EXPECT_EQ(result.snapshot_id, 1);
  EXPECT_EQ(result.attempts, 1);
  const Snapshot snapshot = *table.context.snapshots->Latest().ValueOrDie();
  EXPECT_EQ(snapshot.version, 3);
  EXPECT_EQ(snapshot.commit_user, "user");
  EXPECT_EQ(snapshot.commit_identifier, INT64_MAX);
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kAppend);
  EXPECT_EQ(snapshot.total_record_count, 7);
  EXPECT_EQ(snapshot.delta_record_count, 7);
  EXPECT_EQ(snapshot.next_row_id, 0);
  EXPECT_FALSE(snapshot.index_manifest.has_value());
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a", "b"));
}

TEST(CommitterTest, CommitsAddUp) {
  TestTable table = TestTable::Make(PlainSchema());
  auto committer = NewCommitter(table.context);
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(committer->Commit({Message({DataFile("f" + std::to_string(i), 10)})})->snapshot_id, i);
  }
  EXPECT_EQ(table.context.snapshots->Latest().ValueOrDie()->total_record_count, 50);
  EXPECT_THAT(LiveFiles(table.context), testing::SizeIs(5));
}

TEST(CommitterTest, NothingToCommitMakesNoSnapshotUnlessTheTableWantsOne) {
  TestTable table = TestTable::Make(PlainSchema());
  EXPECT_EQ(NewCommitter(table.context)->Commit({})->snapshot_id, std::nullopt);
  EXPECT_THAT(table.Files("manifest"), IsEmpty());
  const TableContext wants = table.WithOptions({{"snapshot.ignore-empty-commit", "false"}});
  EXPECT_EQ(NewCommitter(wants)->Commit({})->snapshot_id, 1);
}

TEST(CommitterTest, AnIdentifierIsCommittedOnceAUser) {
  TestTable table = TestTable::Make(PlainSchema());
  EXPECT_EQ(NewCommitter(table.context, "u")->Commit({Message({DataFile("a")})}, 1)->snapshot_id, 1);
  EXPECT_EQ(NewCommitter(table.context, "v")->Commit({Message({DataFile("b")})}, 1)->snapshot_id, 2);
  const CommitResult again = NewCommitter(table.context, "u")->Commit({Message({DataFile("a")})}, 1).ValueOrDie();
  EXPECT_EQ(again.snapshot_id, 1);
  EXPECT_EQ(again.attempts, 0);
  EXPECT_EQ(NewCommitter(table.context, "u")->Commit({Message({DataFile("c")})}, 2)->snapshot_id, 3);
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a", "b", "c"));
}

TEST(CommitterTest, AUsersPrefixComesBeforeItsUuid) {
  TestTable table = TestTable::Make(PlainSchema({{"commit.user-prefix", "etl"}}));
  EXPECT_THAT(NewCommitter(table.context)->commit_user(), testing::MatchesRegex("etl_[0-9a-f-]+"));
}

TEST(CommitterTest, ThreadsAndHandlesRaceWithoutLosingACommit) {
  TestTable table = TestTable::Make(
      PlainSchema({{"commit.max-retries", "1000"}, {"commit.min-retry-wait", "1 ms"}, {"commit.max-retry-wait", "5 ms"}}));
  constexpr int kThreads = 4, kCommits = 15;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto committer = NewCommitter(table.context);
      for (int i = 0; i < kCommits; ++i) {
        const std::string name = "f" + std::to_string(t) + "_" + std::to_string(i);
        EXPECT_TRUE(committer->Commit({Message({DataFile(name)})}).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(table.context.snapshots->ListIds().ValueOrDie(), testing::SizeIs(kThreads * kCommits));
  const std::vector<std::string> live = LiveFiles(table.context);
  EXPECT_THAT(live, testing::SizeIs(kThreads * kCommits));
  EXPECT_EQ(std::set<std::string>(live.begin(), live.end()).size(), live.size());
}

TEST(CommitterTest, ManyCommitsKeepTheListOfManifestsShort) {
  TestTable table = TestTable::Make(PlainSchema({{"manifest.merge-min-count", "5"}}));
  auto committer = NewCommitter(table.context);
  for (int i = 0; i < 40; ++i) committer->Commit({Message({DataFile("f" + std::to_string(i))})}).ValueOrDie();
  const Snapshot latest = *table.context.snapshots->Latest().ValueOrDie();
  EXPECT_LE(ReadSnapshotManifests(table.context, latest)->size(), 6u);
  EXPECT_THAT(LiveFiles(table.context), testing::SizeIs(40));
}

TEST(CommitterTest, APublishThatFailedWithoutATraceIsInDoubtAndDeletesNothing) {
  TestTable table = TestTable::Make(PlainSchema({{"commit.max-retries", "0"}}));
  ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile("a")})}).ok());
  const size_t manifests = table.Files("manifest").size();
  auto faults = std::make_shared<FaultStore>(table.context.store);
  TableContext flaky = table.context;
  flaky.store = faults;
  flaky.snapshots = std::make_shared<SnapshotStore>(faults, flaky.paths);
  faults->Arm({.op = FileOp::kPutIfAbsent, .nth = 1, .moment = FaultMoment::kBefore});
  const auto committed = NewCommitter(flaky)->Commit({Message({DataFile("b")})});
  // Nothing is there: an effect might be on its way, so the outcome is unknown and nothing was deleted.
  EXPECT_EQ(KindOf(committed.status()), ErrorKind::kCommitOutcomeUnknown);
  EXPECT_GT(table.Files("manifest").size(), manifests);
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a"));
}

TEST(CommitterTest, APublishThatSucceedsButIsReportedAsFailedCountsOnce) {
  TestTable table = TestTable::Make(PlainSchema());
  auto faults = std::make_shared<FaultStore>(table.context.store);
  TableContext flaky = table.context;
  flaky.store = faults;
  flaky.snapshots = std::make_shared<SnapshotStore>(faults, flaky.paths);
  faults->Arm({.op = FileOp::kPutIfAbsent, .nth = 1, .moment = FaultMoment::kAfter});
  const CommitResult result = NewCommitter(flaky)->Commit({Message({DataFile("a")})}).ValueOrDie();
  EXPECT_EQ(result.snapshot_id, 1);
  EXPECT_THAT(table.context.snapshots->ListIds().ValueOrDie(), testing::ElementsAre(1));
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a"));
}

TEST(CommitterTest, AFailureBeforePublishingLeavesNothing) {
  for (int nth = 1;; ++nth) {
    TestTable table = TestTable::Make(PlainSchema());
    ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile("a")})}).ok());
    const std::vector<std::string> before = table.Files();
    auto faults = std::make_shared<FaultStore>(table.context.store);
    TableContext flaky = table.context;
    flaky.store = faults;
    flaky.snapshots = std::make_shared<SnapshotStore>(faults, flaky.paths);
    faults->Arm({.op = FileOp::kClose, .nth = nth});
    const auto committed = NewCommitter(flaky)->Commit({Message({DataFile("b")})});
    if (committed.ok()) {
      EXPECT_GT(nth, 2) << "a commit closes at least two lists and a manifest";
      break;
    }
    EXPECT_THAT(table.Files(), testing::UnorderedElementsAreArray(before)) << nth;
  }
}

TEST(CommitterTest, ACommitThatIsSlowerThanExpiryDoesNotReuseAnExpiredId) {
  TestTable table = TestTable::Make(PlainSchema({{"commit.min-retry-wait", "0 ms"}}));
  ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile("a")})}).ok());
  // While the slow commit writes, others go on to snapshot 6 and all before 5 expire.
  class SlowStore : public FaultStore {
   public:
    using FaultStore::FaultStore;
    arrow::Status PutIfAbsent(const std::string& path, std::string_view bytes) override {
      if (auto overtake = std::exchange(overtake_, nullptr)) overtake();
      return FaultStore::PutIfAbsent(path, bytes);
    }
    std::function<void()> overtake_;
  };
  auto slow_store = std::make_shared<SlowStore>(table.context.store);
  slow_store->overtake_ = [&] {
    for (const char* name : {"b", "c", "d", "e", "f"})
      ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile(name)})}).ok());
    for (int64_t id = 1; id < 5; ++id) ASSERT_TRUE(table.context.store->DeleteFile(table.context.paths.SnapshotFile(id)).ok());
  };
  TableContext slow = table.context;
  slow.store = slow_store;
  slow.snapshots = std::make_shared<SnapshotStore>(slow_store, slow.paths);
  EXPECT_EQ(NewCommitter(slow)->Commit({Message({DataFile("late")})})->snapshot_id, 7);
  EXPECT_THAT(table.context.snapshots->ListIds().ValueOrDie(), testing::ElementsAre(5, 6, 7));
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a", "b", "c", "d", "e", "f", "late"));
}

TEST(CommitterTest, ACommitWhoseSnapshotExpiresUnderItTriesAgain) {
  TestTable table = TestTable::Make(PlainSchema({{"commit.min-retry-wait", "0 ms"}}));
  ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile("a")})}).ok());
  class SlowStore : public FaultStore {
   public:
    using FaultStore::FaultStore;
    arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path,
                                                                          std::optional<int64_t> length) override {
      if (path.find("/manifest/") != std::string::npos) {
        if (auto overtake = std::exchange(overtake_, nullptr)) overtake();
      }
      return FaultStore::OpenInput(path, length);
    }
    std::function<void()> overtake_;
  };
  auto slow_store = std::make_shared<SlowStore>(table.context.store);
  slow_store->overtake_ = [&] {
    const Snapshot first = table.context.snapshots->Load(1).ValueOrDie();
    ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile("b")})}).ok());
    for (const std::string& path :
         {table.context.paths.SnapshotFile(1), table.context.paths.ManifestFile(first.base_manifest_list),
          table.context.paths.ManifestFile(first.delta_manifest_list)}) {
      ASSERT_TRUE(table.context.store->DeleteFile(path).ok());
    }
  };
  TableContext slow = table.context;
  slow.store = slow_store;
  slow.snapshots = std::make_shared<SnapshotStore>(slow_store, slow.paths);
  const CommitResult result = NewCommitter(slow)->Commit({Message({DataFile("late")})}).ValueOrDie();
  EXPECT_EQ(result.snapshot_id, 3);
  EXPECT_EQ(result.attempts, 2);
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a", "b", "late"));
}

TEST(OverwriteTest, AnUnpartitionedTableIsReplacedWhole) {
  TestTable table = TestTable::Make(PlainSchema());
  auto committer = NewCommitter(table.context);
  ASSERT_TRUE(committer->Commit({Message({DataFile("a", 5), DataFile("b", 6)})}).ok());
  ASSERT_TRUE(committer->Overwrite({Message({DataFile("c", 2)})}).ok());
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("c"));
  const Snapshot snapshot = *table.context.snapshots->Latest().ValueOrDie();
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kOverwrite);
  EXPECT_EQ(snapshot.total_record_count, 2);
  EXPECT_EQ(snapshot.delta_record_count, -9);
}

class PartitionedOverwriteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(committer_
                    ->Commit({Message({DataFile("x1")}, PartitionRow(std::string("x"), int64_t{1})),
                              Message({DataFile("x2")}, PartitionRow(std::string("x"), int64_t{2})),
                              Message({DataFile("y1")}, PartitionRow(std::string("y"), int64_t{1})),
                              Message({DataFile("n1")}, PartitionRow({}, int64_t{1}))})
                    .ok());
  }
  TestTable table_ = TestTable::Make(PartitionedSchema());
  std::unique_ptr<Committer> committer_ = NewCommitter(table_.context);
};

TEST_F(PartitionedOverwriteTest, DynamicReplacesThePartitionsOfTheNewRows) {
  ASSERT_TRUE(committer_->Overwrite({Message({DataFile("new")}, PartitionRow(std::string("x"), int64_t{2}))}).ok());
  EXPECT_THAT(LiveFiles(table_.context), UnorderedElementsAre("x1", "y1", "n1", "new"));
}

TEST_F(PartitionedOverwriteTest, DynamicWithoutRowsDoesNothing) {
  EXPECT_EQ(committer_->Overwrite({})->snapshot_id, std::nullopt);
  EXPECT_THAT(LiveFiles(table_.context), testing::SizeIs(4));
}

TEST_F(PartitionedOverwriteTest, StaticReplacesAllPartitionsOfTheSpec) {
  const OverwriteSpec spec{.partition = {{"p", std::string("x")}}, .dynamic = false};
  ASSERT_TRUE(committer_->Overwrite({Message({DataFile("new")}, PartitionRow(std::string("x"), int64_t{9}))}, spec).ok());
  EXPECT_THAT(LiveFiles(table_.context), UnorderedElementsAre("y1", "n1", "new"));
}

TEST_F(PartitionedOverwriteTest, RowsOutsideOfTheStaticPartitionAreRefused) {
  const OverwriteSpec spec{.partition = {{"p", std::string("x")}}, .dynamic = false};
  const auto result = committer_->Overwrite({Message({DataFile("new")}, PartitionRow(std::string("y"), int64_t{1}))}, spec);
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kInvalid);
  EXPECT_THAT(LiveFiles(table_.context), testing::SizeIs(4));
}

TEST_F(PartitionedOverwriteTest, DroppingAPartitionTakesNullForAValue) {
  ASSERT_TRUE(committer_->DropPartitions({{{"p", Value{}}}, {{"p", std::string("x")}, {"q", int64_t{2}}}}).ok());
  EXPECT_THAT(LiveFiles(table_.context), UnorderedElementsAre("x1", "y1"));
}

TEST_F(PartitionedOverwriteTest, DroppingByWhatIsNoPartitionIsRefused) {
  EXPECT_EQ(KindOf(committer_->DropPartitions({{{"id", int64_t{1}}}}).status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(committer_->DropPartitions({PartitionSpec{}}).status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(committer_->DropPartitions({{{"q", std::string("text")}}}).status()), ErrorKind::kInvalid);
  EXPECT_THAT(LiveFiles(table_.context), testing::SizeIs(4));
}

TEST_F(PartitionedOverwriteTest, TruncateRemovesEverything) {
  ASSERT_TRUE(committer_->Truncate().ok());
  EXPECT_THAT(LiveFiles(table_.context), IsEmpty());
  EXPECT_EQ(table_.context.snapshots->Latest().ValueOrDie()->total_record_count, 0);
}

TEST(ConflictTest, ACompactionLosesWhenItsFileIsGone) {
  TestTable table = TestTable::Make(PlainSchema());
  auto committer = NewCommitter(table.context);
  ASSERT_TRUE(committer->Commit({Message({DataFile("a"), DataFile("b")})}).ok());
  auto compaction = Message({});
  compaction->compact_before = {DataFile("a"), DataFile("b")};
  compaction->compact_after = {DataFile("ab", 2)};
  ASSERT_TRUE(NewCommitter(table.context)->Overwrite({Message({DataFile("c")})}).ok());
  const size_t manifests = table.Files("manifest").size();
  const auto result = committer->Commit({compaction});
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kCommitConflict);
  EXPECT_THAT(result.status().message(), HasSubstr("a"));
  EXPECT_EQ(table.Files("manifest").size(), manifests);
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("c"));
}

TEST(ConflictTest, ACompactionBesideAnAppendKeepsBoth) {
  TestTable table = TestTable::Make(PlainSchema());
  auto committer = NewCommitter(table.context);
  ASSERT_TRUE(committer->Commit({Message({DataFile("a"), DataFile("b")})}).ok());
  auto compaction = Message({});
  compaction->compact_before = {DataFile("a"), DataFile("b")};
  compaction->compact_after = {DataFile("ab", 2)};
  ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile("c")})}).ok());
  ASSERT_TRUE(committer->Commit({compaction}).ok());
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("ab", "c"));
  const Snapshot snapshot = *table.context.snapshots->Latest().ValueOrDie();
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kCompact);
  EXPECT_EQ(snapshot.delta_record_count, 0);
}

TEST(ConflictTest, AppendingForAnotherNumberOfBucketsIsRefused) {
  TestTable table = TestTable::Make(PlainSchema({{"bucket", "2"}, {"bucket-key", "id"}}));
  auto committer = NewCommitter(table.context);
  ASSERT_TRUE(committer->Commit({Message({DataFile("a")}, "", 2)}).ok());
  EXPECT_EQ(KindOf(committer->Commit({Message({DataFile("b")}, "", 4)}).status()), ErrorKind::kCommitConflict);
  EXPECT_TRUE(committer->Overwrite({Message({DataFile("b")}, "", 4)}).ok());
}

TEST(ConflictTest, ABucketNumberThatAnotherCommitChangedIsNoticed) {
  TestTable table = TestTable::Make(PlainSchema({{"bucket", "2"}, {"bucket-key", "id"}}));
  auto ours = NewCommitter(table.context), theirs = NewCommitter(table.context);
  ASSERT_TRUE(ours->Commit({Message({DataFile("a")}, "", 2)}).ok());
  ASSERT_TRUE(theirs->Commit({Message({DataFile("b")}, "", 2)}).ok());
  ASSERT_TRUE(ours->Commit({Message({DataFile("c")}, "", 2)}).ok());
  ASSERT_TRUE(theirs->Overwrite({Message({DataFile("d")}, "", 4)}).ok());
  EXPECT_EQ(KindOf(ours->Commit({Message({DataFile("e")}, "", 2)}).status()), ErrorKind::kCommitConflict);
  ASSERT_TRUE(ours->Commit({Message({DataFile("f")}, "", 4)}).ok());
  // Emptied and filled again by somebody else, without an overwrite.
  ASSERT_TRUE(theirs->Truncate().ok());
  ASSERT_TRUE(theirs->Commit({Message({DataFile("g")}, "", 8)}).ok());
  EXPECT_EQ(KindOf(ours->Commit({Message({DataFile("h")}, "", 4)}).status()), ErrorKind::kCommitConflict);
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("g"));
}

TEST(ConflictTest, TheFirstFilesOfAPartitionSetItsBucketNumberForEverybody) {
  TestTable table = TestTable::Make(PartitionedSchema({{"bucket", "2"}, {"bucket-key", "id"}}));
  auto ours = NewCommitter(table.context), theirs = NewCommitter(table.context);
  const std::string x = PartitionRow(std::string("x"), 1), y = PartitionRow(std::string("y"), 1);
  ASSERT_TRUE(ours->Commit({Message({DataFile("a")}, x, 2)}).ok());
  ASSERT_TRUE(theirs->Commit({Message({DataFile("b")}, y, 4)}).ok());
  EXPECT_EQ(KindOf(ours->Commit({Message({DataFile("c")}, y, 2)}).status()), ErrorKind::kCommitConflict);
  EXPECT_EQ(KindOf(theirs->Commit({Message({DataFile("d")}, x, 4), Message({DataFile("e")}, y, 4)}).status()),
            ErrorKind::kCommitConflict);
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a", "b"));
}

TEST(ConflictTest, AFileIsAddedOnce) {
  TestTable table = TestTable::Make(PlainSchema({{"bucket", "2"}, {"bucket-key", "id"}}));
  auto committer = NewCommitter(table.context);
  ASSERT_TRUE(committer->Commit({Message({DataFile("a")}, "", 2)}).ok());
  EXPECT_EQ(KindOf(committer->Commit({Message({DataFile("a")}, "", 2)}).status()), ErrorKind::kCommitConflict);
  TestTable plain = TestTable::Make(PlainSchema());
  auto other = NewCommitter(plain.context);
  ASSERT_TRUE(other->Commit({Message({DataFile("a")})}).ok());
  EXPECT_EQ(KindOf(other->Commit({Message({DataFile("a")})}).status()), ErrorKind::kCommitConflict);
  auto discarding = NewCommitter(table.WithOptions({{"commit.discard-duplicate-files", "true"}}));
  ASSERT_TRUE(discarding->Commit({Message({DataFile("a"), DataFile("b")}, "", 2)}).ok());
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a", "b"));
}

TEST(ConflictTest, RowsDeletedMeanwhileAreNotBroughtBackByACompaction) {
  TestTable table = TestTable::Make(PlainSchema());
  auto committer = NewCommitter(table.context);
  ASSERT_TRUE(committer->Commit({Message({DataFile("a", 5)})}).ok());
  auto compaction = Message({});
  compaction->compact_before = {DataFile("a", 5)};
  compaction->compact_after = {DataFile("a2", 5)};
  auto deletion = Message({});
  IndexFileEntry vectors;
  vectors.partition = deletion->partition;
  vectors.index_type = "DELETION_VECTORS";
  vectors.file_name = "index-1";
  vectors.deletion_vectors = std::vector<DeletionVectorRange>{{"a", 1, 10, 2}};
  deletion->new_index_files = {vectors};
  ASSERT_TRUE(NewCommitter(table.context)->Commit({deletion}).ok());
  EXPECT_EQ(table.context.snapshots->Latest().ValueOrDie()->commit_kind, CommitKind::kOverwrite);
  EXPECT_EQ(KindOf(committer->Commit({compaction}).status()), ErrorKind::kCommitConflict);
  // A compaction that read the vector takes it away with the file.
  compaction->compact_deleted_index_files = {vectors};
  ASSERT_TRUE(committer->Commit({compaction}).ok());
  EXPECT_FALSE(table.context.snapshots->Latest().ValueOrDie()->index_manifest.has_value());
}

TEST(AbortTest, DeletesTheMessagesFilesButNeverCommittedOnes) {
  TestTable table = TestTable::Make(PlainSchema());
  const std::string bucket = JoinPath(table.context.paths.root, "bucket-0");
  for (const char* name : {"a", "b"}) ASSERT_TRUE(table.context.store->PutIfAbsent(JoinPath(bucket, name), "rows").ok());
  auto committer = NewCommitter(table.context);
  ASSERT_TRUE(committer->Commit({Message({DataFile("a")})}).ok());
  const arrow::Status refused = committer->Abort({Message({DataFile("b"), DataFile("a")})});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(KindOf(refused), ErrorKind::kInvalid);
  EXPECT_THAT(table.Files("bucket-0"), testing::SizeIs(2));
  ASSERT_TRUE(committer->Abort({Message({DataFile("b")})}).ok());
  EXPECT_THAT(table.Files("bucket-0"), UnorderedElementsAre(JoinPath(bucket, "a")));
}

/// Operations of one kind that a commit takes, after `before` others by the same committer.
int64_t OperationsOfACommit(const TestTable& table, FileOp op, int before, int32_t buckets, int64_t identifier) {
  auto faults = std::make_shared<FaultStore>(table.context.store);
  TableContext context = table.context;
  context.store = faults;
  context.snapshots = std::make_shared<SnapshotStore>(faults, context.paths);
  auto committer = NewCommitter(context, "user");
  for (int i = 0; i < before; ++i) {
    EXPECT_TRUE(committer->Commit({Message({DataFile("f" + std::to_string(i))}, "", buckets)}, identifier + i).ok());
  }
  const int64_t begin = faults->Count(op);
  EXPECT_TRUE(committer->Commit({Message({DataFile("last")}, "", buckets)}, identifier + before).ok());
  return faults->Count(op) - begin;
}

TEST(CommitCostTest, DoesNotGrowWithTheHistory) {
  const Options options = {{"bucket", "2"}, {"bucket-key", "id"}, {"manifest.merge-min-count", "1000"}};
  for (const FileOp op : {FileOp::kList, FileOp::kOpenInput, FileOp::kAnyMutation}) {
    const int64_t few = OperationsOfACommit(TestTable::Make(PlainSchema(options)), op, 15, 2, 1);
    const int64_t many = OperationsOfACommit(TestTable::Make(PlainSchema(options)), op, 80, 2, 1);
    EXPECT_EQ(few, many) << static_cast<int>(op);
  }
}

TEST(CommitCostTest, AppendsToFixedBucketsReadTheManifestsOnce) {
  const Options options = {{"bucket", "2"}, {"bucket-key", "id"}};
  TestTable table = TestTable::Make(PlainSchema(options)), plain = TestTable::Make(PlainSchema());
  // The delta of the commit before: its list and its manifest.
  EXPECT_LE(OperationsOfACommit(table, FileOp::kOpenInput, 20, 2, 1),
            OperationsOfACommit(plain, FileOp::kOpenInput, 20, -1, 1) + 2);
}

class ExpiryOfCommitsTest : public ::testing::Test {
 protected:
  static std::vector<int64_t> IdsAfterSixCommits(Options options) {
    TestTable table = TestTable::Make(PlainSchema(std::move(options)));
    auto committer = NewCommitter(table.context);
    for (int i = 0; i < 6; ++i) {
      const auto result = committer->Commit({Message({DataFile("f" + std::to_string(i))})});
      EXPECT_TRUE(result.ok() && result->expiry.ok());
    }
    return table.context.snapshots->ListIds().ValueOrDie();
  }
};

TEST_F(ExpiryOfCommitsTest, SnapshotsAboveTheMostToRetainGo) {
  EXPECT_THAT(IdsAfterSixCommits({{"snapshot.num-retained.min", "1"}, {"snapshot.num-retained.max", "2"}}),
              testing::ElementsAre(5, 6));
}

TEST_F(ExpiryOfCommitsTest, OldSnapshotsGoButTheLeastToRetain) {
  EXPECT_THAT(IdsAfterSixCommits({{"snapshot.num-retained.min", "3"}, {"snapshot.time-retained", "0 ms"}}),
              testing::Each(testing::Ge(3)));
}

TEST_F(ExpiryOfCommitsTest, ByDefaultSnapshotsOfAnHourStay) { EXPECT_THAT(IdsAfterSixCommits({}), testing::SizeIs(6)); }

TEST_F(ExpiryOfCommitsTest, AWriteOnlyTableExpiresNothing) {
  EXPECT_THAT(
      IdsAfterSixCommits({{"write-only", "true"}, {"snapshot.num-retained.min", "1"}, {"snapshot.num-retained.max", "2"}}),
      testing::SizeIs(6));
}

TEST_F(ExpiryOfCommitsTest, AFailureOfItLeavesTheCommitStanding) {
  TestTable table = TestTable::Make(PlainSchema({{"snapshot.num-retained.min", "1"}, {"snapshot.num-retained.max", "1"}}));
  ASSERT_TRUE(NewCommitter(table.context)->Commit({Message({DataFile("a")})}).ok());
  auto faults = std::make_shared<FaultStore>(table.context.store);
  TableContext context = table.context;
  context.store = faults;
  faults->Arm({.op = FileOp::kDeleteFile, .path_contains = "snapshot-1"});
  const auto result = NewCommitter(context)->Commit({Message({DataFile("b")})});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->snapshot_id, 2);
  EXPECT_FALSE(result->expiry.ok());
  EXPECT_THAT(LiveFiles(table.context), UnorderedElementsAre("a", "b"));
}

TEST(SettingsTest, AMalformedOptionIsRefusedByName) {
  TestTable table = TestTable::Make(PlainSchema());
  for (const auto& [key, value] : Options{{"commit.max-retries", "many"},
                                          {"commit.timeout", "soon"},
                                          {"manifest.target-file-size", "big"},
                                          {"dynamic-partition-overwrite", "maybe"},
                                          {"write-only", "perhaps"},
                                          {"snapshot.num-retained.min", "few"},
                                          {"snapshot.num-retained.max", "1.5"},
                                          {"snapshot.time-retained", "long"},
                                          {"snapshot.expire.limit", "x"},
                                          {"snapshot.clean-empty-directories", "yes please"}}) {
    const auto committer = MakeCommitter(table.WithOptions({{key, value}}), {});
    ASSERT_FALSE(committer.ok()) << key;
    EXPECT_EQ(KindOf(committer.status()), ErrorKind::kInvalid) << key;
    EXPECT_THAT(committer.status().message(), HasSubstr(key));
  }
}

}  // namespace
}  // namespace bactrian
