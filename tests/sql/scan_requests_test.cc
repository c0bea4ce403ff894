// What queries ask of the store: the files that are opened, counted below everything else.
#include <gtest/gtest.h>

#include "engine.h"
#include "recording_store.h"

namespace bactrian::cli {
namespace {

/// A table of eight files of a thousand rows each under a recording store.
class ScanRequests : public testing::Test {
 protected:
  void SetUp() override {
    store_ = std::make_shared<RecordingStore>(*FileStore::Open("memory://scan_requests"));
    FileStore::Register("fault", [store = store_](std::string_view) { return store; });
    warehouse_ = "fault:memory://scan_requests/" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
    engine_ = MakeEngine();
    Run("CREATE SCHEMA lake.db; CREATE TABLE lake.db.t (id BIGINT, v VARCHAR)");
    for (int i = 0; i < 8; ++i) {
      Run("INSERT INTO lake.db.t SELECT i, 'v' || i FROM range(" + std::to_string(i * 1000) + ", " +
          std::to_string(i * 1000 + 1000) + ") r(i)");
    }
    engine_ = MakeEngine();  // with empty caches
    store_->Forget();
  }

  std::unique_ptr<Engine> MakeEngine() {
    return std::make_unique<Engine>(Engine::Options{.warehouse = warehouse_, .threads = 1});
  }
  /// The first value of the last result.
  std::string Run(const std::string& sql) {
    std::string value;
    engine_->Run(sql, [&](duckdb::QueryResult& result) {
      for (const auto& row : result) {
        value = row.GetValue<duckdb::Value>(0).ToString();
        break;
      }
    });
    return value;
  }

  std::shared_ptr<RecordingStore> store_;
  std::string warehouse_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(ScanRequests, SecondQueryOverAnUnchangedTableReadsNoManifest) {
  EXPECT_EQ(Run("SELECT sum(id) FROM lake.db.t WHERE id >= 2500"), "28872250");
  EXPECT_GT(store_->Opened("/manifest/"), 0);
  EXPECT_EQ(store_->Opened("/data-"), 6);
  store_->Forget();
  EXPECT_EQ(Run("SELECT count(*) FROM lake.db.t a JOIN lake.db.t b USING (id) WHERE a.id < 1500"), "1500");
  EXPECT_EQ(store_->Opened("/manifest/"), 0);
}

TEST_F(ScanRequests, QueryAfterACommitReadsOnlyWhatTheCommitAdded) {
  Run("SELECT sum(id) FROM lake.db.t");
  const int64_t first = store_->Opened("/manifest/");
  Run("INSERT INTO lake.db.t VALUES (9000, 'new')");
  store_->Forget();
  EXPECT_EQ(Run("SELECT max(id) + count(*) FROM lake.db.t"), "17001");
  EXPECT_LE(store_->Opened("/manifest/"), 3);  // two lists and the new manifest
  EXPECT_LT(store_->Opened("/manifest/"), first);
}

TEST_F(ScanRequests, CountMinAndMaxOpenNoDataFile) {
  EXPECT_EQ(Run("SELECT count(*) FROM lake.db.t"), "8000");
  EXPECT_EQ(Run("SELECT max(id) - min(id) FROM lake.db.t"), "7999");
  EXPECT_EQ(store_->Opened("/data-"), 0);
}

TEST_F(ScanRequests, LimitOpensOneFile) {
  EXPECT_EQ(Run("SELECT count(*) FROM (SELECT id FROM lake.db.t LIMIT 10)"), "10");
  EXPECT_EQ(store_->Opened("/data-"), 1);
}

TEST_F(ScanRequests, OffsetLeavesOutWholeFiles) {
  EXPECT_EQ(Run("SELECT id FROM lake.db.t LIMIT 10 OFFSET 5990"), "5990");
  EXPECT_EQ(store_->Opened("/data-"), 1);
  store_->Forget();
  EXPECT_EQ(Run("SELECT id FROM lake.db.t LIMIT 20 OFFSET 5990"), "5990");
  EXPECT_EQ(store_->Opened("/data-"), 2);
}

TEST_F(ScanRequests, TopRowsComeFromTheFilesThatCanHoldThem) {
  EXPECT_EQ(Run("SELECT id FROM lake.db.t ORDER BY id DESC LIMIT 5"), "7999");
  EXPECT_EQ(store_->Opened("/data-"), 1);
  store_->Forget();
  EXPECT_EQ(Run("SELECT v FROM lake.db.t ORDER BY id LIMIT 5"), "v0");  // columns that are fetched late come from there, too
  EXPECT_EQ(store_->Opened("/data-"), 1);
}

TEST_F(ScanRequests, JoinOpensTheFilesThatMayHoldItsKeys) {
  EXPECT_EQ(Run("SELECT count(*) FROM lake.db.t WHERE id IN (SELECT 3000 + i * 7 FROM range(10) r(i))"), "10");
  EXPECT_EQ(store_->Opened("/data-"), 1);
}

TEST_F(ScanRequests, FilesOfAnyStoreAreReadByDuckDbsReader) {
  EXPECT_EQ(Run("SELECT count(DISTINCT filename) FROM lake.db.t WHERE v LIKE 'v79%'"), "2");
  EXPECT_EQ(Run("SELECT sum(length(v)) FROM lake.db.t"), "38890");
}

}  // namespace
}  // namespace bactrian::cli
