#include "bactrian/catalog/alter_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "../status_asserts.h"
#include "../table/own_table.h"
#include "bactrian/io/fault_store.h"
#include "bactrian/meta/schema_store.h"

namespace bactrian {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class AlterTableTest : public OwnTableTest {
 protected:
  void SetUp() override {
    OwnTableTest::SetUp();
    ASSERT_OK_AND_ASSIGN(store_, FileStore::Open(warehouse_));
    Create({NamedField("p", DataType::Int()), NamedField("v", DataType::Int()), NamedField("s", DataType::String())}, {"p"});
    ASSERT_OK(Append(Open(), {{int64_t{1}, int64_t{10}, std::string("old")}}));
  }

  arrow::Status Alter(const std::vector<SchemaChange>& changes) { return catalog_->AlterTable({"db", "t"}, changes); }
  std::vector<std::string> Rows() { return ScanTexts(Open()->NewScan()).ValueOrDie(); }
  TablePaths Paths() const { return {.root = warehouse_ + "/db.db/t"}; }
  size_t NumSchemas() const { return SchemaStore(store_, Paths()).ListIds().ValueOrDie().size(); }

  std::shared_ptr<FileStore> store_;
};

TEST_F(AlterTableTest, OldRowsAreReadUnderEachNewSchema) {
  ASSERT_OK(Alter({AddColumn{.path = {"n"}, .type = DataType::Bigint(), .default_value = "5"}}));
  EXPECT_THAT(Rows(), ElementsAre("1|10|old|null"));
  ASSERT_OK(Append(Open(), {{int64_t{1}, int64_t{11}, std::string("new"), Value()}}));
  EXPECT_THAT(Rows(), UnorderedElementsAre("1|10|old|null", "1|11|new|5"));
  ASSERT_OK(Alter({RenameColumn{{"v"}, "w"}, SetColumnType{{"w"}, DataType::Make(TypeRoot::kDouble)},
                   MoveColumn{.column = "s", .position = ColumnPosition::First()}}));
  EXPECT_THAT(Rows(), UnorderedElementsAre("old|1|10|null", "new|1|11|5"));
  // A column of the same name and another type is another column.
  ASSERT_OK(Alter({DropColumn{{"s"}}}));
  ASSERT_OK(Alter({AddColumn{.path = {"s"}, .type = DataType::Int()}}));
  EXPECT_THAT(Rows(), UnorderedElementsAre("1|10|null|null", "1|11|5|null"));
}

TEST_F(AlterTableTest, ImpossibleChangesAreRefusedBeforeAnythingIsWritten) {
  const std::vector<SchemaChange> impossible = {
      SetOption{"bucket", "4"},
      SetOption{"merge-engine", "aggregation"},
      AddColumn{.path = {"v"}, .type = DataType::Int()},
      AddColumn{.path = {"w"}, .type = DataType::Int(false)},
      AddColumn{.path = {"_ROW_ID"}, .type = DataType::Int()},
      AddColumn{.path = {"w"}, .type = DataType::Int(), .default_value = "x"},
      AddColumn{.path = {"w"}, .type = DataType::Int(), .position = ColumnPosition::After("nope")},
      RenameColumn{{"p"}, "q"},
      RenameColumn{{"v"}, "s"},
      RenameColumn{{"nope"}, "w"},
      DropColumn{{"p"}},
      DropColumn{{"nope"}},
      SetColumnType{{"p"}, DataType::Bigint()},
      SetColumnType{{"v"}, DataType::Array(DataType::Int())},
      SetColumnType{{"v"}, DataType::Int(false)},
      SetColumnNullability{{"v"}, false},
      SetColumnDefault{{"v"}, "many"},
      MoveColumn{.column = "nope", .position = ColumnPosition::First()},
      MoveColumn{.column = "v", .position = ColumnPosition::Before("v")},
  };
  for (size_t i = 0; i < impossible.size(); ++i) {
    // Not even what is possible beside it.
    EXPECT_FALSE(Alter({SetTableComment{"changed"}, impossible[i]}).ok()) << "change " << i;
    EXPECT_EQ(NumSchemas(), 1U) << "change " << i;
  }
  EXPECT_EQ(ErrorKindOf(catalog_->AlterTable({"db", "nope"}, {SetTableComment{"x"}})), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(catalog_->AlterTable({"db", "t$files"}, {SetTableComment{"x"}})), ErrorKind::kInvalid);
}

TEST_F(AlterTableTest, ConcurrentChangesAllArrive) {
  constexpr int kThreads = 6, kColumns = 5;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kColumns; ++i) {
        const std::string name = "c" + std::to_string(thread) + "_" + std::to_string(i);
        EXPECT_TRUE(Alter({AddColumn{.path = {name}, .type = DataType::Int()}}).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Open()->schema()->fields, SizeIs(3 + kThreads * kColumns));
  EXPECT_EQ(Open()->schema()->highest_field_id, 2 + kThreads * kColumns);
  EXPECT_EQ(NumSchemas(), 1U + kThreads * kColumns);
}

TEST_F(AlterTableTest, OfTwoChangesThatExcludeEachOtherOneIsRefused) {
  std::atomic<int> renamed = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] { renamed += Alter({RenameColumn{{"v"}, "v" + std::to_string(thread)}}).ok(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(renamed, 1);
  EXPECT_EQ(NumSchemas(), 2U);
}

TEST_F(AlterTableTest, APublishThatIsReportedAsFailedCountsByWhatIsThere) {
  for (const FaultMoment moment : {FaultMoment::kBefore, FaultMoment::kTorn, FaultMoment::kAfter}) {
    const size_t before = NumSchemas();
    auto faults = std::make_shared<FaultStore>(store_);
    faults->Arm({.op = FileOp::kPutIfAbsent, .moment = moment});
    const arrow::Status altered = AlterTable(faults, Paths(), {SetTableComment{"n" + std::to_string(before)}});
    EXPECT_EQ(altered.ok(), moment == FaultMoment::kAfter) << altered.ToString();
    EXPECT_EQ(NumSchemas(), before + (moment == FaultMoment::kAfter));
  }
}

TEST_F(AlterTableTest, OfTwoRenamesToOneNameOneIsRefused) {
  for (const char* name : {"a", "b"})
    ASSERT_OK(catalog_->CreateTable({"db", name}, {.fields = {NamedField(name, DataType::Int())}}));
  std::atomic<int> renamed = 0;
  std::vector<std::thread> threads;
  for (const char* name : {"a", "b"}) {
    threads.emplace_back([&, name] { renamed += catalog_->RenameTable({"db", name}, {"db", "c"}).ok(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(renamed, 1);
  ASSERT_OK_AND_ASSIGN(const auto tables, catalog_->ListTables("db"));
  EXPECT_THAT(tables, SizeIs(3));
  EXPECT_THAT(tables, Contains("c"));
}

TEST_F(AlterTableTest, ARenamedTableKeepsItsRowsAndItsHistory) {
  ASSERT_OK(Alter({AddColumn{.path = {"n"}, .type = DataType::Int()}}));
  ASSERT_OK(catalog_->RenameTable({"db", "t"}, {"db", "u"}));
  ASSERT_OK_AND_ASSIGN(auto table, catalog_->GetTable({"db", "u"}));
  ASSERT_OK(Append(table, {{int64_t{2}, int64_t{20}, std::string("x"), int64_t{3}}}));
  ASSERT_OK_AND_ASSIGN(auto rows, ScanTexts(table->NewScan()));
  EXPECT_THAT(rows, UnorderedElementsAre("1|10|old|null", "2|20|x|3"));
  EXPECT_EQ(ErrorKindOf(catalog_->RenameTable({"db", "u"}, {"db", "u$snapshots"})), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace bactrian
