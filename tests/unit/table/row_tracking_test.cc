// Row ids and columns that were written later, over tables of the reference. (All their rows are compared by conform.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "corpus.h"
#include "own_table.h"

namespace bactrian {
namespace {

class RowTrackingTest : public OwnTableTest {
 protected:
  std::shared_ptr<Table> OpenCorpus(const std::string& test_case, const std::string& table, const Options& options = {}) {
    auto catalog = session_->OpenCatalog({.warehouse = CorpusWarehouse(test_case), .options = {}, .read_only = true});
    EXPECT_TRUE(catalog.ok()) << catalog.status().ToString();
    auto opened = (*catalog)->GetTable({"default", table}, options);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return opened.ValueOr(nullptr);
  }

  static std::vector<std::string> Texts(const Scan& scan) {
    auto texts = ScanTexts(scan);
    EXPECT_TRUE(texts.ok()) << texts.status().ToString();
    return texts.ValueOr({});
  }
};

TEST_F(RowTrackingTest, RowIdsDoNotDependOnColumnsOrFilters) {
  for (const char* test_case : {"data_evolution_parquet", "data_evolution_avro", "data_evolution_dv", "row_tracking"}) {
    const auto table = OpenCorpus(test_case, "t");
    const std::vector<std::string> by_id = Texts(table->NewScan().Select({"id", "_ROW_ID"}));
    ASSERT_FALSE(by_id.empty()) << test_case;
    std::vector<std::string> turned;
    for (const std::string& text : Texts(table->NewScan().Select({"_ROW_ID", "id"}))) {
      const size_t bar = text.find('|');
      turned.push_back(text.substr(bar + 1) + "|" + text.substr(0, bar));
    }
    std::sort(turned.begin(), turned.end());
    EXPECT_EQ(turned, by_id) << test_case;
    std::set<std::string> row_ids;
    for (const std::string& text : by_id) row_ids.insert(text.substr(text.find('|') + 1));
    EXPECT_EQ(row_ids.size(), by_id.size()) << test_case;

    // Rows that a filter leaves keep the ids that they have without it.
    const PredicatePtr late = Is(PredicateOp::kGreaterOrEqual, "id", {Value(int64_t{7})});
    const std::vector<std::string> filtered = Texts(table->NewScan().Select({"id", "_ROW_ID"}).Filter(late));
    EXPECT_LT(filtered.size(), by_id.size()) << test_case;
    EXPECT_FALSE(filtered.empty()) << test_case;
    EXPECT_TRUE(std::includes(by_id.begin(), by_id.end(), filtered.begin(), filtered.end())) << test_case;
  }
}

TEST_F(RowTrackingTest, FiltersSeeTheNewestValueOfEveryColumn) {
  for (const char* snapshot : {"3", "4", "6"}) {
    for (const char* test_case : {"data_evolution_parquet", "data_evolution_avro"}) {
      const auto table = OpenCorpus(test_case, "t", {{"scan.snapshot-id", snapshot}});
      std::map<std::string, std::vector<std::string>> rows_of;  // by the value of b
      for (const std::string& text : Texts(table->NewScan().Select({"b", "id", "a"}))) {
        rows_of[text.substr(0, text.find('|'))].push_back(text);
      }
      ASSERT_GT(rows_of.size(), 1u);
      for (const auto& [b, rows] : rows_of) {
        if (b == "null") continue;
        const PredicatePtr same = Is(PredicateOp::kEqual, "b", {Value(b)});
        EXPECT_EQ(Texts(table->NewScan().Select({"b", "id", "a"}).Filter(same)), rows) << test_case << " " << snapshot;
        EXPECT_EQ(Texts(table->NewScan().Select({"id"}).Filter(same)).size(), rows.size()) << test_case << " " << snapshot;
      }
    }
  }
}

TEST_F(RowTrackingTest, CountsRowsOfSeveralFilesOnce) {
  for (const char* test_case : {"data_evolution_parquet", "data_evolution_dv"}) {
    const auto table = OpenCorpus(test_case, "t");
    ASSERT_OK_AND_ASSIGN(const auto plan, table->NewScan().MakePlan());
    const auto rows = static_cast<int64_t>(Texts(table->NewScan()).size());
    EXPECT_EQ(plan->statistics().row_count_precision, Precision::kExact);
    EXPECT_EQ(plan->statistics().row_count, rows) << test_case;
    ASSERT_OK_AND_ASSIGN(const auto reader, table->NewScan().Select({}).MakePlan().ValueOrDie()->ReadAll());
    int64_t counted = 0;
    for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch;) counted += batch->num_rows();
    EXPECT_EQ(counted, rows) << test_case;
  }
}

TEST_F(RowTrackingTest, TheSystemTableFiltersRowIds) {
  const auto table = OpenCorpus("row_tracking", "t$row_tracking");
  const PredicatePtr third = Is(PredicateOp::kEqual, "_ROW_ID", {Value(int64_t{3})});
  EXPECT_THAT(Texts(table->NewScan().Select({"id", "_ROW_ID"}).Filter(third)), testing::ElementsAre("3|3"));
  ASSERT_OK_AND_ASSIGN(auto catalog,
                       session_->OpenCatalog({.warehouse = CorpusWarehouse("pk_dedup"), .options = {}, .read_only = true}));
  EXPECT_EQ(KindOf(catalog->GetTable({"default", "t_parquet$row_tracking"}).status()), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace bactrian
