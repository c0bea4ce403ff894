// Following a table: tables of our own for what a reader sees, the corpus for changelogs that the reference wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "bactrian/meta/snapshot.h"
#include "bactrian/table/table_context.h"
#include "corpus.h"
#include "own_table.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChangeStreamTest : public OwnTableTest {
 protected:
  std::shared_ptr<Table> CreateNumbers(Options options = {}) {
    return Create({NamedField("n", DataType::Int())}, {}, std::move(options));
  }
  static void Add(const std::shared_ptr<Table>& table, int64_t n) { ASSERT_OK(Append(table, {{Value(n)}})); }

  static std::unique_ptr<ChangeStream> Follow(const std::shared_ptr<Table>& table) {
    auto stream = table->NewScan().OpenStream();
    EXPECT_TRUE(stream.ok()) << stream.status().ToString();
    return *std::move(stream);
  }
  /// The rows of the next plan; none when there is nothing new.
  static std::vector<std::string> Next(ChangeStream* stream) {
    auto plan = stream->Poll();
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    if (!plan.ok() || !*plan) return {};
    return RowTexts(**(*plan)->ReadAll()).ValueOrDie();
  }
  /// All rows until there is nothing new.
  static std::vector<std::string> Rest(ChangeStream* stream) {
    std::vector<std::string> rows;
    for (auto next = Next(stream); !next.empty(); next = Next(stream)) rows.insert(rows.end(), next.begin(), next.end());
    return rows;
  }
};

TEST_F(ChangeStreamTest, GivesTheStateFirstAndThenEachSnapshotsChanges) {
  auto table = CreateNumbers();
  auto stream = Follow(table);
  EXPECT_THAT(Next(stream.get()), IsEmpty());
  EXPECT_EQ(stream->Checkpoint(), std::nullopt);
  Add(table, 1);
  Add(table, 2);
  EXPECT_THAT(Next(stream.get()), ElementsAre("1", "2"));
  EXPECT_EQ(stream->Checkpoint(), 3);
  EXPECT_THAT(Next(stream.get()), IsEmpty());
  Add(table, 3);
  Add(table, 4);
  EXPECT_THAT(Next(stream.get()), ElementsAre("3"));
  EXPECT_EQ(stream->Checkpoint(), 4);
  EXPECT_THAT(Next(stream.get()), ElementsAre("4"));
  EXPECT_THAT(Next(stream.get()), IsEmpty());
}

TEST_F(ChangeStreamTest, StartsWhereItsOptionsSay) {
  auto table = CreateNumbers();
  for (int64_t n = 1; n <= 3; ++n) Add(table, n);
  EXPECT_THAT(Rest(Follow(Open({{"scan.mode", "latest"}})).get()), IsEmpty());
  EXPECT_THAT(Rest(Follow(Open({{"scan.snapshot-id", "2"}})).get()), ElementsAre("2", "3"));
  EXPECT_THAT(Next(Follow(Open({{"scan.mode", "from-snapshot-full"}, {"scan.snapshot-id", "2"}})).get()),
              ElementsAre("1", "2"));
  EXPECT_THAT(Rest(Follow(Open({{"scan.mode", "from-snapshot-full"}, {"scan.snapshot-id", "2"}})).get()),
              ElementsAre("1", "2", "3"));
  EXPECT_THAT(Rest(Follow(Open({{"scan.timestamp-millis", "0"}})).get()), ElementsAre("1", "2", "3"));
  ASSERT_OK_AND_ASSIGN(const Snapshot third, table->context()->snapshots->Load(3));
  const std::string after = std::to_string(third.time_millis + 1);
  EXPECT_THAT(Rest(Follow(Open({{"scan.timestamp-millis", after}})).get()), IsEmpty());
}

TEST_F(ChangeStreamTest, RefusesStartsThatOnlyBatchReadsKnow) {
  auto table = CreateNumbers();
  Add(table, 1);
  for (const Options& options : {Options{{"incremental-between", "0,1"}}, Options{{"scan.mode", "latest-delta"}},
                                 Options{{"scan.watermark", "0"}}, Options{{"scan.mode", "from-snapshot"}}}) {
    auto handle = catalog_->GetTable({"db", "t"}, options);
    const arrow::Status status = handle.ok() ? (*handle)->NewScan().OpenStream().status() : handle.status();
    EXPECT_FALSE(status.ok()) << options.begin()->first;
  }
  ASSERT_OK_AND_ASSIGN(auto snapshots, catalog_->GetTable({"db", "t$snapshots"}));
  EXPECT_EQ(KindOf(snapshots->NewScan().OpenStream().status()), ErrorKind::kUnsupported);
}

TEST_F(ChangeStreamTest, GoesOnFromACheckpoint) {
  auto table = CreateNumbers();
  Add(table, 1);
  auto first = Follow(table);
  EXPECT_THAT(Next(first.get()), ElementsAre("1"));
  const auto checkpoint = first->Checkpoint();
  Add(table, 2);
  EXPECT_THAT(Next(first.get()), ElementsAre("2"));
  auto second = Follow(table);
  second->Restore(checkpoint);
  EXPECT_THAT(Rest(second.get()), ElementsAre("2"));
  second->Restore(std::nullopt);
  EXPECT_THAT(Rest(second.get()), ElementsAre("1", "2"));
}

TEST_F(ChangeStreamTest, AConsumerGoesOnWhereItAcknowledged) {
  auto table = CreateNumbers();
  Add(table, 1);
  const Options options = {{"consumer-id", "me"}};
  auto stream = Follow(Open(options));
  EXPECT_THAT(Next(stream.get()), ElementsAre("1"));
  ASSERT_OK(stream->Acknowledge(*stream->Checkpoint()));
  Add(table, 2);
  EXPECT_THAT(Rest(Follow(Open(options)).get()), ElementsAre("2"));
  EXPECT_THAT(Rest(Follow(Open({{"consumer-id", "me"}, {"consumer.ignore-progress", "true"}})).get()), ElementsAre("1", "2"));
  ASSERT_OK_AND_ASSIGN(auto consumers, catalog_->GetTable({"db", "t$consumers"}));
  ASSERT_OK_AND_ASSIGN(const auto listed, ScanTexts(consumers->NewScan()));
  EXPECT_THAT(listed, ElementsAre("me|2"));
  EXPECT_EQ(KindOf(Follow(Open({{"consumer-id", "a/b"}, {"consumer.ignore-progress", "true"}}))->Acknowledge(1)),
            ErrorKind::kInvalid);
}

TEST_F(ChangeStreamTest, OverwritesShowOnlyWhereTheTableAsksForThem) {
  auto table = CreateNumbers();
  Add(table, 1);
  ASSERT_OK_AND_ASSIGN(auto batch, MakeBatch(table->schema()->fields, {{Value(int64_t{9})}}));
  ASSERT_OK_AND_ASSIGN(auto writer, table->NewWriter({.for_overwrite = true}));
  ASSERT_OK(writer->Write(*batch));
  ASSERT_OK_AND_ASSIGN(auto messages, writer->Finish());
  ASSERT_OK_AND_ASSIGN(auto committer, table->NewCommitter());
  ASSERT_OK(committer->Overwrite(messages).status());
  Add(table, 2);
  const Options start = {{"scan.snapshot-id", "1"}};
  EXPECT_THAT(Rest(Follow(Open(start)).get()), ElementsAre("1", "2"));
  EXPECT_THAT(Rest(Follow(Open({{"scan.snapshot-id", "1"}, {"streaming-read-append-overwrite", "true"}})).get()),
              ElementsAre("1", "9", "2"));
}

TEST_F(ChangeStreamTest, AnExpiredSnapshotIsAnErrorThatMovesNothing) {
  auto table = CreateNumbers();
  for (int64_t n = 1; n <= 4; ++n) Add(table, n);
  auto stream = Follow(table);
  stream->Restore(1);
  ASSERT_OK(ExpireSnapshots(*table, {.retain_min = 2, .retain_max = 2}).status());
  EXPECT_EQ(KindOf(stream->Poll().status()), ErrorKind::kSnapshotExpired);
  EXPECT_EQ(stream->Checkpoint(), 1);
  // One that was never read starts with the earliest that is left.
  EXPECT_THAT(Rest(Follow(Open({{"scan.snapshot-id", "1"}})).get()), ElementsAre("3", "4"));
}

TEST_F(ChangeStreamTest, ACheckpointAheadOfTheTableIsAnError) {
  auto table = CreateNumbers();
  Add(table, 1);
  auto stream = Follow(table);
  stream->Restore(3);
  EXPECT_EQ(KindOf(stream->Poll().status()), ErrorKind::kNotFound);
  stream->Restore(2);
  EXPECT_THAT(Next(stream.get()), IsEmpty());
}

TEST_F(ChangeStreamTest, EndsBeyondItsBoundedWatermark) {
  auto table = CreateNumbers();
  Add(table, 1);
  ASSERT_OK_AND_ASSIGN(Snapshot snapshot, table->context()->snapshots->Load(1));
  for (const int64_t watermark : {10, 11}) {
    ++snapshot.id;
    snapshot.watermark = watermark;
    ASSERT_OK(table->context()->snapshots->Publish(snapshot));
  }
  auto stream = Follow(Open({{"scan.snapshot-id", "1"}, {"scan.bounded.watermark", "10"}}));
  EXPECT_THAT(Next(stream.get()), ElementsAre("1"));
  EXPECT_FALSE(stream->ended());
  EXPECT_THAT(Next(stream.get()), ElementsAre("1"));
  EXPECT_EQ(stream->watermark(), 10);
  EXPECT_THAT(Next(stream.get()), IsEmpty());
  EXPECT_TRUE(stream->ended());
}

class CorpusStreamTest : public ChangeStreamTest {
 protected:
  std::shared_ptr<Table> OpenCorpus(const std::string& test_case, const std::string& table, const Options& options) {
    auto catalog = session_->OpenCatalog({.warehouse = CorpusWarehouse(test_case), .options = {}, .read_only = true});
    EXPECT_TRUE(catalog.ok()) << catalog.status().ToString();
    auto opened = (*catalog)->GetTable({"default", table}, options);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return opened.ValueOr(nullptr);
  }
};

TEST_F(CorpusStreamTest, ReadsChangelogsOfExpiredSnapshotsAndResumesAtAnyOfThem) {
  const auto table = OpenCorpus("tags_branches", "cl_decoupled", {{"scan.snapshot-id", "1"}});
  auto stream = Follow(table);
  std::vector<std::pair<std::optional<int64_t>, std::vector<std::string>>> steps;
  for (auto rows = Next(stream.get()); !rows.empty(); rows = Next(stream.get())) steps.emplace_back(stream->Checkpoint(), rows);
  std::vector<std::string> all;
  for (const auto& [next, rows] : steps) all.insert(all.end(), rows.begin(), rows.end());
  EXPECT_THAT(all, ElementsAre("0|v0", "1|v1", "2|v2", "0|v3", "1|v4", "2|v5"));
  for (size_t i = 0; i < steps.size(); ++i) {
    auto resumed = Follow(table);
    resumed->Restore(steps[i].first);
    std::vector<std::string> expected;
    for (size_t j = i + 1; j < steps.size(); ++j)
      expected.insert(expected.end(), steps[j].second.begin(), steps[j].second.end());
    EXPECT_EQ(Rest(resumed.get()), expected) << "after step " << i;
  }
}

TEST_F(CorpusStreamTest, TheAuditLogShowsWhatTheStreamCarries) {
  const Options start = {{"scan.snapshot-id", "1"}};
  auto changes = OpenCorpus("changelog_lookup", "deduplicate", start);
  auto log = OpenCorpus("changelog_lookup", "deduplicate$audit_log", start);
  auto scan = changes->NewScan().Select({"_VALUE_KIND", "k"});
  ASSERT_OK_AND_ASSIGN(auto stream, scan.OpenStream());
  auto log_stream = log->NewScan().Select({"rowkind", "k"}).OpenStream();
  ASSERT_OK(log_stream.status());
  static const std::map<char, std::string> kKinds = {{'0', "+I"}, {'1', "-U"}, {'2', "+U"}, {'3', "-D"}};
  std::vector<std::string> expected;
  for (const std::string& row : Rest(stream.get())) expected.push_back(kKinds.at(row[0]) + row.substr(1));
  std::vector<std::string> logged = Rest(log_stream->get());
  std::sort(expected.begin(), expected.end());
  std::sort(logged.begin(), logged.end());
  EXPECT_EQ(logged, expected);
  EXPECT_EQ(logged.size(), 9u);
}

}  // namespace
}  // namespace bactrian
