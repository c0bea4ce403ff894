#include "bactrian/history.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../table_write/test_table.h"
#include "bactrian/bactrian.h"
#include "bactrian/table/table_context.h"

namespace bactrian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A table in memory whose every commit adds one row.
class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static int tables = 0;
    session_ = Session::Make({}).ValueOrDie();
    catalog_ = session_->OpenCatalog({.warehouse = "memory://history" + std::to_string(tables++) + "/lake"}).ValueOrDie();
    ASSERT_TRUE(catalog_->CreateDatabase("db", false).ok());
    ASSERT_TRUE(catalog_->CreateTable({"db", "t"}, {.fields = {{.name = "id", .type = DataType::Bigint()}}}).ok());
  }

  std::shared_ptr<Table> Open(const std::string& object = "t") { return catalog_->GetTable({"db", object}).ValueOrDie(); }
  const TableContext& Context() {
    table_ = Open();
    return *table_->context();
  }

  void Append(int64_t id, const std::string& object = "t") {
    const std::shared_ptr<Table> table = Open(object);
    auto writer = table->NewWriter().ValueOrDie();
    arrow::Int64Builder builder;
    ASSERT_TRUE(builder.Append(id).ok());
    const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64())}), 1,
                                                arrow::ArrayVector{builder.Finish().ValueOrDie()});
    ASSERT_TRUE(writer->Write(*batch).ok());
    ASSERT_TRUE(table->NewCommitter().ValueOrDie()->Commit(writer->Finish().ValueOrDie()).ok());
  }

  std::vector<int64_t> Rows(const std::string& object = "t", const Options& options = {}) {
    const auto table = catalog_->GetTable({"db", object}, options).ValueOrDie();
    const auto rows = table->NewScan().MakePlan().ValueOrDie()->ReadAll().ValueOrDie()->ToTable().ValueOrDie();
    std::vector<int64_t> ids;
    for (const auto& chunk : rows->column(0)->chunks()) {
      for (int64_t i = 0; i < chunk->length(); ++i) ids.push_back(static_cast<const arrow::Int64Array&>(*chunk).Value(i));
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  std::string Read(const std::string& path) { return Context().store->ReadAll(path).ValueOrDie(); }
  void Expire(int64_t retain) {
    ASSERT_TRUE(ExpireSnapshots(*Open(), {.retain_min = retain, .retain_max = retain, .time_retained_millis = 0}).ok());
  }

  std::shared_ptr<Session> session_;
  std::shared_ptr<Catalog> catalog_;
  std::shared_ptr<Table> table_;
};

TEST_F(HistoryTest, ATagWithoutATimeIsTheSnapshotsFile) {
  Append(1);
  EXPECT_EQ(CreateTag(*Open(), "v1").ValueOrDie(), 1);
  EXPECT_EQ(Read(Context().paths.TagFile("v1")), Read(Context().paths.SnapshotFile(1)));
}

TEST_F(HistoryTest, ATagWithATimeSaysWhenItWasMadeAndHowLongItStays) {
  Append(1);
  ASSERT_TRUE(CreateTag(*Open(), "v1", {.time_retained_millis = 86400000}).ok());
  const std::string text = Read(Context().paths.TagFile("v1"));
  EXPECT_THAT(text, HasSubstr("\"tagTimeRetained\" : 86400.000000000"));
  EXPECT_THAT(text, HasSubstr("\"tagCreateTime\" : [ 20"));
  EXPECT_TRUE(TagStore(Context().store, Context().paths).Load("v1").ok());
}

TEST_F(HistoryTest, ATagKeepsItsRowsBeyondExpiry) {
  Append(1);
  Append(2);
  ASSERT_TRUE(CreateTag(*Open(), "v1", {.snapshot_id = 1}).ok());
  Append(3);
  Expire(1);
  EXPECT_THAT(Rows("t", {{"scan.tag-name", "v1"}}), ElementsAre(1));
  EXPECT_EQ(KindOf(CreateTag(*Open(), "late", {.snapshot_id = 1}).status()), ErrorKind::kSnapshotExpired);
}

TEST_F(HistoryTest, TagsHaveNamesOfTheirOwn) {
  EXPECT_EQ(KindOf(CreateTag(*Open(), "v1").status()), ErrorKind::kNotFound);  // no snapshot yet
  Append(1);
  ASSERT_TRUE(CreateTag(*Open(), "v1").ok());
  Append(2);
  EXPECT_EQ(KindOf(CreateTag(*Open(), "v1").status()), ErrorKind::kAlreadyExists);
  EXPECT_EQ(CreateTag(*Open(), "v1", {.replace = true}).ValueOrDie(), 2);
  EXPECT_EQ(KindOf(CreateTag(*Open(), "").status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(CreateTag(*Open(), "a/../b").status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(CreateTag(*Open("t$snapshots"), "v2").status()), ErrorKind::kUnsupported);
  ASSERT_TRUE(DeleteTag(*Open(), "v1").ok());
  EXPECT_EQ(KindOf(DeleteTag(*Open(), "v1")), ErrorKind::kNotFound);
}

TEST_F(HistoryTest, ABranchHasTheRowsOfItsTagAndGoesItsOwnWay) {
  Append(1);
  ASSERT_TRUE(CreateTag(*Open(), "v1").ok());
  Append(2);
  ASSERT_TRUE(CreateBranch(*Open(), "b", "v1").ok());
  EXPECT_THAT(Rows("t$branch_b"), ElementsAre(1));
  Append(7, "t$branch_b");
  EXPECT_THAT(Rows("t$branch_b"), ElementsAre(1, 7));
  EXPECT_THAT(Rows(), ElementsAre(1, 2));
  ASSERT_TRUE(DeleteBranch(*Open(), "b").ok());
  EXPECT_FALSE(catalog_->GetTable({"db", "t$branch_b"}).ok());
  EXPECT_THAT(Rows(), ElementsAre(1, 2));
}

TEST_F(HistoryTest, ABranchTakesTheSchemasUpToItsTag) {
  Append(1);
  ASSERT_TRUE(CreateTag(*Open(), "v1").ok());
  ASSERT_TRUE(catalog_->AlterTable({"db", "t"}, {AddColumn{.path = {"note"}, .type = DataType::String()}}).ok());
  ASSERT_TRUE(CreateBranch(*Open(), "old", "v1").ok());
  ASSERT_TRUE(CreateBranch(*Open(), "empty").ok());
  EXPECT_EQ(Open("t$branch_old")->schema()->fields.size(), 1U);
  EXPECT_EQ(Open("t$branch_empty")->schema()->fields.size(), 2U);
  EXPECT_THAT(Rows("t$branch_empty"), IsEmpty());
}

TEST_F(HistoryTest, BranchesAreRefusedBadNamesAndMissingTags) {
  for (const char* name : {"main", "", " ", "12", "a/b", ".."}) {
    EXPECT_EQ(KindOf(CreateBranch(*Open(), name)), ErrorKind::kInvalid) << name;
    EXPECT_EQ(KindOf(DeleteBranch(*Open(), name)), ErrorKind::kInvalid) << name;
  }
  EXPECT_EQ(KindOf(CreateBranch(*Open(), "b", "nothing")), ErrorKind::kNotFound);
  ASSERT_TRUE(CreateBranch(*Open(), "b").ok());
  EXPECT_EQ(KindOf(CreateBranch(*Open(), "b")), ErrorKind::kAlreadyExists);
  EXPECT_EQ(KindOf(CreateBranch(*Open("t$branch_b"), "c")), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(DeleteBranch(*Open(), "c")), ErrorKind::kNotFound);
}

TEST_F(HistoryTest, RollbackDeletesWhatIsLaterAndGoesOnFromThere) {
  for (int64_t id = 1; id <= 4; ++id) Append(id);
  ASSERT_TRUE(CreateTag(*Open(), "two", {.snapshot_id = 2}).ok());
  ASSERT_TRUE(CreateTag(*Open(), "four").ok());
  const RollbackResult result = RollbackToSnapshot(*Open(), 2).ValueOrDie();
  EXPECT_EQ(result.snapshot_id, 2);
  EXPECT_EQ(result.snapshots, 2);
  EXPECT_EQ(result.tags, 1);
  EXPECT_THAT(Rows(), ElementsAre(1, 2));
  EXPECT_EQ(Read(JoinPath(Context().paths.SnapshotDirectory(), "LATEST")), "2");
  Append(9);
  EXPECT_THAT(Rows(), ElementsAre(1, 2, 9));
  EXPECT_EQ(Context().snapshots->LatestId().ValueOrDie(), 3);
  EXPECT_EQ(KindOf(RollbackToSnapshot(*Open(), 7).status()), ErrorKind::kNotFound);
}

TEST_F(HistoryTest, RollbackToATagBringsAnExpiredSnapshotBack) {
  Append(1);
  ASSERT_TRUE(CreateTag(*Open(), "one").ok());
  Append(2);
  Append(3);
  Expire(1);
  ASSERT_EQ(Context().snapshots->EarliestId().ValueOrDie(), 3);
  const RollbackResult result = RollbackToTag(*Open(), "one").ValueOrDie();
  EXPECT_EQ(result.snapshot_id, 1);
  EXPECT_THAT(Rows(), ElementsAre(1));
  EXPECT_EQ(Context().snapshots->EarliestId().ValueOrDie(), 1);
  Append(5);
  EXPECT_THAT(Rows(), ElementsAre(1, 5));
  EXPECT_EQ(KindOf(RollbackToTag(*Open(), "nothing").status()), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace bactrian
