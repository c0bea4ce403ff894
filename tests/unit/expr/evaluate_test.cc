#include "bactrian/expr/evaluate.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "testing.h"

namespace bactrian {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

std::string Mask(const PredicatePtr& predicate, const std::vector<Field>& fields, const arrow::RecordBatch& batch) {
  auto bound = BoundPredicate::Bind(predicate, fields);
  if (!bound.ok()) return bound.status().ToString();
  std::string mask(static_cast<size_t>(batch.num_rows()), '?');
  const arrow::Status status = (*bound)->Evaluate(batch, reinterpret_cast<uint8_t*>(mask.data()));
  if (!status.ok()) return status.ToString();
  for (char& c : mask) c = static_cast<char>('0' + c);
  return mask;
}

/// Rows of one column x that pass, as "0110".
std::string MaskOf(PredicateOp op, const std::vector<Value>& literals, const TypePtr& type, const std::vector<Value>& values,
                   Layout layout = Layout::kPlain) {
  return Mask(Predicate::Compare(op, "x", literals), {{.id = 0, .name = "x", .type = type}},
              *MakeBatch({WithLayout(MakeColumn(type, values), layout)}));
}

TEST(BoundPredicate, ComparesIntegersOfEveryWidth) {
  for (TypeRoot root :
       {TypeRoot::kTinyint, TypeRoot::kSmallint, TypeRoot::kInt, TypeRoot::kBigint, TypeRoot::kDate, TypeRoot::kTime}) {
    const TypePtr type = DataType::Make(root);
    const std::vector<Value> values = {Int(-3), Int(0), Value{}, Int(2), Int(7)};
    EXPECT_EQ(MaskOf(PredicateOp::kEqual, {Int(2)}, type, values), "00010");
    EXPECT_EQ(MaskOf(PredicateOp::kNotEqual, {Int(2)}, type, values), "11001");
    EXPECT_EQ(MaskOf(PredicateOp::kLess, {Int(2)}, type, values), "11000");
    EXPECT_EQ(MaskOf(PredicateOp::kLessOrEqual, {Int(2)}, type, values), "11010");
    EXPECT_EQ(MaskOf(PredicateOp::kGreater, {Int(2)}, type, values), "00001");
    EXPECT_EQ(MaskOf(PredicateOp::kGreaterOrEqual, {Int(2)}, type, values), "00011");
    EXPECT_EQ(MaskOf(PredicateOp::kIn, {Int(7), Int(-3), Int(100)}, type, values), "10001");
    EXPECT_EQ(MaskOf(PredicateOp::kNotIn, {Int(7), Int(-3), Int(100)}, type, values), "01010");
    EXPECT_EQ(MaskOf(PredicateOp::kIsNull, {}, type, values), "00100");
    EXPECT_EQ(MaskOf(PredicateOp::kIsNotNull, {}, type, values), "11011");
  }
}

TEST(BoundPredicate, LiteralsAtAndBeyondTheEndsOfAType) {
  const TypePtr tinyint = DataType::Make(TypeRoot::kTinyint);
  const std::vector<Value> values = {Int(-128), Int(0), Int(127)};
  EXPECT_EQ(MaskOf(PredicateOp::kLess, {Int(-128)}, tinyint, values), "000");
  EXPECT_EQ(MaskOf(PredicateOp::kGreaterOrEqual, {Int(-128)}, tinyint, values), "111");
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {Int(127)}, tinyint, values), "000");
  EXPECT_EQ(MaskOf(PredicateOp::kLessOrEqual, {Int(127)}, tinyint, values), "111");
  EXPECT_EQ(MaskOf(PredicateOp::kLess, {Int(1000)}, tinyint, values), "111");
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {Int(1000)}, tinyint, values), "000");
  EXPECT_EQ(MaskOf(PredicateOp::kNotEqual, {Int(1000)}, tinyint, values), "111");
  const int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();
  const std::vector<Value> longs = {Int(min), Int(max)};
  EXPECT_EQ(MaskOf(PredicateOp::kLess, {Int(min)}, DataType::Bigint(), longs), "00");
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {Int(min)}, DataType::Bigint(), longs), "01");
  EXPECT_EQ(MaskOf(PredicateOp::kIn, {Int(min), Int(max)}, DataType::Bigint(), longs), "11");
}

TEST(BoundPredicate, LongListsAreSearched) {
  std::vector<Value> odd, values;
  for (int64_t i = 0; i < 200; ++i) values.push_back(Int(i));
  for (int64_t i = 1; i < 200; i += 2) odd.push_back(Int(i));
  const std::string mask = MaskOf(PredicateOp::kIn, odd, DataType::Int(), values);
  for (size_t i = 0; i < mask.size(); ++i) EXPECT_EQ(mask[i], i % 2 == 1 ? '1' : '0') << i;
  std::reverse(odd.begin(), odd.end());
  const std::string complement = MaskOf(PredicateOp::kNotIn, odd, DataType::Int(), values);
  for (size_t i = 0; i < mask.size(); ++i) EXPECT_NE(mask[i], complement[i]) << i;
}

TEST(BoundPredicate, FloatsFollowJavasOrder) {
  const std::vector<Value> values = {Value(-kInfinity), Value(-0.0), Value(0.0),   Value(1.5),
                                     Value(kInfinity),  Value(kNan), Value(-kNan), Value{}};
  const TypePtr type = DataType::Make(TypeRoot::kDouble);
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {Value(0.0)}, type, values), "00100000");
  EXPECT_EQ(MaskOf(PredicateOp::kLess, {Value(0.0)}, type, values), "11000000");
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {Value(kNan)}, type, values), "00000110");
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {Value(kInfinity)}, type, values), "00000110");
  EXPECT_EQ(MaskOf(PredicateOp::kNotEqual, {Value(1.5)}, type, values), "11101110");
  EXPECT_EQ(MaskOf(PredicateOp::kLessOrEqual, {Value(kNan)}, type, values), "11111110");
  EXPECT_EQ(MaskOf(PredicateOp::kIn, {Value(kNan), Value(-0.0)}, type, values), "01000110");
  EXPECT_EQ(MaskOf(PredicateOp::kGreaterOrEqual, {Value(-0.0F)}, DataType::Make(TypeRoot::kFloat),
                   {Value(-1.0F), Value(-0.0F), Value(0.0F), Value(std::numeric_limits<float>::quiet_NaN())}),
            "0111");
}

TEST(BoundPredicate, DecimalsOfEveryWidthCompareSigned) {
  for (int32_t precision : {9, 10, 18, 19, 38}) {
    const TypePtr type = DataType::Decimal(precision, 3);
    const std::vector<Value> values = {arrow::Decimal128(-1), arrow::Decimal128(0), arrow::Decimal128(999'999'999), Value{}};
    EXPECT_EQ(MaskOf(PredicateOp::kLess, {arrow::Decimal128(0)}, type, values), "1000");
    EXPECT_EQ(MaskOf(PredicateOp::kEqual, {arrow::Decimal128(999'999'999)}, type, values), "0010");
    EXPECT_EQ(MaskOf(PredicateOp::kGreaterOrEqual, {arrow::Decimal128(0)}, type, values), "0110");
  }
  const auto big = arrow::Decimal128("99999999999999999999999999999999999999");
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {-big}, DataType::Decimal(38, 0), {big, -big, arrow::Decimal128(0)}), "101");
}

TEST(BoundPredicate, TimestampsCompareExactlyWithFinerLiterals) {
  const TypePtr type = DataType::WithPrecision(TypeRoot::kTimestamp, 3);
  const std::vector<Value> values = {TimestampValue{-2, 0}, TimestampValue{-1, 0}, TimestampValue{0, 0}};
  const Value between = TimestampValue{-2, 500'000};  // half a millisecond after the first
  EXPECT_EQ(MaskOf(PredicateOp::kLess, {between}, type, values), "100");
  EXPECT_EQ(MaskOf(PredicateOp::kLessOrEqual, {between}, type, values), "100");
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {between}, type, values), "011");
  EXPECT_EQ(MaskOf(PredicateOp::kGreaterOrEqual, {between}, type, values), "011");
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {between}, type, values), "000");
  EXPECT_EQ(MaskOf(PredicateOp::kNotEqual, {between}, type, values), "111");
  EXPECT_EQ(MaskOf(PredicateOp::kIn, {between, TimestampValue{0, 0}}, type, values), "001");
}

TEST(BoundPredicate, TimestampLiteralsBeyondNanosecondsAreOutsideOfAllValues) {
  const TypePtr type = DataType::WithPrecision(TypeRoot::kTimestampLtz, 9);
  const std::vector<Value> values = {TimestampValue{-1, 999'999}, TimestampValue{0, 1}, Value{}};
  const Value year_one = TimestampValue{-62'135'596'800'000, 0}, year_9999 = TimestampValue{253'402'300'799'999, 0};
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {year_one}, type, values), "110");
  EXPECT_EQ(MaskOf(PredicateOp::kLessOrEqual, {year_one}, type, values), "000");
  EXPECT_EQ(MaskOf(PredicateOp::kLess, {year_9999}, type, values), "110");
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {year_9999}, type, values), "000");
  EXPECT_EQ(MaskOf(PredicateOp::kNotIn, {year_9999}, type, values), "110");
  EXPECT_EQ(MaskOf(PredicateOp::kGreater, {TimestampValue{-1, 999'998}}, type, values), "110");
}

TEST(BoundPredicate, BooleansAreOrdered) {
  const TypePtr type = DataType::Make(TypeRoot::kBoolean);
  const std::vector<Value> values = {Value(false), Value(true), Value{}};
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {Value(true)}, type, values), "010");
  EXPECT_EQ(MaskOf(PredicateOp::kLess, {Value(true)}, type, values), "100");
  EXPECT_EQ(MaskOf(PredicateOp::kIn, {Value(true), Value(false)}, type, values), "110");
}

TEST(BoundPredicate, StringsInEveryLayout) {
  const std::vector<Value> values = {
      Text("apple"), Text(""), Value{}, Text("\xc3\xa4pfel"), Text("a longer text that no view holds inline"), Text("zebra")};
  for (Layout layout :
       {Layout::kPlain, Layout::kSliced, Layout::kLarge, Layout::kView, Layout::kDictionary, Layout::kWideDictionary}) {
    for (const TypePtr& type : {DataType::String(), DataType::Bytes()}) {
      auto mask = [&](PredicateOp op, std::vector<Value> literals) { return MaskOf(op, literals, type, values, layout); };
      EXPECT_EQ(mask(PredicateOp::kEqual, {Text("apple")}), "100000");
      EXPECT_EQ(mask(PredicateOp::kNotEqual, {Text("apple")}), "010111");
      EXPECT_EQ(mask(PredicateOp::kLess, {Text("b")}), "110010");
      EXPECT_EQ(mask(PredicateOp::kLessOrEqual, {Text("")}), "010000");
      EXPECT_EQ(mask(PredicateOp::kGreater, {Text("zebra")}), "000100");  // unsigned bytes
      EXPECT_EQ(mask(PredicateOp::kGreaterOrEqual, {Text("zebra")}), "000101");
      EXPECT_EQ(mask(PredicateOp::kIn, {Text("zebra"), Text(""), Value{}}), "010001");
      EXPECT_EQ(mask(PredicateOp::kNotIn, {Text("zebra"), Text("")}), "100110");
      EXPECT_EQ(mask(PredicateOp::kStartsWith, {Text("a")}), "100010");
      EXPECT_EQ(mask(PredicateOp::kEndsWith, {Text("e")}), "100010");
      EXPECT_EQ(mask(PredicateOp::kContains, {Text("pf")}), "000100");
      EXPECT_EQ(mask(PredicateOp::kLike, {Text("_p%e%")}), "100100");
      EXPECT_EQ(mask(PredicateOp::kIsNull, {}), "001000");
      EXPECT_EQ(mask(PredicateOp::kIsNotNull, {}), "110111");
    }
  }
}

TEST(BoundPredicate, IndexesOfNullRowsAreNotFollowed) {
  const int8_t indices[] = {0, 100, 1};
  const uint8_t validity = 0b101;
  auto data = arrow::ArrayData::Make(arrow::int8(), 3, {arrow::Buffer::Wrap(&validity, 1), arrow::Buffer::Wrap(indices, 3)});
  auto entries = MakeColumn(DataType::Int(), {Int(5), Int(6)});
  auto column =
      arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int8(), arrow::int32()), arrow::MakeArray(data), entries)
          .ValueOrDie();
  const std::vector<Field> fields = {{.id = 0, .name = "x", .type = DataType::Int()}};
  EXPECT_EQ(Mask(Predicate::Compare(PredicateOp::kGreater, "x", {Int(0)}), fields, *MakeBatch({column})), "101");
  EXPECT_EQ(Mask(Predicate::Compare(PredicateOp::kIsNull, "x"), fields, *MakeBatch({column})), "010");
}

TEST(BoundPredicate, NullLiteralsAreNeverTrue) {
  const std::vector<Value> values = {Int(1), Value{}};
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {Value{}}, DataType::Int(), values), "00");
  EXPECT_EQ(MaskOf(PredicateOp::kNotEqual, {Value{}}, DataType::Int(), values), "00");
  EXPECT_EQ(MaskOf(PredicateOp::kNotIn, {Int(5), Value{}}, DataType::Int(), values), "00");
  EXPECT_EQ(MaskOf(PredicateOp::kIn, {Int(1), Value{}}, DataType::Int(), values), "10");
  EXPECT_EQ(MaskOf(PredicateOp::kIn, {}, DataType::Int(), values), "00");
  EXPECT_EQ(MaskOf(PredicateOp::kNotIn, {}, DataType::Int(), values), "10");
}

TEST(BoundPredicate, ColumnsWithoutAnyValueMatchOnlyNullTests) {
  const std::vector<Field> fields = {{.id = 0, .name = "x", .type = DataType::String()}};
  auto batch = MakeBatch({std::make_shared<arrow::NullArray>(3)});
  EXPECT_EQ(Mask(Predicate::Compare(PredicateOp::kEqual, "x", {Text("a")}), fields, *batch), "000");
  EXPECT_EQ(Mask(Predicate::Compare(PredicateOp::kIsNull, "x"), fields, *batch), "111");
  EXPECT_EQ(Mask(Predicate::Compare(PredicateOp::kIsNotNull, "x"), fields, *batch), "000");
}

TEST(BoundPredicate, JunctionsCombineColumnsByPosition) {
  const std::vector<Field> fields = {{.id = 4, .name = "a", .type = DataType::Int()},
                                     {.id = 2, .name = "b", .type = DataType::String()}};
  auto batch = MakeBatch({MakeColumn(fields[0].type, {Int(1), Int(2), Value{}, Int(4)}),
                          MakeColumn(fields[1].type, {Text("x"), Value{}, Text("x"), Text("y")})});
  auto a = Predicate::Compare(PredicateOp::kGreater, "a", {Int(1)});
  auto b = Predicate::Compare(PredicateOp::kEqual, "b", {Text("x")});
  EXPECT_EQ(Mask(Predicate::And({a, b}), fields, *batch), "0000");
  EXPECT_EQ(Mask(Predicate::Or({a, b}), fields, *batch), "1111");
  EXPECT_EQ(Mask(Predicate::And({Predicate::Or({a, b}), Predicate::Compare(PredicateOp::kIsNotNull, "b")}), fields, *batch),
            "1011");
  EXPECT_EQ(Mask(Predicate::True(), fields, *batch), "1111");
  EXPECT_EQ(Mask(nullptr, fields, *batch), "1111");
  EXPECT_EQ(Mask(Predicate::False(), fields, *batch), "0000");
}

TEST(BoundPredicate, EmptyBatchesAreFine) {
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {Int(1)}, DataType::Int(), {}), "");
  EXPECT_EQ(MaskOf(PredicateOp::kEqual, {Text("a")}, DataType::String(), {}, Layout::kDictionary), "");
}

ErrorKind BindError(PredicateOp op, std::vector<Value> literals, const TypePtr& type) {
  const std::vector<Field> fields = {{.id = 0, .name = "x", .type = type}};
  return ErrorKindOf(BoundPredicate::Bind(Predicate::Compare(op, "x", std::move(literals)), fields));
}

TEST(BoundPredicate, RefusesWhatItCannotEvaluate) {
  const std::vector<Field> fields = {{.id = 0, .name = "x", .type = DataType::Int()}};
  EXPECT_EQ(ErrorKindOf(BoundPredicate::Bind(Predicate::Compare(PredicateOp::kIsNull, "X"), fields)), ErrorKind::kInvalid);
  EXPECT_EQ(BindError(PredicateOp::kEqual, {Text("1")}, DataType::Int()), ErrorKind::kInvalid);
  EXPECT_EQ(BindError(PredicateOp::kEqual, {}, DataType::Int()), ErrorKind::kInvalid);
  EXPECT_EQ(BindError(PredicateOp::kIsNull, {Int(1)}, DataType::Int()), ErrorKind::kInvalid);
  EXPECT_EQ(BindError(PredicateOp::kStartsWith, {Int(1)}, DataType::Int()), ErrorKind::kInvalid);
  EXPECT_EQ(BindError(PredicateOp::kLike, {Text("a\\b")}, DataType::String()), ErrorKind::kInvalid);
  EXPECT_EQ(BindError(PredicateOp::kEqual, {Int(1)}, DataType::Array(DataType::Int())), ErrorKind::kUnsupported);
  EXPECT_EQ(BindError(PredicateOp::kEqual, {Text("{}")}, DataType::Make(TypeRoot::kVariant)), ErrorKind::kUnsupported);
}

TEST(BoundPredicate, NullTestsTakeNestedColumns) {
  const TypePtr type = DataType::Array(DataType::Int());
  auto column = arrow::MakeArrayOfNull(ToArrowType(*type).ValueOrDie(), 2).ValueOrDie();
  EXPECT_EQ(Mask(Predicate::Compare(PredicateOp::kIsNull, "x"), {{.id = 0, .name = "x", .type = type}}, *MakeBatch({column})),
            "11");
}

TEST(BoundPredicate, RefusesBatchesOfOtherTypes) {
  const std::vector<Field> fields = {{.id = 0, .name = "x", .type = DataType::WithPrecision(TypeRoot::kTimestamp, 3)}};
  auto bound = BoundPredicate::Bind(Predicate::Compare(PredicateOp::kEqual, "x", {TimestampValue{}}), fields).ValueOrDie();
  uint8_t mask[1];
  auto micros = MakeColumn(DataType::WithPrecision(TypeRoot::kTimestamp, 6), {TimestampValue{}});
  EXPECT_EQ(ErrorKindOf(bound->Evaluate(*MakeBatch({micros}), mask)), ErrorKind::kInvalid);
  auto decimals = BoundPredicate::Bind(Predicate::Compare(PredicateOp::kEqual, "x", {arrow::Decimal128(1)}),
                                       std::vector<Field>{{.id = 0, .name = "x", .type = DataType::Decimal(9, 2)}})
                      .ValueOrDie();
  EXPECT_EQ(ErrorKindOf(decimals->Evaluate(*MakeBatch({MakeColumn(DataType::Decimal(9, 3), {Value{}})}), mask)),
            ErrorKind::kInvalid);
}

std::shared_ptr<arrow::RecordBatch> Filtered(const std::shared_ptr<arrow::RecordBatch>& batch, std::vector<uint8_t> mask) {
  auto result = FilterByMask(batch, mask.data(), arrow::default_memory_pool());
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  return *result;
}

TEST(FilterByMask, KeepsTheMarkedRowsOfEveryLayout) {
  for (Layout layout : {Layout::kPlain, Layout::kSliced, Layout::kLarge, Layout::kView, Layout::kDictionary}) {
    auto text = WithLayout(MakeColumn(DataType::String(), {Text("a"), Text("b"), Value{}, Text("d"), Text("e")}), layout);
    auto numbers = MakeColumn(DataType::Int(), {Int(1), Int(2), Int(3), Int(4), Value{}});
    auto filtered = Filtered(MakeBatch({text, numbers}), {1, 0, 1, 0, 1});
    auto expected = WithLayout(MakeColumn(DataType::String(), {Text("a"), Value{}, Text("e")}), layout);
    auto plain = [](const std::shared_ptr<arrow::Array>& array) { return CastTo(array, arrow::utf8()); };
    EXPECT_TRUE(plain(filtered->column(0))->Equals(plain(expected))) << filtered->ToString();
    EXPECT_TRUE(filtered->column(1)->Equals(MakeColumn(DataType::Int(), {Int(1), Int(3), Value{}})));
  }
}

TEST(FilterByMask, CopiesNothingForAllNoneOrOneRun) {
  auto batch = MakeBatch({MakeColumn(DataType::Int(), {Int(1), Int(2), Int(3), Int(4)})});
  EXPECT_EQ(Filtered(batch, {1, 1, 1, 1}), batch);
  EXPECT_EQ(Filtered(batch, {0, 0, 0, 0})->num_rows(), 0);
  for (auto [mask, start, length] :
       {std::tuple<std::vector<uint8_t>, int, int>{{1, 1, 0, 0}, 0, 2}, {{0, 0, 1, 1}, 2, 2}, {{0, 1, 1, 0}, 1, 2}}) {
    auto run = Filtered(batch, mask);
    EXPECT_TRUE(run->Equals(*batch->Slice(start, length)));
    EXPECT_EQ(run->column_data(0)->buffers[1], batch->column_data(0)->buffers[1]);
  }
  EXPECT_EQ(Filtered(batch->Slice(0, 0), {})->num_rows(), 0);
}

}  // namespace
}  // namespace bactrian
