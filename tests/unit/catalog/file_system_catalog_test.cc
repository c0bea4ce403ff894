#include <arrow/record_batch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "bactrian/bactrian.h"
#include "bactrian/io/file_store.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Schema OneColumn(Options options = {}) {
  Schema schema;
  Field& id = schema.fields.emplace_back();
  id.name = "id";
  id.type = DataType::Bigint();
  schema.options = std::move(options);
  return schema;
}

class FileSystemCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    static int number = 0;
    warehouse_ = "memory://catalog_test_" + std::to_string(number++) + "/warehouse";
    ASSERT_OK_AND_ASSIGN(session_, Session::Make({}));
    CatalogOptions options;
    options.warehouse = warehouse_;
    options.options["table-default.file.format"] = "avro";
    ASSERT_OK_AND_ASSIGN(catalog_, session_->OpenCatalog(options));
    ASSERT_OK_AND_ASSIGN(store_, FileStore::Open(warehouse_));
  }

  std::string warehouse_;
  std::shared_ptr<Session> session_;
  std::shared_ptr<Catalog> catalog_;
  std::shared_ptr<FileStore> store_;
};

TEST_F(FileSystemCatalogTest, AMissingWarehouseIsEmptyUnlessItIsReadOnly) {
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> databases, catalog_->ListDatabases());
  EXPECT_THAT(databases, IsEmpty());
  CatalogOptions options;
  options.warehouse = warehouse_;
  options.read_only = true;
  EXPECT_EQ(ErrorKindOf(session_->OpenCatalog(options)), ErrorKind::kNotFound);
}

TEST_F(FileSystemCatalogTest, CreatesListsAndDropsDatabases) {
  ASSERT_OK(catalog_->CreateDatabase("b", false));
  ASSERT_OK(catalog_->CreateDatabase("a", false));
  EXPECT_EQ(ErrorKindOf(catalog_->CreateDatabase("a", false)), ErrorKind::kAlreadyExists);
  ASSERT_OK(catalog_->CreateDatabase("a", true));
  ASSERT_OK(store_->CreateDirectory(warehouse_ + "/no_database"));
  ASSERT_OK(store_->CreateDirectory(warehouse_ + "/sys.db"));
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> databases, catalog_->ListDatabases());
  EXPECT_THAT(databases, ElementsAre("a", "b"));
  ASSERT_OK(catalog_->DropDatabase("a", false, false));
  EXPECT_EQ(ErrorKindOf(catalog_->DropDatabase("a", false, false)), ErrorKind::kNotFound);
  ASSERT_OK(catalog_->DropDatabase("a", true, false));
}

TEST_F(FileSystemCatalogTest, ADatabaseWithTablesIsDroppedOnlyInCascade) {
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn()));
  EXPECT_EQ(ErrorKindOf(catalog_->DropDatabase("db", false, false)), ErrorKind::kInvalid);
  ASSERT_OK(catalog_->DropDatabase("db", false, true));
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> databases, catalog_->ListDatabases());
  EXPECT_THAT(databases, IsEmpty());
}

TEST_F(FileSystemCatalogTest, ReservedAndMalformedNamesAreRefused) {
  EXPECT_EQ(ErrorKindOf(catalog_->CreateDatabase("sys", true)), ErrorKind::kInvalid);
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  for (const char* name : {"", "..", ".hidden", "a/b", "a\\b", "a$b"}) {
    EXPECT_EQ(ErrorKindOf(catalog_->CreateDatabase(name, false)), ErrorKind::kInvalid) << name;
    EXPECT_EQ(ErrorKindOf(catalog_->CreateTable({"db", name}, OneColumn())), ErrorKind::kInvalid) << name;
    EXPECT_FALSE(catalog_->GetTable({name, "t"}).ok()) << name;
  }
  for (const char* name : {"", "..", "../db.db/t", ".hidden"}) EXPECT_FALSE(catalog_->GetTable({"db", name}).ok()) << name;
}

TEST_F(FileSystemCatalogTest, CreatesListsRenamesAndDropsTables) {
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  ASSERT_OK(catalog_->CreateDatabase("other", false));
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn()));
  EXPECT_EQ(ErrorKindOf(catalog_->CreateTable({"db", "t"}, OneColumn())), ErrorKind::kAlreadyExists);
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn(), /*ignore_if_exists=*/true));
  EXPECT_EQ(ErrorKindOf(catalog_->CreateTable({"nope", "t"}, OneColumn())), ErrorKind::kNotFound);
  ASSERT_OK(store_->CreateDirectory(warehouse_ + "/db.db/no_table"));
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> tables, catalog_->ListTables("db"));
  EXPECT_THAT(tables, ElementsAre("t"));

  ASSERT_OK(catalog_->RenameTable({"db", "t"}, {"other", "u"}));
  EXPECT_EQ(ErrorKindOf(catalog_->GetTable({"db", "t"})), ErrorKind::kNotFound);
  ASSERT_OK(catalog_->GetTable({"other", "u"}));
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn()));
  EXPECT_EQ(ErrorKindOf(catalog_->RenameTable({"db", "t"}, {"other", "u"})), ErrorKind::kAlreadyExists);
  EXPECT_EQ(ErrorKindOf(catalog_->RenameTable({"db", "x"}, {"db", "y"})), ErrorKind::kNotFound);

  ASSERT_OK(catalog_->DropTable({"db", "t"}, false));
  EXPECT_EQ(ErrorKindOf(catalog_->DropTable({"db", "t"}, false)), ErrorKind::kNotFound);
  ASSERT_OK(catalog_->DropTable({"db", "t"}, true));
  EXPECT_EQ(ErrorKindOf(catalog_->DropTable({"other", "u$snapshots"}, true)), ErrorKind::kInvalid);
}

TEST_F(FileSystemCatalogTest, TableDefaultsFillInWhatTheTableDoesNotSay) {
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  ASSERT_OK(catalog_->CreateTable({"db", "a"}, OneColumn()));
  ASSERT_OK(catalog_->CreateTable({"db", "b"}, OneColumn({{"file.format", "parquet"}})));
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Table> a, catalog_->GetTable({"db", "a"}));
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Table> b, catalog_->GetTable({"db", "b"}));
  EXPECT_EQ(a->schema()->options.at("file.format"), "avro");
  EXPECT_EQ(b->schema()->options.at("file.format"), "parquet");
}

TEST_F(FileSystemCatalogTest, DynamicOptionsAreTheHandlesAlone) {
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn()));
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Table> with, catalog_->GetTable({"db", "t"}, {{"x", "1"}}));
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Table> without, catalog_->GetTable({"db", "t"}));
  EXPECT_TRUE(with->schema()->options.contains("x"));
  EXPECT_FALSE(without->schema()->options.contains("x"));
}

TEST_F(FileSystemCatalogTest, AReadOnlyCatalogChangesNothing) {
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn()));
  CatalogOptions options;
  options.warehouse = warehouse_;
  options.read_only = true;
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Catalog> catalog, session_->OpenCatalog(options));
  EXPECT_EQ(ErrorKindOf(catalog->CreateDatabase("x", true)), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(catalog->DropDatabase("db", true, true)), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(catalog->CreateTable({"db", "u"}, OneColumn())), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(catalog->DropTable({"db", "t"}, true)), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(catalog->RenameTable({"db", "t"}, {"db", "u"})), ErrorKind::kInvalid);
  ASSERT_OK(catalog->GetTable({"db", "t"}));
}

TEST_F(FileSystemCatalogTest, SystemTablesAndBranchesAreFoundByName) {
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn()));
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Table> snapshots, catalog_->GetTable({"db", "t$snapshots"}));
  EXPECT_NE(snapshots->schema()->FindField("snapshot_id"), nullptr);
  EXPECT_EQ(ErrorKindOf(catalog_->GetTable({"db", "t$nope"})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(catalog_->GetTable({"db", "t$branch_b"})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(catalog_->GetTable({"nope", "t"})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(snapshots->NewWriter()), ErrorKind::kUnsupported);
}

TEST_F(FileSystemCatalogTest, ATableWithoutSnapshotsReadsAsEmpty) {
  ASSERT_OK(catalog_->CreateDatabase("db", false));
  ASSERT_OK(catalog_->CreateTable({"db", "t"}, OneColumn()));
  for (const char* object : {"t", "t$snapshots", "t$files", "t$audit_log", "t$ro"}) {
    ASSERT_OK_AND_ASSIGN(std::shared_ptr<Table> table, catalog_->GetTable({"db", object}));
    ASSERT_OK_AND_ASSIGN(std::shared_ptr<Plan> plan, table->NewScan().MakePlan());
    EXPECT_THAT(plan->splits(), IsEmpty()) << object;
    EXPECT_EQ(plan->statistics().row_count, 0) << object;
    ASSERT_OK_AND_ASSIGN(auto reader, plan->ReadAll());
    ASSERT_OK_AND_ASSIGN(auto batch, reader->Next());
    EXPECT_EQ(batch, nullptr) << object;
  }
}

}  // namespace
}  // namespace bactrian
