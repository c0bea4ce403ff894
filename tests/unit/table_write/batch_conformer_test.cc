#include "bactrian/table/write/batch_conformer.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bactrian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Field Column(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .description = {}, .default_value = {}};
}

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

struct Given {
  std::string name;
  std::shared_ptr<arrow::Array> array;
};

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Conform(std::vector<Field> fields, const std::vector<Given>& columns,
                                                           int64_t num_rows = -1) {
  static const arrow::Status initialized = arrow::compute::Initialize();
  ARROW_RETURN_NOT_OK(initialized);
  auto schema = std::make_shared<TableSchema>();
  schema->fields = std::move(fields);
  ARROW_ASSIGN_OR_RAISE(const BatchConformer conformer, BatchConformer::Make(schema, {}, arrow::default_memory_pool()));
  arrow::FieldVector arrow_fields;
  arrow::ArrayVector arrays;
  for (const Given& column : columns) {
    arrow_fields.push_back(arrow::field(column.name, column.array->type()));
    arrays.push_back(column.array);
    num_rows = column.array->length();
  }
  return conformer.Conform(*arrow::RecordBatch::Make(arrow::schema(arrow_fields), num_rows, arrays));
}

/// One column `c` of the type: what comes out, as text, or the error.
std::string One(const TypePtr& type, const std::shared_ptr<arrow::Array>& array) {
  const auto result = Conform({Column(0, "c", type)}, {{"c", array}});
  if (!result.ok()) return result.status().message();
  EXPECT_TRUE((*result)->ValidateFull().ok());
  EXPECT_TRUE((*result)->column(0)->type()->Equals(*ToArrowType(*type).ValueOrDie()))
      << (*result)->column(0)->type()->ToString();
  std::string text;
  for (int64_t i = 0; i < (*result)->num_rows(); ++i) {
    text += (i > 0 ? "," : "") + (*result)->column(0)->GetScalar(i).ValueOrDie()->ToString();
  }
  return text;
}

TEST(BatchConformerTest, ColumnsAreFoundByNameInAnyOrder) {
  const auto batch = Conform({Column(0, "a", DataType::Int()), Column(1, "b", DataType::String())},
                             {{"b", Json(arrow::utf8(), R"(["x"])")}, {"a", Json(arrow::int32(), "[1]")}})
                         .ValueOrDie();
  EXPECT_TRUE(batch->schema()->Equals(
      *ToArrowSchema({Column(0, "a", DataType::Int()), Column(1, "b", DataType::String())}).ValueOrDie(),
      /*check_metadata=*/true));
  EXPECT_EQ(batch->column(0)->ToString(), Json(arrow::int32(), "[1]")->ToString());
}

TEST(BatchConformerTest, NamesDifferByCase) {
  const auto batch = Conform({Column(0, "a", DataType::Int()), Column(1, "A", DataType::Int())},
                             {{"A", Json(arrow::int32(), "[2]")}, {"a", Json(arrow::int32(), "[1]")}})
                         .ValueOrDie();
  EXPECT_TRUE(batch->column(0)->Equals(Json(arrow::int32(), "[1]")));
  EXPECT_TRUE(batch->column(1)->Equals(Json(arrow::int32(), "[2]")));
}

TEST(BatchConformerTest, UnknownAndRepeatedColumnsAreRefused) {
  const auto ints = Json(arrow::int32(), "[1]");
  EXPECT_THAT(Conform({Column(0, "a", DataType::Int())}, {{"a", ints}, {"z", ints}}).status().message(),
              HasSubstr("no column z"));
  EXPECT_THAT(Conform({Column(0, "a", DataType::Int())}, {{"a", ints}, {"a", ints}}).status().message(), HasSubstr("twice"));
}

TEST(BatchConformerTest, AMissingColumnIsItsDefaultOrNull) {
  Field with_default = Column(1, "d", DataType::Decimal(10, 2));
  with_default.default_value = "1.5";
  Field required = Column(2, "r", DataType::Int(false));
  required.default_value = "7";
  const auto batch =
      Conform({Column(0, "a", DataType::Int()), with_default, required, Column(3, "n", DataType::Array(DataType::Int()))},
              {{"a", Json(arrow::int32(), "[1, 2]")}})
          .ValueOrDie();
  EXPECT_TRUE(batch->column(1)->Equals(Json(arrow::decimal128(10, 2), R"(["1.50", "1.50"])")));
  EXPECT_TRUE(batch->column(2)->Equals(Json(arrow::int32(), "[7, 7]")));
  EXPECT_EQ(batch->column(3)->null_count(), 2);
}

TEST(BatchConformerTest, ANullInAColumnWithADefaultIsTheDefault) {
  Field field = Column(0, "c", DataType::String());
  field.default_value = "x";
  const auto batch = Conform({field}, {{"c", Json(arrow::utf8(), R"([null, "y"])")}}).ValueOrDie();
  EXPECT_TRUE(batch->column(0)->Equals(Json(arrow::utf8(), R"(["x", "y"])")));
}

TEST(BatchConformerTest, ADefaultThatIsNoValueOfItsTypeIsRefused) {
  Field field = Column(0, "c", DataType::Int());
  field.default_value = "many";
  EXPECT_THAT(Conform({field}, {}, 1).status().message(), AllOf(HasSubstr("column c"), HasSubstr("many")));
}

TEST(BatchConformerTest, NullsInNotNullColumnsAreRefused) {
  EXPECT_THAT(One(DataType::Int(false), Json(arrow::int32(), "[1, null]")), HasSubstr("column c is NOT NULL"));
  EXPECT_THAT(Conform({Column(0, "c", DataType::Int(false))}, {}, 3).status().message(), HasSubstr("column c is NOT NULL"));
  EXPECT_EQ(One(DataType::Int(false), Json(arrow::int32(), "[1, 2]")), "1,2");
}

TEST(BatchConformerTest, NestedNotNullIsCheckedWhereTheParentIsThere) {
  const TypePtr row = DataType::Row({Column(1, "x", DataType::Int(false))});
  const auto type = arrow::struct_({arrow::field("x", arrow::int32())});
  EXPECT_EQ(One(row, Json(type, R"([{"x": 1}, null])")).substr(0, 1), "{");
  EXPECT_THAT(One(row, Json(type, R"([{"x": null}])")), HasSubstr("column c.x is NOT NULL"));
  const TypePtr array = DataType::Array(DataType::Int(false));
  EXPECT_THAT(One(array, Json(arrow::list(arrow::int32()), "[[1], null, [null]]")), HasSubstr("column c.element is NOT NULL"));
  const TypePtr map = DataType::Map(DataType::Int(), DataType::String(false));
  EXPECT_THAT(One(map, Json(arrow::map(arrow::int32(), arrow::utf8()), "[[[1, null]]]")),
              HasSubstr("column c.value is NOT NULL"));
}

TEST(BatchConformerTest, OtherEncodingsOfTextAreTaken) {
  for (const auto& type :
       {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view(), arrow::dictionary(arrow::int8(), arrow::utf8()),
        arrow::dictionary(arrow::int32(), arrow::large_utf8())}) {
    EXPECT_EQ(One(DataType::String(), Json(type, R"(["a", null, "b"])")), "a,null,b") << type->ToString();
  }
  for (const auto& type : {arrow::binary(), arrow::large_binary(), arrow::binary_view(), arrow::fixed_size_binary(1)}) {
    EXPECT_EQ(One(DataType::Bytes(), Json(type, R"(["a", null])")), "a,null") << type->ToString();
  }
}

TEST(BatchConformerTest, OtherWidthsAreTakenWhereEveryValueFits) {
  for (const auto& type : {arrow::int8(), arrow::uint8(), arrow::int64(), arrow::uint64()}) {
    EXPECT_EQ(One(DataType::Int(), Json(type, "[1, null]")), "1,null") << type->ToString();
  }
  EXPECT_THAT(One(DataType::Make(TypeRoot::kTinyint), Json(arrow::int32(), "[128]")), HasSubstr("column c"));
  EXPECT_EQ(One(DataType::Make(TypeRoot::kDouble), Json(arrow::float32(), "[1.5]")), "1.5");
  EXPECT_THAT(One(DataType::Make(TypeRoot::kFloat), Json(arrow::float64(), "[1.5]")), HasSubstr("cannot be taken"));
  EXPECT_THAT(One(DataType::Make(TypeRoot::kDouble), Json(arrow::int32(), "[1]")), HasSubstr("cannot be taken"));
  EXPECT_THAT(One(DataType::Int(), Json(arrow::utf8(), R"(["1"])")), HasSubstr("cannot be taken"));
}

TEST(BatchConformerTest, DecimalsOfAnotherScaleAreTakenWhereNoDigitIsLost) {
  const TypePtr type = DataType::Decimal(5, 2);
  EXPECT_EQ(One(type, Json(arrow::decimal128(10, 3), R"(["1.500", null])")), "1.50,null");
  EXPECT_EQ(One(type, Json(arrow::decimal256(50, 1), R"(["-1.5"])")), "-1.50");
  EXPECT_THAT(One(type, Json(arrow::decimal128(10, 3), R"(["1.005"])")), HasSubstr("column c"));
  EXPECT_THAT(One(type, Json(arrow::decimal128(10, 2), R"(["1000.00"])")), HasSubstr("column c"));
}

TEST(BatchConformerTest, TimesAreCutToMillisecondsWhateverTheirPrecision) {
  const TypePtr type = DataType::WithPrecision(TypeRoot::kTime, 9);
  const auto cut =
      Conform({Column(0, "c", type)}, {{"c", Json(arrow::time64(arrow::TimeUnit::NANO), "[1999999]")}}).ValueOrDie();
  EXPECT_TRUE(cut->column(0)->Equals(Json(arrow::time32(arrow::TimeUnit::MILLI), "[1]")));
}

TEST(BatchConformerTest, TimestampsOfAnotherUnitAreTakenWhereTheyFit) {
  const TypePtr nanos = DataType::WithPrecision(TypeRoot::kTimestamp, 9),
                millis = DataType::WithPrecision(TypeRoot::kTimestamp, 3);
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  EXPECT_TRUE(Conform({Column(0, "c", nanos)}, {{"c", Json(micros, "[-1]")}}).ok());
  EXPECT_THAT(One(nanos, Json(micros, R"(["0001-01-01"])")), HasSubstr("column c"));  // beyond 64-bit nanoseconds
  EXPECT_THAT(One(millis, Json(micros, "[1500]")), HasSubstr("column c"));
  EXPECT_TRUE(Conform({Column(0, "c", millis)}, {{"c", Json(micros, "[2000]")}}).ok());
}

TEST(BatchConformerTest, InstantsAndWallClocksAreNotMixed) {
  const TypePtr local = DataType::WithPrecision(TypeRoot::kTimestampLtz, 6),
                wall = DataType::WithPrecision(TypeRoot::kTimestamp, 6);
  const auto berlin = arrow::timestamp(arrow::TimeUnit::MICRO, "Europe/Berlin"),
             naive = arrow::timestamp(arrow::TimeUnit::MICRO);
  EXPECT_TRUE(Conform({Column(0, "c", local)}, {{"c", Json(berlin, "[5]")}}).ok());
  EXPECT_THAT(One(local, Json(naive, "[5]")), HasSubstr("cannot be taken"));
  EXPECT_THAT(One(wall, Json(berlin, "[5]")), HasSubstr("cannot be taken"));
}

TEST(BatchConformerTest, NestedTypesAreTakenPartByPart) {
  const TypePtr array = DataType::Array(DataType::String());
  EXPECT_EQ(Conform({Column(0, "c", array)}, {{"c", Json(arrow::large_list(arrow::large_utf8()), R"([["a", null], null])")}})
                .ValueOrDie()
                ->column(0)
                ->null_count(),
            1);
  const TypePtr row = DataType::Row({Column(1, "a", DataType::Int()), Column(2, "b", DataType::String())});
  const auto swapped = arrow::struct_({arrow::field("b", arrow::utf8()), arrow::field("a", arrow::int16())});
  const auto batch = Conform({Column(0, "c", row)}, {{"c", Json(swapped, R"([{"b": "x", "a": 1}])")}}).ValueOrDie();
  EXPECT_EQ(static_cast<const arrow::StructArray&>(*batch->column(0)).field(0)->GetScalar(0).ValueOrDie()->ToString(), "1");
  const auto unknown = arrow::struct_({arrow::field("z", arrow::int32())});
  EXPECT_THAT(One(row, Json(unknown, R"([{"z": 1}])")), HasSubstr("cannot be taken"));
}

TEST(BatchConformerTest, AVectorHasItsLengthAndNoNullElement) {
  const TypePtr vector = DataType::Vector(DataType::Make(TypeRoot::kFloat), 2);
  EXPECT_TRUE(
      Conform({Column(0, "c", vector)}, {{"c", Json(arrow::fixed_size_list(arrow::float32(), 2), "[[1, 2], null]")}}).ok());
  EXPECT_TRUE(Conform({Column(0, "c", vector)}, {{"c", Json(arrow::list(arrow::float32()), "[[1, 2]]")}}).ok());
  EXPECT_THAT(One(vector, Json(arrow::list(arrow::float32()), "[[1, 2, 3]]")), HasSubstr("column c"));
  EXPECT_THAT(One(vector, Json(arrow::fixed_size_list(arrow::float32(), 2), "[[1, null]]")), HasSubstr("column c.element"));
}

TEST(BatchConformerTest, LengthsAreCheckedInCharactersAndBytes) {
  const TypePtr text = DataType::WithLength(TypeRoot::kVarchar, 3), bytes = DataType::WithLength(TypeRoot::kVarbinary, 3);
  EXPECT_EQ(One(text, Json(arrow::utf8(), R"(["äöü", null])")), "äöü,null");
  EXPECT_THAT(One(text, Json(arrow::utf8(), R"(["abcd"])")), AllOf(HasSubstr("column c"), HasSubstr("VARCHAR(3)")));
  EXPECT_THAT(One(bytes, Json(arrow::binary(), R"(["äö"])")), HasSubstr("VARBINARY(3)"));
  EXPECT_THAT(One(DataType::Array(text), Json(arrow::list(arrow::utf8()), R"([["abcd"]])")), HasSubstr("column c.element"));
}

TEST(BatchConformerTest, AMalformedBatchIsRefused) {
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("c", arrow::int32())}), 5, {Json(arrow::int32(), "[1]")});
  auto schema = std::make_shared<TableSchema>();
  schema->fields = {Column(0, "c", DataType::Int())};
  const BatchConformer conformer = BatchConformer::Make(schema, {}, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(KindOf(conformer.Conform(*batch).status()), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace bactrian
