#include "bactrian/types/bucket.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "bactrian/types/binary_row.h"
#include "bactrian/types/binary_rows.h"

namespace bactrian {
namespace {

std::vector<TypePtr> FieldTypes(std::string_view row_type) {
  std::vector<TypePtr> types;
  const TypePtr row = ParseSqlType(row_type).ValueOrDie();
  for (const Field& field : row->fields()) types.push_back(field.type);
  return types;
}

/// Columns of ToArrowType from rows of values, by way of BinaryRows.
std::vector<std::shared_ptr<arrow::Array>> ColumnsOf(const std::vector<TypePtr>& types,
                                                     const std::vector<std::vector<Value>>& keys) {
  std::vector<std::string> rows;
  for (const auto& key : keys) rows.push_back(EncodeBinaryRow(types, key).ValueOrDie());
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  return DecodeBinaryRows(views, types, arrow::default_memory_pool()).ValueOrDie();
}

std::vector<int32_t> Buckets(BucketFunction function, const std::vector<TypePtr>& types,
                             const std::vector<std::shared_ptr<arrow::Array>>& columns, int num_buckets) {
  const auto array = BucketsOf(function, types, columns, num_buckets, arrow::default_memory_pool()).ValueOrDie();
  const auto& typed = static_cast<const arrow::Int32Array&>(*array);
  return {typed.raw_values(), typed.raw_values() + typed.length()};
}

struct HashCase {
  const char* types;
  std::vector<Value> key;
  int32_t default_bucket, hive_bucket;
};

arrow::Decimal128 D(const char* unscaled) { return arrow::Decimal128(unscaled); }

// Computed by the reference's DefaultBucketFunction and HiveBucketFunction with 1000003 buckets.
TEST(Bucket, DefaultAndHiveAreTheReferences) {
  const float float_nan = std::bit_cast<float>(0xffc12345U);
  const HashCase cases[] = {
      {"ROW<a INT>", {int64_t{5}}, 195816, 5},
      {"ROW<a INT>", {int64_t{-5}}, 66082, 477202},
      {"ROW<a INT>", {Value()}, 320100, 0},
      {"ROW<a BOOLEAN>", {true}, 510003, 1},
      {"ROW<a TINYINT>", {int64_t{-7}}, 401109, 477200},
      {"ROW<a SMALLINT>", {int64_t{-300}}, 754358, 476907},
      {"ROW<a BIGINT>", {(int64_t{1} << 40) + 3}, 106131, 259},
      {"ROW<a BIGINT>", {int64_t{-1}}, 95969, 0},
      {"ROW<a FLOAT>", {1.5F}, 842260, 544313},
      {"ROW<a FLOAT>", {-0.0F}, 222471, 0},
      {"ROW<a FLOAT>", {std::numeric_limits<float>::quiet_NaN()}, 165972, 282915},
      {"ROW<a FLOAT>", {float_nan}, 675241, 282915},
      {"ROW<a DOUBLE>", {1.5}, 883893, 214317},
      {"ROW<a DOUBLE>", {-0.0}, 121213, 0},
      {"ROW<a DOUBLE>", {std::numeric_limits<double>::quiet_NaN()}, 210728, 952922},
      {"ROW<a DOUBLE>", {-2.5e10}, 134134, 166832},
      {"ROW<a STRING>", {std::string("hello")}, 721817, 162025},
      {"ROW<a STRING>", {std::string("üb")}, 642955, 416576},
      {"ROW<a STRING>", {std::string()}, 121213, 0},
      {"ROW<a CHAR(3)>", {std::string("ab")}, 865536, 3105},
      {"ROW<a BYTES>", {std::string("\xff\0\7", 3)}, 205188, 476253},
      {"ROW<a DECIMAL(10, 2)>", {D("150")}, 509650, 466},
      {"ROW<a DECIMAL(10, 2)>", {D("-150")}, 992131, 476743},
      {"ROW<a DECIMAL(10, 2)>", {D("10000")}, 434401, 3100},
      {"ROW<a DECIMAL(10, 2)>", {D("0")}, 362199, 0},
      {"ROW<a DECIMAL(38, 2)>", {D("-12345678901234567890123456789012")}, 862870, 320656},
      {"ROW<a DECIMAL(38, 0)>", {D("99999999999999999999999999999999999999")}, 638433, 280102},
      {"ROW<a DECIMAL(38, 10)>", {D("123456789015000000000")}, 722589, 624606},
      {"ROW<a DATE>", {int64_t{19723}}, 4568, 19723},
      {"ROW<a TIME>", {int64_t{1000}}, 631631, 1000},
      {"ROW<a INT, b STRING, c DOUBLE>", {int64_t{7}, std::string("abc"), Value()}, 675174, 993695},
  };
  for (const HashCase& c : cases) {
    const std::vector<TypePtr> types = FieldTypes(c.types);
    const auto columns = ColumnsOf(types, {c.key});
    EXPECT_EQ(BucketOf(BucketFunction::kDefault, types, c.key, 1000003).ValueOrDie(), c.default_bucket) << c.types;
    EXPECT_EQ(BucketOf(BucketFunction::kHive, types, c.key, 1000003).ValueOrDie(), c.hive_bucket) << c.types;
    EXPECT_EQ(Buckets(BucketFunction::kDefault, types, columns, 1000003), std::vector{c.default_bucket}) << c.types;
    EXPECT_EQ(Buckets(BucketFunction::kHive, types, columns, 1000003), std::vector{c.hive_bucket}) << c.types;
  }
}

TEST(Bucket, ModIsTheFlooredRemainder) {
  const std::vector<TypePtr> types = {DataType::Bigint()};
  const std::pair<Value, int32_t> cases[] = {
      {int64_t{-7}, 3},
      {int64_t{-1}, 4},
      {int64_t{0}, 0},
      {int64_t{7}, 2},
      {Value(), 0},
      {std::numeric_limits<int64_t>::min(), 2},
      {std::numeric_limits<int64_t>::max(), 2},
  };
  for (const auto& [value, bucket] : cases) {
    EXPECT_EQ(BucketOf(BucketFunction::kMod, types, std::vector{value}, 5).ValueOrDie(), bucket);
    EXPECT_EQ(Buckets(BucketFunction::kMod, types, ColumnsOf(types, {{value}}), 5), std::vector{bucket});
  }
}

TEST(Bucket, KeysThatAFunctionDoesNotTakeAreUnsupported) {
  const std::pair<BucketFunction, const char*> cases[] = {
      {BucketFunction::kMod, "ROW<a SMALLINT>"},
      {BucketFunction::kMod, "ROW<a INT, b INT>"},
      {BucketFunction::kHive, "ROW<a TIMESTAMP(3)>"},
  };
  for (const auto& [function, row_type] : cases) {
    const std::vector<TypePtr> types = FieldTypes(row_type);
    auto bucket = BucketOf(function, types, std::vector<Value>(types.size()), 3);
    ASSERT_FALSE(bucket.ok()) << row_type;
    EXPECT_EQ(KindOf(bucket.status()), ErrorKind::kUnsupported);
  }
  EXPECT_EQ(KindOf(ParseBucketFunction("nope").status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(BucketOf(BucketFunction::kDefault, {}, {}, 0).status()), ErrorKind::kInvalid);
}

TEST(Bucket, SlicedColumnsGiveTheirOwnRows) {
  const std::vector<TypePtr> types = {DataType::String()};
  auto column = arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["x", "hello world, long", null, "y"])").ValueOrDie();
  const auto all = Buckets(BucketFunction::kDefault, types, {column}, 97);
  const auto tail = Buckets(BucketFunction::kDefault, types, {column->Slice(1)}, 97);
  EXPECT_EQ(tail, std::vector<int32_t>(all.begin() + 1, all.end()));
}

}  // namespace
}  // namespace bactrian
