/// What a scan gives: columns, filters, limits, batches, statistics.
#include <gmock/gmock.h>

#include "bactrian/meta/schema_store.h"
#include "bactrian/table/table_context.h"
#include "own_table.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ScanTest : public OwnTableTest {
 protected:
  void SetUp() override {
    OwnTableTest::SetUp();
    table_ = Create({NamedField("id", DataType::Int()), NamedField("name", DataType::String()),
                     NamedField("real", DataType::Make(TypeRoot::kDouble))});
    ASSERT_OK(Append(table_, {{int64_t{1}, std::string("one"), 1.5}, {int64_t{2}, Value(), 2.5}}));
    ASSERT_OK(Append(table_, {{int64_t{3}, std::string("three"), Value()}, {int64_t{4}, std::string("four"), 4.5}}));
  }
  std::vector<std::string> Texts(const Scan& scan) {
    auto texts = ScanTexts(scan);
    EXPECT_TRUE(texts.ok()) << texts.status().ToString();
    return texts.ValueOr(std::vector<std::string>{});
  }

  std::shared_ptr<Table> table_;
};

TEST_F(ScanTest, GivesAllColumnsOrTheSelectedOnesInTheirOrder) {
  EXPECT_THAT(Texts(table_->NewScan()), ElementsAre("1|one|1.5", "2|null|2.5", "3|three|null", "4|four|4.5"));
  EXPECT_THAT(Texts(table_->NewScan().Select({"real", "id"})), ElementsAre("1.5|1", "2.5|2", "4.5|4", "null|3"));
  EXPECT_EQ(ErrorKindOf(table_->NewScan().Select({"nope"}).MakePlan()), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(table_->NewScan().Select({"ID"}).MakePlan()), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(table_->NewScan().Select({"id", "id"}).MakePlan()), ErrorKind::kInvalid);
}

TEST_F(ScanTest, TheRowKindIsAColumnThatMayBeNamed) {
  EXPECT_THAT(Texts(table_->NewScan().Select({"_VALUE_KIND", "id"})), ElementsAre("0|1", "0|2", "0|3", "0|4"));
}

TEST_F(ScanTest, NoColumnsCountRowsWithoutOpeningAFile) {
  const int64_t opens = table_->context()->store->counters().opens;
  ASSERT_OK_AND_ASSIGN(auto plan, table_->NewScan().Select({}).MakePlan());
  const int64_t opens_to_plan = table_->context()->store->counters().opens;
  ASSERT_OK_AND_ASSIGN(auto reader, plan->ReadAll());
  int64_t rows = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch;) rows += batch->num_rows();
  EXPECT_EQ(rows, 4);
  EXPECT_GT(opens_to_plan, opens);
  EXPECT_EQ(table_->context()->store->counters().opens, opens_to_plan);
}

TEST_F(ScanTest, AFilterMayUseColumnsThatAreNotSelected) {
  const PredicatePtr filter = Is(PredicateOp::kGreater, "id", {int64_t{2}});
  EXPECT_THAT(Texts(table_->NewScan().Select({"name"}).Filter(filter)), ElementsAre("four", "three"));
  EXPECT_EQ(Texts(table_->NewScan().Select({}).Filter(filter)).size(), 2);
  EXPECT_THAT(Texts(table_->NewScan().Select({"id"}).Filter(Is(PredicateOp::kIsNull, "name"))), ElementsAre("2"));
  EXPECT_EQ(ErrorKindOf(table_->NewScan().Filter(Is(PredicateOp::kIsNull, "nope")).MakePlan()), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(table_->NewScan().Filter(Is(PredicateOp::kEqual, "id", {1.5})).MakePlan()), ErrorKind::kInvalid);
}

TEST_F(ScanTest, ALimitHoldsForAllSplitsTogetherAndDropsFilesNobodyNeeds) {
  for (int64_t limit = 0; limit <= 5; ++limit) {
    EXPECT_EQ(Texts(table_->NewScan().Limit(limit)).size(), std::min<int64_t>(limit, 4)) << limit;
  }
  EXPECT_EQ(Texts(table_->NewScan().Filter(Is(PredicateOp::kGreater, "id", {int64_t{2}})).Limit(1)).size(), 1);
  EXPECT_EQ(ErrorKindOf(table_->NewScan().Limit(-1).MakePlan()), ErrorKind::kInvalid);
}

TEST_F(ScanTest, BatchesAreNoLongerThanAskedAndNeverEmpty) {
  ASSERT_OK_AND_ASSIGN(auto plan, table_->NewScan().BatchRows(1).MakePlan());
  ASSERT_OK_AND_ASSIGN(auto reader, plan->ReadAll());
  int batches = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch; ++batches) {
    EXPECT_EQ(batch->num_rows(), 1);
  }
  EXPECT_EQ(batches, 4);
  EXPECT_EQ(ErrorKindOf(table_->NewScan().BatchRows(0).MakePlan()), ErrorKind::kInvalid);
}

TEST_F(ScanTest, ASplitIsReadAloneAndSplitsTogetherAreTheTable) {
  auto table = Open({{"source.split.target-size", "1 b"}});
  ASSERT_OK_AND_ASSIGN(auto plan, table->NewScan().Select({"id"}).MakePlan());
  ASSERT_EQ(plan->splits().size(), 2);
  std::vector<std::string> all;
  for (const auto& split : plan->splits()) {
    EXPECT_EQ(split->exact_row_count(), 2);
    ASSERT_OK_AND_ASSIGN(auto reader, plan->Read(*split));
    ASSERT_OK_AND_ASSIGN(auto texts, RowTexts(*reader));
    all.insert(all.end(), texts.begin(), texts.end());
  }
  EXPECT_THAT(all, ElementsAre("1", "2", "3", "4"));
}

TEST_F(ScanTest, StringViewsHoldTheSameText) {
  ASSERT_OK_AND_ASSIGN(auto plan, table_->NewScan().Select({"name", "id"}).StringViews(true).MakePlan());
  EXPECT_EQ(plan->schema()->field(0)->type()->id(), arrow::Type::STRING_VIEW);
  ASSERT_OK_AND_ASSIGN(auto reader, plan->ReadAll());
  ASSERT_OK_AND_ASSIGN(auto texts, RowTexts(*reader));
  EXPECT_THAT(texts, ElementsAre("four|4", "null|2", "one|1", "three|3"));
}

TEST_F(ScanTest, StatisticsSayHowSureTheyAre) {
  ASSERT_OK_AND_ASSIGN(auto plan, table_->NewScan().MakePlan());
  const PlanStatistics& all = plan->statistics();
  EXPECT_EQ(all.row_count_precision, Precision::kExact);
  EXPECT_EQ(all.row_count, 4);
  const ColumnStatistics& id = all.columns.at("id");
  EXPECT_EQ(id.precision, Precision::kExact);
  EXPECT_EQ(id.min, Value(int64_t{1}));
  EXPECT_EQ(id.max, Value(int64_t{4}));
  EXPECT_EQ(id.null_count, 0);
  EXPECT_EQ(all.columns.at("name").precision, Precision::kBound);  // statistics may cut text
  EXPECT_EQ(all.columns.at("name").null_count, 1);
  EXPECT_EQ(all.columns.at("real").precision, Precision::kAbsent);  // statistics may leave out NaN

  ASSERT_OK_AND_ASSIGN(auto filtered, table_->NewScan().Filter(Is(PredicateOp::kGreater, "id", {int64_t{1}})).MakePlan());
  EXPECT_EQ(filtered->statistics().row_count_precision, Precision::kBound);
  EXPECT_EQ(filtered->statistics().columns.at("id").precision, Precision::kBound);
  EXPECT_EQ(filtered->statistics().columns.at("id").null_count, 0);  // a filter adds no null
  EXPECT_EQ(filtered->statistics().columns.at("name").null_count, std::nullopt);
  ASSERT_OK_AND_ASSIGN(auto limited, table_->NewScan().Limit(3).MakePlan());
  EXPECT_EQ(limited->statistics().row_count, 3);
  EXPECT_EQ(limited->statistics().columns.at("id").precision, Precision::kBound);
}

TEST_F(ScanTest, ASecondPlanOfAnUnchangedSnapshotReadsNoManifest) {
  const PredicatePtr filter = Is(PredicateOp::kGreater, "id", {int64_t{1}});
  ASSERT_OK_AND_ASSIGN(auto first, table_->NewScan().MakePlan());
  EXPECT_GT(first->metrics().manifests_read, 0);
  for (const PredicatePtr& next : {PredicatePtr(), filter}) {
    ASSERT_OK_AND_ASSIGN(auto second, table_->NewScan().Filter(next).MakePlan());
    EXPECT_EQ(second->metrics().manifests_read, 0);
    EXPECT_EQ(second->metrics().entries_read, 0);
    EXPECT_EQ(second->metrics().manifests_total, first->metrics().manifests_total);
  }
  ASSERT_OK(Append(table_, {{int64_t{5}, Value(), Value()}}));
  ASSERT_OK_AND_ASSIGN(auto third, table_->NewScan().MakePlan());
  EXPECT_EQ(third->metrics().manifests_read, 1);
}

TEST_F(ScanTest, ColumnsAreFoundByIdNotByName) {
  // name is dropped, and another column of that name and another type comes: its old rows are null.
  TableSchema second = *table_->schema();
  second.id = 1;
  second.fields.erase(second.fields.begin() + 1);
  Field again = NamedField("name", DataType::Int());
  again.id = ++second.highest_field_id;
  second.fields.push_back(again);
  ASSERT_OK(table_->context()->schemas->Publish(second));
  auto evolved = Open();
  ASSERT_OK(Append(evolved, {{int64_t{5}, 5.5, int64_t{55}}}));
  EXPECT_THAT(Texts(evolved->NewScan().Select({"id", "name"})), ElementsAre("1|null", "2|null", "3|null", "4|null", "5|55"));
  EXPECT_EQ(Texts(evolved->NewScan().Filter(Is(PredicateOp::kIsNull, "name"))).size(), 4);
  EXPECT_THAT(Texts(evolved->NewScan().Select({"id"}).Filter(Is(PredicateOp::kEqual, "name", {int64_t{55}}))),
              ElementsAre("5"));
  // The handle of the old schema goes on reading its columns, null in the new file.
  EXPECT_THAT(Texts(table_->NewScan().Select({"id", "name"})), ElementsAre("1|one", "2|null", "3|three", "4|four", "5|null"));
  // Time travel reads with the schema of its snapshot.
  auto past = Open({{"scan.snapshot-id", "2"}});
  EXPECT_THAT(Texts(past->NewScan().Select({"id", "name"})), ElementsAre("1|one", "2|null", "3|three", "4|four"));
}

TEST_F(ScanTest, TheAuditLogShowsKindsAndTakesFiltersOnThem) {
  ASSERT_OK_AND_ASSIGN(auto log, catalog_->GetTable({"db", "t$audit_log"}));
  EXPECT_EQ(log->schema()->fields[0].name, "rowkind");
  EXPECT_THAT(Texts(log->NewScan().Select({"rowkind", "id"}).Limit(1)), ElementsAre("+I|1"));
  EXPECT_THAT(Texts(log->NewScan().Select({"id"}).Filter(Is(PredicateOp::kEqual, "rowkind", {std::string("-D")}))), IsEmpty());
  const PredicatePtr both =
      Predicate::And({Is(PredicateOp::kEqual, "rowkind", {std::string("+I")}), Is(PredicateOp::kGreater, "id", {int64_t{3}})});
  EXPECT_THAT(Texts(log->NewScan().Filter(both).Select({"name"})), ElementsAre("four"));
  ASSERT_OK_AND_ASSIGN(auto binlog, catalog_->GetTable({"db", "t$binlog"}));
  EXPECT_THAT(Texts(binlog->NewScan().Select({"id"}).Limit(1))[0], HasSubstr("[1]"));
}

TEST_F(ScanTest, SystemTablesTakeColumnsFiltersAndLimits) {
  ASSERT_OK_AND_ASSIGN(auto snapshots, catalog_->GetTable({"db", "t$snapshots"}));
  EXPECT_THAT(Texts(snapshots->NewScan().Select({"commit_kind", "snapshot_id"})), ElementsAre("APPEND|1", "APPEND|2"));
  EXPECT_THAT(
      Texts(snapshots->NewScan().Select({"snapshot_id"}).Filter(Is(PredicateOp::kGreater, "snapshot_id", {int64_t{1}}))),
      ElementsAre("2"));
  EXPECT_EQ(Texts(snapshots->NewScan().Limit(1)).size(), 1);
  EXPECT_EQ(ErrorKindOf(snapshots->NewScan().Select({"nope"}).MakePlan()), ErrorKind::kInvalid);
}

/// NULL and awkward partition values of each type: found by IS NULL, by equality, and left alone by <>.
class PartitionTest : public OwnTableTest, public testing::WithParamInterface<std::pair<TypePtr, std::vector<Value>>> {};

TEST_P(PartitionTest, PartitionFiltersAreExactForNullsToo) {
  const auto& [type, values] = GetParam();
  auto table = Create({NamedField("id", DataType::Int()), NamedField("p", type)}, {"p"});
  std::vector<Row> rows = {{int64_t{-1}, Value()}};
  for (size_t i = 0; i < values.size(); ++i) rows.push_back({static_cast<int64_t>(i), values[i]});
  ASSERT_OK(Append(table, rows));
  auto ids = [&](const PredicatePtr& filter) {
    auto texts = ScanTexts(table->NewScan().Select({"id"}).Filter(filter));
    EXPECT_TRUE(texts.ok()) << texts.status().ToString();
    return texts.ValueOr(std::vector<std::string>{});
  };
  EXPECT_THAT(ids(Is(PredicateOp::kIsNull, "p")), ElementsAre("-1"));
  EXPECT_EQ(ids(Is(PredicateOp::kIsNotNull, "p")).size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_THAT(ids(Is(PredicateOp::kEqual, "p", {values[i]})), ElementsAre(std::to_string(i)));
    EXPECT_EQ(ids(Is(PredicateOp::kNotEqual, "p", {values[i]})).size(), values.size() - 1);
    ASSERT_OK_AND_ASSIGN(auto plan, table->NewScan().Filter(Is(PredicateOp::kEqual, "p", {values[i]})).MakePlan());
    EXPECT_EQ(plan->metrics().files_after_partition, 1);
    EXPECT_EQ(plan->statistics().row_count_precision, Precision::kExact);  // whole partitions are kept or not
  }
  ASSERT_OK_AND_ASSIGN(auto all, ScanTexts(table->NewScan()));
  EXPECT_EQ(all.size(), rows.size());
}

INSTANTIATE_TEST_SUITE_P(
    Types, PartitionTest,
    testing::Values(std::pair{DataType::Int(), std::vector<Value>{int64_t{-5}, int64_t{0}, int64_t{7}}},
                    std::pair{DataType::String(),
                              std::vector<Value>{std::string("a"), std::string("a b/c=d%3A:\n"), std::string("\u00fc")}},
                    std::pair{DataType::Make(TypeRoot::kBoolean), std::vector<Value>{false, true}},
                    std::pair{DataType::Make(TypeRoot::kDate), std::vector<Value>{int64_t{-1}, int64_t{19723}}},
                    std::pair{DataType::Decimal(20, 2), std::vector<Value>{arrow::Decimal128(-123), arrow::Decimal128(5)}},
                    std::pair{DataType::WithPrecision(TypeRoot::kTimestamp, 0), std::vector<Value>{TimestampValue{-1000, 0}}},
                    std::pair{DataType::WithPrecision(TypeRoot::kTimestamp, 6),
                              std::vector<Value>{TimestampValue{-1, 999000}, TimestampValue{0, 1000}}}));

}  // namespace
}  // namespace bactrian
