#include "bactrian/predicate.h"

#include <gtest/gtest.h>

#include "testing.h"

namespace bactrian {
namespace {

PredicatePtr Equal(const std::string& column, int64_t value) {
  return Predicate::Compare(PredicateOp::kEqual, column, {Int(value)});
}

TEST(Predicate, JunctionsOfTheSameKindAreFlattened) {
  auto nested = Predicate::And({Equal("a", 1), Predicate::And({Equal("b", 2), Equal("c", 3)})});
  EXPECT_EQ(nested->children().size(), 3u);
  EXPECT_EQ(nested->ToString(), "a = 1 AND b = 2 AND c = 3");
  EXPECT_EQ(Predicate::And({Equal("a", 1), Predicate::Or({Equal("b", 2), Equal("c", 3)})})->ToString(),
            "a = 1 AND (b = 2 OR c = 3)");
}

TEST(Predicate, JunctionsOfNothingAreTheirNeutralConstant) {
  EXPECT_EQ(Predicate::And({})->op(), PredicateOp::kTrue);
  EXPECT_EQ(Predicate::Or({})->op(), PredicateOp::kFalse);
  EXPECT_EQ(Predicate::And({nullptr, Predicate::True()})->op(), PredicateOp::kTrue);
}

TEST(Predicate, JunctionsFoldConstantsAndSingleChildren) {
  auto leaf = Equal("a", 1);
  EXPECT_EQ(Predicate::And({Predicate::True(), leaf}), leaf);
  EXPECT_EQ(Predicate::Or({Predicate::False(), leaf}), leaf);
  EXPECT_EQ(Predicate::And({leaf, Predicate::False()})->op(), PredicateOp::kFalse);
  EXPECT_EQ(Predicate::Or({leaf, Predicate::True()})->op(), PredicateOp::kTrue);
}

TEST(Predicate, ConjunctsAreSplitAtTheTopOnly) {
  auto disjunction = Predicate::Or({Equal("b", 2), Equal("c", 3)});
  auto conjuncts = SplitConjuncts(Predicate::And({Equal("a", 1), disjunction}));
  ASSERT_EQ(conjuncts.size(), 2u);
  EXPECT_EQ(conjuncts[1], disjunction);
  EXPECT_EQ(SplitConjuncts(disjunction).size(), 1u);
  EXPECT_TRUE(SplitConjuncts(nullptr).empty());
  EXPECT_TRUE(SplitConjuncts(Predicate::True()).empty());
  EXPECT_EQ(SplitConjuncts(Predicate::False()).size(), 1u);
}

TEST(Predicate, ColumnsAreNamedOnceInOrderOfAppearance) {
  auto predicate = Predicate::And({Equal("b", 1), Predicate::Or({Equal("a", 2), Equal("b", 3)})});
  EXPECT_EQ(ColumnsOf(predicate), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(ColumnsOf(nullptr).empty());
  EXPECT_TRUE(ColumnsOf(Predicate::True()).empty());
}

TEST(Predicate, TextShowsEveryOperator) {
  auto text = [](PredicateOp op, std::vector<Value> literals) { return Predicate::Compare(op, "x", literals)->ToString(); };
  EXPECT_EQ(text(PredicateOp::kIsNull, {}), "x IS NULL");
  EXPECT_EQ(text(PredicateOp::kIsNotNull, {}), "x IS NOT NULL");
  EXPECT_EQ(text(PredicateOp::kNotEqual, {Value(true)}), "x <> TRUE");
  EXPECT_EQ(text(PredicateOp::kGreaterOrEqual, {Value(1.5)}), "x >= 1.5");
  EXPECT_EQ(text(PredicateOp::kNotIn, {Text("a"), Value{}}), "x NOT IN ('a', NULL)");
  EXPECT_EQ(text(PredicateOp::kLike, {Text("a%")}), "x LIKE 'a%'");
  EXPECT_EQ(text(PredicateOp::kLess, {Value(TimestampValue{-1, 999'999})}), "x < -1ms+999999ns");
  EXPECT_EQ(text(PredicateOp::kEqual, {Value(arrow::Decimal128(-125))}), "x = -125");
}

}  // namespace
}  // namespace bactrian
