#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bactrian/aggregate_function.h"
#include "bactrian/merge/aggregator.h"

namespace bactrian {
namespace {

constexpr AggregateOp kAdd = AggregateOp::kAggregate;
constexpr AggregateOp kReversed = AggregateOp::kAggregateReversed;
constexpr AggregateOp kRetract = AggregateOp::kRetract;

/// Runs `function` over one group: row i of `inputs` by ops[i].
arrow::Result<std::string> Fold(std::string_view function, const TypePtr& type, const std::string& inputs,
                                const std::vector<AggregateOp>& ops, const Options& options = {}) {
  const Field field{.id = 0, .name = "c", .type = type};
  ARROW_ASSIGN_OR_RAISE(const auto aggregator, Aggregator::Make(function, field, options));
  ARROW_ASSIGN_OR_RAISE(const auto arrow_type, ToArrowType(*type));
  ARROW_ASSIGN_OR_RAISE(const auto source, arrow::json::ArrayFromJSONString(arrow_type, inputs));
  AggregateSteps steps;
  for (uint32_t i = 0; i < ops.size(); ++i) steps.steps.push_back({{0, i}, ops[i]});
  steps.CloseGroup();
  const std::shared_ptr<arrow::Array> sources[] = {source};
  ARROW_ASSIGN_OR_RAISE(const auto result, aggregator->Run(sources, steps, arrow::default_memory_pool()));
  ARROW_RETURN_NOT_OK(result->ValidateFull());
  ARROW_ASSIGN_OR_RAISE(const auto scalar, result->GetScalar(0));
  return scalar->ToString();
}

TEST(ListAgg, SkipsBlankInputsAndJoinsWithTheDelimiter) {
  EXPECT_EQ(*Fold("listagg", DataType::String(), R"([" ", "a", null, "b", ""])", {kAdd, kAdd, kAdd, kAdd, kAdd}), "a,b");
  EXPECT_EQ(*Fold("listagg", DataType::String(), R"(["a", "b"])", {kAdd, kReversed}, {{"fields.c.list-agg-delimiter", "--"}}),
            "b--a");
}

TEST(ListAgg, DistinctAppendsTokensThatWereNotSeen) {
  EXPECT_EQ(*Fold("listagg", DataType::String(), R"(["a,b", "b,c,,a,c"])", {kAdd, kAdd}, {{"fields.c.distinct", "true"}}),
            "a,b,c");
}

TEST(ListAgg, CannotRetract) { EXPECT_FALSE(Fold("listagg", DataType::String(), R"(["a", "a"])", {kAdd, kRetract}).ok()); }

TEST(Collect, ConcatenatesAndRetractsOneOccurrenceOfEachElement) {
  const TypePtr type = DataType::Array(DataType::Int());
  const auto two = *Fold("collect", type, "[[1, 2]]", {kAdd});
  EXPECT_EQ(*Fold("collect", type, "[[1], null, [2]]", {kAdd, kAdd, kAdd}), two);
  EXPECT_EQ(*Fold("collect", type, "[[1, 1, 2], [1]]", {kAdd, kRetract}), two);
  EXPECT_EQ(*Fold("collect", type, "[[1, 1], [2, 1]]", {kAdd, kAdd}, {{"fields.c.distinct", "true"}}), two);
}

TEST(MergeMap, TheNewerValueWinsAndRetractsRemoveKeys) {
  const TypePtr type = DataType::Map(DataType::Int(), DataType::String());
  EXPECT_EQ(*Fold("merge_map", type, R"([[[1, "a"]], [[1, "b"], [2, "c"]]])", {kAdd, kAdd}),
            *Fold("merge_map", type, R"([[[1, "b"], [2, "c"]]])", {kAdd}));
  EXPECT_EQ(*Fold("merge_map", type, R"([[[1, "a"], [2, "c"]], [[1, null]]])", {kAdd, kRetract}),
            *Fold("merge_map", type, R"([[[2, "c"]]])", {kAdd}));
}

TEST(NestedUpdate, ReplacesRowsOfOneKeyAndLimitsNewOnes) {
  const Field key{.id = 1, .name = "k", .type = DataType::Int()}, value{.id = 2, .name = "v", .type = DataType::Int()};
  const TypePtr type = DataType::Array(DataType::Row({key, value}));
  const Options options = {{"fields.c.nested-key", "k"}, {"fields.c.count-limit", "2"}};
  EXPECT_EQ(*Fold("nested_update", type, "[[[1, 1]], [[1, 5], [2, 6], [3, 7]]]", {kAdd, kAdd}, options),
            *Fold("nested_update", type, "[[[1, 5], [2, 6]]]", {kAdd}, options));
  EXPECT_EQ(*Fold("nested_update", type, "[[[1, 1], [2, 2]], [[1, 9]]]", {kAdd, kRetract}, options),
            *Fold("nested_update", type, "[[[2, 2]]]", {kAdd}, options));
}

TEST(MergeMapWithKeyTime, TheLaterTimeWinsAndANullRowRemovesTheKey) {
  const Field value{.id = 1, .name = "v", .type = DataType::Int()}, time{.id = 2, .name = "ts", .type = DataType::String()};
  const TypePtr type = DataType::Map(DataType::Int(), DataType::Row({value, time}));
  const std::string_view name = "merge_map_with_keytime";
  EXPECT_EQ(*Fold(name, type, R"([[[1, [10, "b"]]], [[1, [20, "a"]]]])", {kAdd, kAdd}),
            *Fold(name, type, R"([[[1, [10, "b"]]]])", {kAdd}));
  EXPECT_EQ(*Fold(name, type, R"([[[1, [10, "b"]]], [[1, [20, "c"]]]])", {kAdd, kAdd}),
            *Fold(name, type, R"([[[1, [20, "c"]]]])", {kAdd}));
  EXPECT_EQ(*Fold(name, type, R"([[[1, [10, "b"]], [2, [5, "a"]]], [[1, null]]])", {kAdd, kAdd}),
            *Fold(name, type, R"([[[2, [5, "a"]]]])", {kAdd}));
}

/// ARRAY<ROW<k INT, v INT, s INT>>
TypePtr Rows() {
  const Field key{.id = 1, .name = "k", .type = DataType::Int()}, value{.id = 2, .name = "v", .type = DataType::Int()},
      sequence{.id = 3, .name = "s", .type = DataType::Int()};
  return DataType::Array(DataType::Row({key, value, sequence}));
}

std::string As(const std::string& rows) { return *Fold("last_value", Rows(), rows, {kAdd}); }

TEST(NestedUpdate, WithoutKeysAppendsRowsUpToTheLimit) {
  const Options options = {{"fields.c.count-limit", "2"}};
  EXPECT_EQ(*Fold("nested_update", Rows(), "[[null, [1, 1, 1], [2, 2, 2], [3, 3, 3]]]", {kAdd}, options),
            As("[[[1, 1, 1], [2, 2, 2]]]"));
  EXPECT_EQ(*Fold("nested_update", Rows(), "[[[1, 1, 1]], [[2, 2, 2], [3, 3, 3]]]", {kAdd, kAdd}, options),
            As("[[[1, 1, 1], [2, 2, 2]]]"));
  EXPECT_EQ(*Fold("nested_update", Rows(), "[[[1, 1, 1], [2, 2, 2]], [[2, 2, 2]]]", {kAdd, kRetract}), As("[[[1, 1, 1]]]"));
}

TEST(NestedUpdate, AnOlderNestedSequenceNeverReplaces) {
  const Options options = {{"fields.c.nested-key", "k"}, {"fields.c.nested-sequence-field", "s"}};
  EXPECT_EQ(*Fold("nested_update", Rows(), "[[[1, 10, 5]], [[1, 20, 4]]]", {kAdd, kAdd}, options), As("[[[1, 10, 5]]]"));
  EXPECT_EQ(*Fold("nested_update", Rows(), "[[[1, 10, 5]], [[1, 20, 5]]]", {kAdd, kAdd}, options), As("[[[1, 20, 5]]]"));
  EXPECT_EQ(*Fold("nested_update", Rows(), "[[[1, 10, 5]], [[1, 20, null]]]", {kAdd, kAdd}, options), As("[[[1, 10, 5]]]"));
  EXPECT_EQ(*Fold("nested_update", Rows(), "[[[1, 20, 6]], [[1, 10, 5]]]", {kAdd, kReversed}, options), As("[[[1, 20, 6]]]"));
}

TEST(NestedUpdate, NullKeysFollowTheirStrategy) {
  Options options = {{"fields.c.nested-key", "k"}};
  const std::string rows = "[[[1, 1, 1], [null, 2, 2]], [[null, 3, 3]]]";
  EXPECT_EQ(*Fold("nested_update", Rows(), rows, {kAdd, kAdd}, options), As("[[[1, 1, 1], [null, 3, 3]]]"));
  options["fields.c.nested-key-null-strategy"] = "IGNORE";
  EXPECT_EQ(*Fold("nested_update", Rows(), rows, {kAdd, kAdd}, options), As("[[[1, 1, 1]]]"));
  options["fields.c.nested-key-null-strategy"] = "error";
  EXPECT_EQ(KindOf(Fold("nested_update", Rows(), rows, {kAdd, kAdd}, options).status()), ErrorKind::kInvalid);
  options["fields.c.nested-key-null-strategy"] = "sometimes";
  EXPECT_EQ(KindOf(Fold("nested_update", Rows(), rows, {kAdd, kAdd}, options).status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(Fold("nested_update", Rows(), rows, {kAdd}, {{"fields.c.nested-sequence-field", "s"}}).status()),
            ErrorKind::kInvalid);
}

TEST(NestedPartialUpdate, OverwritesTheFieldsOfAKeyThatAreNotNull) {
  const Options options = {{"fields.c.nested-key", "k"}};
  EXPECT_EQ(*Fold("nested_partial_update", Rows(), "[[[1, 10, null], [2, 5, 5]], null, [[1, null, 7], null]]",
                  {kAdd, kAdd, kAdd}, options),
            As("[[[1, 10, 7], [2, 5, 5]]]"));
  EXPECT_EQ(*Fold("nested_partial_update", Rows(), "[[[1, 10, null], [1, null, 3]]]", {kAdd}, options), As("[[[1, 10, 3]]]"));
  EXPECT_EQ(*Fold("nested_partial_update", Rows(), "[[[1, 10, null]], [[1, 20, 3]]]", {kAdd, kReversed}, options),
            As("[[[1, 10, 3]]]"));
  EXPECT_FALSE(Fold("nested_partial_update", Rows(), "[[[1, 1, 1]], [[1, 1, 1]]]", {kAdd, kRetract}, options).ok());
  EXPECT_EQ(KindOf(Fold("nested_partial_update", Rows(), "[[]]", {kAdd}).status()), ErrorKind::kInvalid);
}

/// Keeps the longest text; a retracted one of the same length clears it.
class Longest final : public AggregateFunction {
 public:
  arrow::Result<ScalarPtr> Aggregate(const ScalarPtr& acc, const ScalarPtr& input) const override {
    return !acc->is_valid || Length(*acc) < Length(*input) ? input : acc;
  }
  arrow::Result<ScalarPtr> Retract(const ScalarPtr& acc, const ScalarPtr& input) const override {
    return Length(*acc) == Length(*input) ? arrow::MakeNullScalar(acc->type) : acc;
  }

 private:
  static int64_t Length(const arrow::Scalar& text) {
    return text.is_valid ? static_cast<const arrow::StringScalar&>(text).value->size() : -1;
  }
};

TEST(UserAggregates, FoldScalarsUnderTheNameThatTheyWereRegisteredWith) {
  const AggregateFunctionMaker maker = [](const Field& column,
                                          const Options&) -> arrow::Result<std::shared_ptr<const AggregateFunction>> {
    if (!column.type->is_string()) return Invalid("longest takes text");
    return std::make_shared<const Longest>();
  };
  ASSERT_TRUE(RegisterAggregateFunction("test_longest", maker).ok());
  EXPECT_EQ(KindOf(RegisterAggregateFunction("test_longest", maker)), ErrorKind::kAlreadyExists);
  EXPECT_EQ(KindOf(RegisterAggregateFunction("sum", maker)), ErrorKind::kAlreadyExists);
  const std::string texts = R"(["a", "ccc", null, "bb"])";
  EXPECT_EQ(*Fold("test_longest", DataType::String(), texts, {kAdd, kAdd, kAdd, kReversed}), "ccc");
  EXPECT_EQ(*Fold("test_longest", DataType::String(), R"(["a", "b"])", {kAdd, kRetract}), "null");
  EXPECT_EQ(*Fold("test_longest", DataType::String(), R"(["a", "b"])", {kAdd, kRetract}, {{"fields.c.ignore-retract", "true"}}),
            "a");
  EXPECT_EQ(KindOf(Fold("test_longest", DataType::Int(), "[1]", {kAdd}).status()), ErrorKind::kInvalid);
}

TEST(CollectionAggregators, RefuseColumnsOfOtherTypes) {
  for (const char* function : {"listagg", "collect", "merge_map", "merge_map_with_keytime", "nested_update",
                               "nested_partial_update", "rbm32", "rbm64"}) {
    EXPECT_FALSE(Fold(function, DataType::Int(), "[1]", {kAdd}).ok()) << function;
  }
}

}  // namespace
}  // namespace bactrian
