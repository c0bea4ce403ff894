#include "bactrian/table/schema_evolution.h"

#include <gtest/gtest.h>

namespace bactrian {
namespace {

Field MakeField(int32_t id, std::string name, TypePtr type) {
  Field field;
  field.id = id;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

const Value* NoConstant(std::string_view) { return nullptr; }

PredicatePtr Equals(std::string column, Value value) {
  return Predicate::Compare(PredicateOp::kEqual, std::move(column), {std::move(value)});
}

class EvolvePredicateTest : public testing::Test {
 protected:
  /// The table had b under the name old_b, c as INT, and neither d nor the column that is now called old_b.
  const std::vector<Field> query_ = {MakeField(0, "a", DataType::Int()),     MakeField(1, "b", DataType::String()),
                                     MakeField(2, "c", DataType::Bigint()),  MakeField(3, "d", DataType::Int()),
                                     MakeField(4, "old_b", DataType::Int()), MakeField(5, "e", DataType::Decimal(4, 1))};
  const std::vector<Field> data_ = {MakeField(0, "a", DataType::Int()), MakeField(1, "old_b", DataType::String()),
                                    MakeField(2, "c", DataType::Int()), MakeField(5, "e", DataType::Int())};

  EvolvedPredicate Evolve(const PredicatePtr& predicate) { return EvolvePredicate(predicate, query_, data_, NoConstant); }
};

TEST_F(EvolvePredicateTest, ColumnsAreMatchedByIdNotByName) {
  EvolvedPredicate evolved = Evolve(Equals("b", std::string("x")));
  EXPECT_EQ(evolved.predicate->column(), "old_b");
  EXPECT_EQ(evolved.residual->op(), PredicateOp::kTrue);
}

TEST_F(EvolvePredicateTest, AColumnThatTheFileLacksIsNull) {
  EXPECT_EQ(Evolve(Equals("d", int64_t{1})).predicate->op(), PredicateOp::kFalse);
  EXPECT_EQ(Evolve(Equals("old_b", int64_t{1})).predicate->op(), PredicateOp::kFalse);
  EXPECT_EQ(Evolve(Predicate::Compare(PredicateOp::kIsNull, "d")).predicate->op(), PredicateOp::kTrue);
  EXPECT_EQ(Evolve(Predicate::Compare(PredicateOp::kIsNull, "d")).residual->op(), PredicateOp::kTrue);
}

TEST_F(EvolvePredicateTest, LiteralsAreCastToTheFilesType) {
  EvolvedPredicate evolved = Evolve(Equals("c", int64_t{7}));
  EXPECT_EQ(evolved.predicate->ToString(), Equals("c", int64_t{7})->ToString());
  EXPECT_EQ(evolved.residual->op(), PredicateOp::kTrue);
}

TEST_F(EvolvePredicateTest, ACastThatMayGiveNullIsCheckedAgain) {
  const PredicatePtr is_null = Predicate::Compare(PredicateOp::kIsNull, "e");
  EvolvedPredicate evolved = Evolve(is_null);
  EXPECT_EQ(evolved.predicate->op(), PredicateOp::kTrue);  // 123456 is null as DECIMAL(4, 1)
  EXPECT_EQ(evolved.residual->ToString(), is_null->ToString());
  const PredicatePtr greater = Predicate::Compare(PredicateOp::kGreater, "e", {arrow::Decimal128(50)});
  EXPECT_EQ(Evolve(greater).residual->ToString(), greater->ToString());
}

TEST_F(EvolvePredicateTest, AConjunctThatCannotBeCarriedOverLeavesTheOthers) {
  const PredicatePtr is_null = Predicate::Compare(PredicateOp::kIsNull, "e");
  EvolvedPredicate evolved = Evolve(Predicate::And({Equals("a", int64_t{1}), is_null}));
  EXPECT_EQ(evolved.predicate->ToString(), Equals("a", int64_t{1})->ToString());
  EXPECT_EQ(evolved.residual->ToString(), is_null->ToString());
}

TEST_F(EvolvePredicateTest, AnAlternativeThatCannotBeCarriedOverTakesTheWholeDisjunction) {
  const PredicatePtr either = Predicate::Or({Equals("a", int64_t{1}), Predicate::Compare(PredicateOp::kIsNull, "e")});
  EvolvedPredicate evolved = Evolve(either);
  EXPECT_EQ(evolved.predicate->op(), PredicateOp::kTrue);
  EXPECT_EQ(evolved.residual->ToString(), either->ToString());
}

TEST_F(EvolvePredicateTest, PartitionValuesAreFoldedIn) {
  const Value seven = int64_t{7};
  auto constant_of = [&](std::string_view column) { return column == "a" ? &seven : nullptr; };
  const PredicatePtr either = Predicate::Or({Equals("a", int64_t{7}), Equals("b", std::string("x"))});
  EXPECT_EQ(EvolvePredicate(either, query_, data_, constant_of).predicate->op(), PredicateOp::kTrue);
  EXPECT_EQ(EvolvePredicate(Equals("a", int64_t{8}), query_, data_, constant_of).predicate->op(), PredicateOp::kFalse);
  const PredicatePtr other = Predicate::Or({Equals("a", int64_t{8}), Equals("b", std::string("x"))});
  EXPECT_EQ(EvolvePredicate(other, query_, data_, constant_of).predicate->column(), "old_b");
}

TEST(PhysicalFields, AreTheWrittenColumnsInTheFilesOrder) {
  TableSchema schema;
  schema.fields = {MakeField(0, "a", DataType::Int()), MakeField(1, "b", DataType::Int())};
  DataFileMeta file;
  EXPECT_EQ(PhysicalFields(schema, file).size(), 2);
  file.write_cols = {"b", "_ROW_ID"};
  ASSERT_EQ(PhysicalFields(schema, file).size(), 1);
  EXPECT_EQ(PhysicalFields(schema, file)[0].name, "b");
}

}  // namespace
}  // namespace bactrian
