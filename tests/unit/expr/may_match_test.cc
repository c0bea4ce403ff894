#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bactrian/expr/evaluate.h"
#include "testing.h"

namespace bactrian {
namespace {

constexpr int64_t kRows = 10;
const float kFloatNan = std::numeric_limits<float>::quiet_NaN();
const double kNan = std::numeric_limits<double>::quiet_NaN();

bool MayMatchColumn(const Predicate& predicate, const ColumnBounds& bounds) {
  return MayMatch(predicate, kRows, [&](std::string_view) { return bounds; });
}
bool MayMatchX(PredicateOp op, std::vector<Value> literals, const ColumnBounds& bounds) {
  return MayMatchColumn(*Predicate::Compare(op, "x", std::move(literals)), bounds);
}
ColumnBounds Between(Value min, Value max, std::optional<int64_t> null_count = 0) {
  return {std::move(min), std::move(max), null_count};
}

TEST(MayMatch, ComparesLiteralsWithBothBounds) {
  const ColumnBounds bounds = Between(Int(-5), Int(5));
  for (int64_t literal : {-6, -5, 0, 5, 6}) {
    EXPECT_EQ(MayMatchX(PredicateOp::kEqual, {Int(literal)}, bounds), literal >= -5 && literal <= 5) << literal;
    EXPECT_EQ(MayMatchX(PredicateOp::kLess, {Int(literal)}, bounds), literal > -5) << literal;
    EXPECT_EQ(MayMatchX(PredicateOp::kLessOrEqual, {Int(literal)}, bounds), literal >= -5) << literal;
    EXPECT_EQ(MayMatchX(PredicateOp::kGreater, {Int(literal)}, bounds), literal < 5) << literal;
    EXPECT_EQ(MayMatchX(PredicateOp::kGreaterOrEqual, {Int(literal)}, bounds), literal <= 5) << literal;
    EXPECT_TRUE(MayMatchX(PredicateOp::kNotEqual, {Int(literal)}, bounds)) << literal;
  }
}

TEST(MayMatch, NegationsPruneOnlyWhereAllValuesAreTheSame) {
  const ColumnBounds same = Between(Int(7), Int(7));
  EXPECT_FALSE(MayMatchX(PredicateOp::kNotEqual, {Int(7)}, same));
  EXPECT_TRUE(MayMatchX(PredicateOp::kNotEqual, {Int(8)}, same));
  EXPECT_FALSE(MayMatchX(PredicateOp::kNotIn, {Int(1), Int(7)}, same));
  EXPECT_TRUE(MayMatchX(PredicateOp::kNotIn, {Int(1), Int(2)}, same));
  EXPECT_TRUE(MayMatchX(PredicateOp::kNotIn, {Int(7)}, Between(Int(7), Int(8))));
}

TEST(MayMatch, InNeedsOneLiteralInside) {
  const ColumnBounds bounds = Between(Int(10), Int(20));
  EXPECT_FALSE(MayMatchX(PredicateOp::kIn, {Int(1), Int(30)}, bounds));
  EXPECT_TRUE(MayMatchX(PredicateOp::kIn, {Int(1), Int(15)}, bounds));
  EXPECT_FALSE(MayMatchX(PredicateOp::kIn, {Int(1), Value{}}, bounds));
  EXPECT_TRUE(MayMatchX(PredicateOp::kIn, {Value{}, Int(15)}, bounds));
  EXPECT_FALSE(MayMatchX(PredicateOp::kIn, {}, bounds));
}

TEST(MayMatch, ComparisonsWithNullAreNeverTrue) {
  const ColumnBounds unknown;
  EXPECT_FALSE(MayMatchX(PredicateOp::kEqual, {Value{}}, unknown));
  EXPECT_FALSE(MayMatchX(PredicateOp::kNotEqual, {Value{}}, unknown));
  EXPECT_FALSE(MayMatchX(PredicateOp::kNotIn, {Int(1), Value{}}, unknown));
  EXPECT_FALSE(MayMatchX(PredicateOp::kIn, {Value{}}, unknown));
  EXPECT_FALSE(MayMatchX(PredicateOp::kStartsWith, {Value{}}, unknown));
}

TEST(MayMatch, UnknownBoundsAndColumnsKeepTheFile) {
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Int(1)}, {}));
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Int(1)}, {Int(0), std::nullopt, 0}));
  EXPECT_FALSE(MayMatchX(PredicateOp::kEqual, {Int(-1)}, {Int(0), std::nullopt, 0}));
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Int(1)}, {std::nullopt, Int(5), 0}));
  EXPECT_FALSE(MayMatchX(PredicateOp::kEqual, {Int(6)}, {std::nullopt, Int(5), 0}));
  auto none = [](std::string_view) -> std::optional<ColumnBounds> { return std::nullopt; };
  EXPECT_TRUE(MayMatch(*Predicate::Compare(PredicateOp::kIsNull, "y"), kRows, none));
  EXPECT_TRUE(MayMatch(*Predicate::Compare(PredicateOp::kEqual, "y", {Int(1)}), kRows, none));
}

TEST(MayMatch, NullCountsDecideNullTests) {
  EXPECT_FALSE(MayMatchX(PredicateOp::kIsNull, {}, {std::nullopt, std::nullopt, 0}));
  EXPECT_TRUE(MayMatchX(PredicateOp::kIsNull, {}, {std::nullopt, std::nullopt, 1}));
  EXPECT_TRUE(MayMatchX(PredicateOp::kIsNotNull, {}, {std::nullopt, std::nullopt, kRows - 1}));
  EXPECT_FALSE(MayMatchX(PredicateOp::kIsNotNull, {}, {std::nullopt, std::nullopt, kRows}));
}

TEST(MayMatch, AMissingNullCountKeepsTheFile) {
  EXPECT_TRUE(MayMatchX(PredicateOp::kIsNull, {}, Between(Int(1), Int(2), std::nullopt)));
  EXPECT_TRUE(MayMatchX(PredicateOp::kIsNotNull, {}, {}));
}

TEST(MayMatch, ImpossibleNullCountsAreUnknown) {
  EXPECT_TRUE(MayMatchX(PredicateOp::kIsNotNull, {}, {std::nullopt, std::nullopt, kRows + 1}));
  EXPECT_TRUE(MayMatchX(PredicateOp::kIsNull, {}, {std::nullopt, std::nullopt, -1}));
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Int(1)}, {std::nullopt, std::nullopt, kRows + 1}));
}

TEST(MayMatch, AllNullColumnsMatchNoComparison) {
  const ColumnBounds all_null{std::nullopt, std::nullopt, kRows};
  EXPECT_FALSE(MayMatchX(PredicateOp::kEqual, {Int(1)}, all_null));
  EXPECT_FALSE(MayMatchX(PredicateOp::kNotEqual, {Int(1)}, all_null));
  EXPECT_FALSE(MayMatchX(PredicateOp::kNotIn, {Int(1)}, all_null));
  EXPECT_FALSE(MayMatchX(PredicateOp::kContains, {Text("a")}, all_null));
  EXPECT_TRUE(MayMatchX(PredicateOp::kIsNull, {}, all_null));
}

TEST(MayMatch, NanMayHideAboveFloatBounds) {
  const ColumnBounds bounds = Between(Value(1.0), Value(3.0));
  EXPECT_TRUE(MayMatchX(PredicateOp::kGreater, {Value(5.0)}, bounds));
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Value(kNan)}, bounds));
  EXPECT_TRUE(MayMatchX(PredicateOp::kNotEqual, {Value(1.0)}, Between(Value(1.0), Value(1.0))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kNotIn, {Value(1.0)}, Between(Value(1.0), Value(1.0))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kGreaterOrEqual, {Value(4.0F)}, Between(Value(1.0F), Value(3.0F))));
  // Numbers themselves are inside.
  EXPECT_FALSE(MayMatchX(PredicateOp::kEqual, {Value(5.0)}, bounds));
  EXPECT_FALSE(MayMatchX(PredicateOp::kLess, {Value(1.0)}, bounds));
  EXPECT_FALSE(MayMatchX(PredicateOp::kIn, {Value(0.0), Value(9.0)}, bounds));
}

TEST(MayMatch, NanBoundsAreUnknown) {
  for (const ColumnBounds& bounds : {Between(Value(kNan), Value(kNan)), Between(Value(1.0), Value(kNan))}) {
    EXPECT_TRUE(MayMatchX(PredicateOp::kGreater, {Value(5.0)}, bounds));
    EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Value(5.0)}, bounds));
  }
  EXPECT_TRUE(MayMatchX(PredicateOp::kLess, {Value(0.0F)}, Between(Value(kFloatNan), Value(1.0F))));
}

TEST(MayMatch, ABoundOfEitherZeroCoversBoth) {
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Value(-0.0)}, Between(Value(0.0), Value(1.0))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Value(0.0)}, Between(Value(-1.0), Value(-0.0))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kLess, {Value(0.0F)}, Between(Value(0.0F), Value(1.0F))));
  EXPECT_FALSE(MayMatchX(PredicateOp::kLess, {Value(-0.0F)}, Between(Value(0.0F), Value(1.0F))));
}

TEST(MayMatch, ContradictingBoundsAreUnknown) {
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Int(7)}, Between(Int(9), Int(1))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Int(7)}, Between(Int(9), Text("a"))));
}

TEST(MayMatch, LiteralsOfAnotherKindKeepTheFile) {
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Text("a")}, Between(Int(1), Int(1))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kNotIn, {Int(1), Text("a")}, Between(Int(1), Int(1))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kStartsWith, {Text("a")}, Between(Int(1), Int(1))));
}

TEST(MayMatch, StringsCompareByUnsignedBytes) {
  const ColumnBounds bounds = Between(Text("a"), Text("\xc3\xa4"));  // "ä" is above all of ASCII
  EXPECT_TRUE(MayMatchX(PredicateOp::kEqual, {Text("z")}, bounds));
  EXPECT_FALSE(MayMatchX(PredicateOp::kGreater, {Text("\xe2\x82\xac")}, bounds));
}

TEST(MayMatch, PrefixesAgainstShortenedBounds) {
  const ColumnBounds bounds = Between(Text("abc"), Text("abf"));  // of "abcde" … "abeee", cut after three bytes
  auto starts = [&](std::string_view prefix) { return MayMatchX(PredicateOp::kStartsWith, {Text(prefix)}, bounds); };
  for (std::string_view prefix : {"", "a", "ab", "abc", "abcd", "abe", "abeee", "abf"}) EXPECT_TRUE(starts(prefix)) << prefix;
  for (std::string_view prefix : {"abb", "abbz", "aa", "abg", "b", "abff"}) EXPECT_FALSE(starts(prefix)) << prefix;
}

TEST(MayMatch, LikePrunesByThePrefixOfItsPattern) {
  const ColumnBounds bounds = Between(Text("abc"), Text("abf"));
  auto like = [&](std::string_view pattern) { return MayMatchX(PredicateOp::kLike, {Text(pattern)}, bounds); };
  for (std::string_view pattern : {"ab%", "%", "_b%", "abd_%", "abd", "a_x"}) EXPECT_TRUE(like(pattern)) << pattern;
  for (std::string_view pattern : {"b%", "aa%", "abg_", "abb", "a\\%%"}) EXPECT_FALSE(like(pattern)) << pattern;
  EXPECT_TRUE(like("b\\x"));  // malformed: not ours to judge
}

TEST(MayMatch, EndsWithAndContainsPruneOnlyASingleValue) {
  EXPECT_TRUE(MayMatchX(PredicateOp::kEndsWith, {Text("z")}, Between(Text("a"), Text("b"))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kContains, {Text("z")}, Between(Text("a"), Text("b"))));
  EXPECT_FALSE(MayMatchX(PredicateOp::kEndsWith, {Text("z")}, Between(Text("ab"), Text("ab"))));
  EXPECT_TRUE(MayMatchX(PredicateOp::kContains, {Text("b")}, Between(Text("ab"), Text("ab"))));
}

TEST(MayMatch, JunctionsCombineTheirChildren) {
  auto inside = Predicate::Compare(PredicateOp::kEqual, "x", {Int(3)});
  auto outside = Predicate::Compare(PredicateOp::kEqual, "x", {Int(30)});
  const ColumnBounds bounds = Between(Int(1), Int(5));
  EXPECT_FALSE(MayMatchColumn(*Predicate::And({inside, outside}), bounds));
  EXPECT_TRUE(MayMatchColumn(*Predicate::Or({outside, inside}), bounds));
  EXPECT_FALSE(MayMatchColumn(*Predicate::Or({outside, outside}), bounds));
  EXPECT_TRUE(MayMatchColumn(*Predicate::True(), bounds));
  EXPECT_FALSE(MayMatchColumn(*Predicate::False(), bounds));
}

TEST(EvaluateRow, FollowsThreeValuedLogic) {
  const Value one = Int(1), null;
  auto value_of = [&](std::string_view column) { return column == "one" ? &one : column == "null" ? &null : nullptr; };
  auto yes = Predicate::Compare(PredicateOp::kEqual, "one", {Int(1)});
  auto no = Predicate::Compare(PredicateOp::kEqual, "one", {Int(2)});
  auto unknown = Predicate::Compare(PredicateOp::kEqual, "null", {Int(1)});
  EXPECT_EQ(EvaluateRow(*yes, value_of), true);
  EXPECT_EQ(EvaluateRow(*no, value_of), false);
  EXPECT_EQ(EvaluateRow(*unknown, value_of), std::nullopt);
  EXPECT_EQ(EvaluateRow(*Predicate::And({unknown, no}), value_of), false);
  EXPECT_EQ(EvaluateRow(*Predicate::And({unknown, yes}), value_of), std::nullopt);
  EXPECT_EQ(EvaluateRow(*Predicate::Or({unknown, yes}), value_of), true);
  EXPECT_EQ(EvaluateRow(*Predicate::Or({unknown, no}), value_of), std::nullopt);
  EXPECT_EQ(EvaluateRow(*Predicate::Compare(PredicateOp::kIsNull, "null"), value_of), true);
  EXPECT_EQ(EvaluateRow(*Predicate::Compare(PredicateOp::kEqual, "absent", {Int(1)}), value_of), std::nullopt);
}

TEST(EvaluateRow, NullsInListsMakeMissesNull) {
  const Value one = Int(1);
  auto value_of = [&](std::string_view) { return &one; };
  auto in = [&](PredicateOp op, std::vector<Value> literals) {
    return EvaluateRow(*Predicate::Compare(op, "x", std::move(literals)), value_of);
  };
  EXPECT_EQ(in(PredicateOp::kIn, {Int(1), Value{}}), true);
  EXPECT_EQ(in(PredicateOp::kIn, {Int(2), Value{}}), std::nullopt);
  EXPECT_EQ(in(PredicateOp::kNotIn, {Int(1), Value{}}), false);
  EXPECT_EQ(in(PredicateOp::kNotIn, {Int(2), Value{}}), std::nullopt);
  EXPECT_EQ(in(PredicateOp::kNotIn, {Int(2)}), true);
}

}  // namespace
}  // namespace bactrian
