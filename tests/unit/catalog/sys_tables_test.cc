#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../corpus.h"
#include "../status_asserts.h"
#include "bactrian/bactrian.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class SysTablesTest : public testing::Test {
 protected:
  void Open(const std::string& warehouse) {
    ASSERT_OK_AND_ASSIGN(session_, Session::Make({}));
    CatalogOptions options;
    options.warehouse = warehouse;
    options.options["table-default.x"] = "y";
    ASSERT_OK_AND_ASSIGN(catalog_, session_->OpenCatalog(options));
  }
  static std::string CorpusWarehouse(const std::string& test_case) {
    for (const auto& path : CorpusFiles("/" + test_case + "/", "case.json")) return (path.parent_path() / "warehouse").string();
    ADD_FAILURE() << test_case;
    return "";
  }
  arrow::Result<std::shared_ptr<arrow::Table>> Read(const std::string& name) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Table> table, catalog_->GetTable({"sys", name}));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, table->NewScan().MakePlan());
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader, plan->ReadAll());
    return reader->ToTable();
  }
  static std::vector<std::string> Texts(const arrow::Table& table, const std::string& column) {
    std::vector<std::string> texts;
    for (const auto& chunk : table.GetColumnByName(column)->chunks()) {
      for (int64_t i = 0; i < chunk->length(); ++i) {
        texts.emplace_back(static_cast<const arrow::StringArray&>(*chunk).GetView(i));
      }
    }
    return texts;
  }

  std::shared_ptr<Session> session_;
  std::shared_ptr<Catalog> catalog_;
};

TEST_F(SysTablesTest, AllTablesAreListed) {
  Open(CorpusWarehouse("catalog"));
  ASSERT_OK_AND_ASSIGN(auto rows, Read("tables"));
  EXPECT_THAT(Texts(*rows, "database_name"), UnorderedElementsAre("db2", "default", "default"));
  EXPECT_THAT(Texts(*rows, "table_name"), UnorderedElementsAre("Mixed_Case", "empty", "nosnapshot_pk"));
  EXPECT_THAT(Texts(*rows, "table_type"), ElementsAre("table", "table", "table"));
  EXPECT_EQ(rows->GetColumnByName("record_count")->null_count(), 3);
}

TEST_F(SysTablesTest, OptionsHoldThePath) {
  const std::string warehouse = CorpusWarehouse("catalog");
  Open(warehouse);
  ASSERT_OK_AND_ASSIGN(auto rows, Read("all_table_options"));
  EXPECT_THAT(Texts(*rows, "value"), testing::Contains(warehouse + "/default.db/empty"));
  ASSERT_OK_AND_ASSIGN(rows, Read("catalog_options"));
  EXPECT_THAT(Texts(*rows, "key"), UnorderedElementsAre("table-default.x", "warehouse"));
}

// As the reference reads them: partitioned tables only.
TEST_F(SysTablesTest, PartitionsOfPartitionedTables) {
  Open(CorpusWarehouse("append_unaware"));
  ASSERT_OK_AND_ASSIGN(auto rows, Read("partitions"));
  EXPECT_EQ(rows->num_rows(), 0);
  Open(CorpusWarehouse("append_partitioned"));
  ASSERT_OK_AND_ASSIGN(rows, Read("partitions"));
  EXPECT_THAT(Texts(*rows, "partition_name"), testing::Contains("dt=2024-01-01/hr=7"));
  EXPECT_THAT(Texts(*rows, "table_name"), testing::Contains("t_overwrite"));
}

TEST_F(SysTablesTest, TheDatabaseIsReadOnly) {
  Open(CorpusWarehouse("catalog"));
  ASSERT_OK_AND_ASSIGN(auto names, catalog_->ListTables("sys"));
  EXPECT_THAT(names, ElementsAre("all_table_options", "catalog_options", "partitions", "tables"));
  EXPECT_EQ(ErrorKindOf(catalog_->GetTable({"sys", "nope"})), ErrorKind::kNotFound);
  ASSERT_OK_AND_ASSIGN(auto table, catalog_->GetTable({"sys", "tables"}));
  EXPECT_EQ(ErrorKindOf(table->NewWriter()), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace bactrian
