#include "bactrian/types/binary_array.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <random>

#include "bactrian/types/binary_rows.h"
#include "hex.h"

namespace bactrian {
namespace {

struct NestedVector {
  const char* type;
  const char* json;  ///< the value as Arrow's JSON
  const char* hex;   ///< a row of this one field, written by the reference's InternalRowSerializer
};

const NestedVector kVectors[] = {
    {"ARRAY<INT>", "[1, null, 3]", "00000000000000001800000010000000030000000200000001000000000000000300000000000000"},
    {"ARRAY<INT>", "[]", "000000000000000008000000100000000000000000000000"},
    {"ARRAY<BOOLEAN>", "[true, null, false, true, true]", "0000000000000000100000001000000005000000020000000100000101000000"},
    {"ARRAY<SMALLINT>", "[1, -2, null]", "0000000000000000100000001000000003000000040000000100feff00000000"},
    {"ARRAY<STRING>", R"(["a", null, "longer than seven", ""])",
     "00000000000000004000000010000000040000000200000061000000000000810000000000000000110000002800000000000000000000806c6f6e67"
     "6572207468616e20736576656e00000000000000"},
    {"ARRAY<DECIMAL(20, 4)>", R"(["1.5000", null, "-99999999999999.9999"])",
     "0000000000000000400000001000000003000000020000000200000020000000000000000000000008000000300000003a9800000000000000000000"
     "00000000f21f494c589c00010000000000000000"},
    {"ARRAY<DECIMAL(10, 2)>", R"(["1.50", null])",
     "00000000000000001800000010000000020000000200000096000000000000000000000000000000"},
    {"ARRAY<TIMESTAMP(6)>", "[-1, null, 1700000000123456]",
     "000000000000000030000000100000000300000002000000583e0f0020000000000000000000000040f5060028000000ffffffffffffffff7b68e5cf"
     "8b010000"},
    {"ARRAY<TIMESTAMP(3)>", "[-1, null]", "000000000000000018000000100000000200000002000000ffffffffffffffff0000000000000000"},
    {"ARRAY<DOUBLE>", "[NaN, 1.5, -0.0]",
     "000000000000000020000000100000000300000000000000000000000000f87f000000000000f83f0000000000000080"},
    {"ARRAY<TINYINT>",
     "[null,1,2,null,4,5,null,7,8,null,10,11,null,13,14,null,16,17,null,19,20,null,22,23,null,25,26,null,28,29,null,31,32,"
     "null,34,35,null,37,38,null]",
     "00000000000000003800000010000000280000004992244992000000000102000405000708000a0b000d0e00101100131400161700191a001c1d001f"
     "200022230025260000000000"},
    {"MAP<STRING, INT>", R"([["k1", 1], ["a key beyond seven", null]])",
     "000000000000000044000000100000003000000002000000000000006b31000000000082120000001800000061206b6579206265796f6e6420736576"
     "656e0000000000000200000002000000010000000000000000000000"},
    {"MAP<STRING, INT>", "[]", "00000000000000001400000010000000080000000000000000000000000000000000000000000000"},
    {"MULTISET<STRING>", R"([["x", 2], ["y", 1]])",
     "00000000000000002c0000001000000018000000020000000000000078000000000000817900000000000081020000000000000002000000010000000"
     "0"
     "000000"},
    {"ROW<`a` INT, `b` STRING, `c` DECIMAL(38, 2), `d` TIMESTAMP(9)>", R"([1, "nested string", "7.25", 5000007])",
     "00000000000000005000000010000000000000000000000001000000000000000d000000280000000200000038000000070000004800000"
     "06e657374656420737472696e6700000002d500000000000000000000000000000500000000000000"},
    {"ROW<`a` INT, `b` STRING, `c` DECIMAL(38, 2), `d` TIMESTAMP(9)>", "[null, null, null, null]",
     "00000000000000004000000010000000000f0000000000000000000000000000000000000000000000000000280000000000000038000000000000000"
     "0"
     "00000000000000000000000000000000000000"},
    {"ARRAY<ROW<`x` INT, `y` MAP<STRING, ARRAY<BIGINT>>>>", R"([[1, [["k", [1, null]]]], null, [2, null]])",
     "000000000000000090000000100000000300000002000000580000002000000000000000000000001800000078000000000000000000000001000000"
     "000000003c000000180000001000000001000000000000006b0000000000008101000000000000001800000010000000020000000200000001000000"
     "00000000000000000000000000000000000200000000000002000000000000000000000000000000"},
    {"ARRAY<ARRAY<STRING>>", R"([["123456789"], [], null])",
     "000000000000000048000000100000000300000004000000200000002000000008000000400000000000000000000000010000000000000009000000"
     "10000000313233343536373839000000000000000000000000000000"},
    {"VECTOR<FLOAT, 3>", "[1, -2.5, 3]", "00000000000000001400000010000000030000000000803f000020c0000040400000000000000000"},
    {"VECTOR<TINYINT, 3>", "[1, -2, 3]", "00000000000000000c000000100000000300000001fe03000000000000000000"},
};

std::vector<std::shared_ptr<arrow::Array>> Decode(const std::string& row, const std::vector<TypePtr>& types) {
  return DecodeBinaryRows(std::vector<std::string_view>{row}, types, arrow::default_memory_pool()).ValueOrDie();
}

TEST(BinaryArray, DecodesWhatTheReferenceWrote) {
  for (const NestedVector& vector : kVectors) {
    const TypePtr type = ParseSqlType(vector.type).ValueOrDie();
    const auto column = Decode(FromHex(vector.hex), {type})[0];
    const auto expected =
        arrow::json::ArrayFromJSONString(ToArrowType(*type).ValueOrDie(), "[" + std::string(vector.json) + "]").ValueOrDie();
    EXPECT_TRUE(column->ValidateFull().ok());
    EXPECT_TRUE(column->Equals(*expected, arrow::EqualOptions::Defaults().nans_equal(true)))
        << vector.type << column->ToString() << expected->ToString();
  }
}

TEST(BinaryArray, EncodesWhatTheReferenceWrites) {
  for (const NestedVector& vector : kVectors) {
    const TypePtr type = ParseSqlType(vector.type).ValueOrDie();
    const std::string json = "[null, " + std::string(vector.json) + ", " + vector.json + "]";
    const auto column = arrow::json::ArrayFromJSONString(ToArrowType(*type).ValueOrDie(), json).ValueOrDie();
    EncodedRows rows;
    for (const auto& slice : {column, column->Slice(1)}) {
      ASSERT_TRUE(EncodeBinaryRows(std::vector{type}, std::vector{slice}, slice->length(), &rows).ok());
      EXPECT_EQ(ToHex(rows.Row(slice->length() - 1)), vector.hex) << vector.type;
    }
    const std::string nested = EncodeNested(*column, 1, *type).ValueOrDie();
    EXPECT_EQ(ToHex(nested), std::string_view(vector.hex).substr(32, 2 * nested.size())) << vector.type;
  }
}

TEST(BinaryArray, VariantsKeepValueAndMetadata) {
  const std::string hex = "000000000000000010000000100000000700000002010000020c010101000161";
  const TypePtr type = DataType::Make(TypeRoot::kVariant);
  const auto column = Decode(FromHex(hex), {type})[0];
  const auto& variant = static_cast<const arrow::StructArray&>(*column);
  EXPECT_EQ(ToHex(static_cast<const arrow::BinaryArray&>(*variant.field(0)).GetView(0)), "02010000020c01");
  EXPECT_EQ(ToHex(static_cast<const arrow::BinaryArray&>(*variant.field(1)).GetView(0)), "0101000161");
  EncodedRows rows;
  ASSERT_TRUE(EncodeBinaryRows(std::vector{type}, std::vector{column}, 1, &rows).ok());
  EXPECT_EQ(ToHex(rows.Row(0)), hex);
}

TEST(BinaryRows, ColumnsAgreeWithRowsOfValues) {
  const std::vector<TypePtr> types = {DataType::Bigint(), DataType::String(), DataType::Decimal(38, 2),
                                      DataType::WithPrecision(TypeRoot::kTimestamp, 9)};
  const std::vector<std::vector<Value>> keys = {
      {int64_t{1}, std::string("short"), arrow::Decimal128(-7), TimestampValue{-1, 999999}},
      {Value(), Value(), Value(), Value()},
      {int64_t{2}, std::string("a longer string"), arrow::Decimal128("12345678901234567890123"), TimestampValue{1, 1}},
  };
  std::vector<std::string> encoded;
  for (const auto& key : keys) encoded.push_back(EncodeBinaryRow(types, key).ValueOrDie());
  const std::vector<std::string_view> views(encoded.begin(), encoded.end());
  const auto columns = DecodeBinaryRows(views, types, arrow::default_memory_pool()).ValueOrDie();
  EncodedRows rows;
  ASSERT_TRUE(EncodeBinaryRows(types, columns, 3, &rows).ok());
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(ToHex(rows.Row(i)), ToHex(views[static_cast<size_t>(i)]));
}

TEST(BinaryRows, NoColumnsGiveEmptyRows) {
  EncodedRows rows;
  ASSERT_TRUE(EncodeBinaryRows({}, {}, 3, &rows).ok());
  EXPECT_EQ(rows.num_rows(), 3);
  EXPECT_EQ(rows.Row(2), std::string_view("\0\0\0\0\0\0\0\0", 8));
}

TEST(BinaryRows, OtherArrowTypesAreInvalid) {
  EncodedRows rows;
  auto column = arrow::json::ArrayFromJSONString(arrow::int64(), "[1]").ValueOrDie();
  EXPECT_EQ(KindOf(EncodeBinaryRows(std::vector{DataType::Int()}, std::vector{column}, 1, &rows)), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(EncodeBinaryRows(std::vector{DataType::Bigint()}, std::vector{column}, 2, &rows)), ErrorKind::kInvalid);
  auto list = arrow::json::ArrayFromJSONString(arrow::list(arrow::int64()), "[[1]]").ValueOrDie();
  EXPECT_EQ(KindOf(EncodeBinaryRows(std::vector{DataType::Array(DataType::Int())}, std::vector{list}, 1, &rows)),
            ErrorKind::kInvalid);
}

arrow::Status AppendHex(const std::string& hex, std::string_view sql) {
  const TypePtr type = ParseSqlType(sql).ValueOrDie();
  auto builder = arrow::MakeBuilder(ToArrowType(*type).ValueOrDie()).ValueOrDie();
  return AppendNested(FromHex(hex), *type, builder.get());
}

TEST(BinaryArray, ForgedLengthsAreCorrupt) {
  const std::pair<const char*, const char*> cases[] = {
      {"ARRAY<INT>", ""},
      {"ARRAY<INT>", "ffffffff00000000"},                         // negative
      {"ARRAY<INT>", "ffffff7f0000000000000000"},                 // two billion elements
      {"ARRAY<TINYINT>", "0500000000000000"},                     // five elements, no bytes
      {"ARRAY<STRING>", "01000000000000000900000010000000"},      // string behind the end
      {"ARRAY<ARRAY<INT>>", "01000000000000000800000010000000"},  // array behind the end
      {"MAP<INT, INT>", "ffffff7f00000000"},
      {"MAP<INT, INT>", "08000000010000000000000000000000"},                    // keys of one element in 8 bytes
      {"MAP<INT, INT>", "10000000010000000000000000000000000000000000000000"},  // one key, no value
      {"MAP<INT, INT>", "1000000001000000010000000100000000000000010000000000000001000000000000"},  // null key
      {"ROW<a INT>", "0000000000000000"},
      {"VECTOR<FLOAT, 3>", "0200000000000000000000000000000000"},  // another length
      {"VECTOR<FLOAT, 3>", "0300000000000000"},
      {"VARIANT", "09000000ffff"},
  };
  for (const auto& [sql, hex] : cases) {
    const arrow::Status status = AppendHex(hex, sql);
    ASSERT_FALSE(status.ok()) << sql << hex;
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << sql << " " << hex;
  }
}

TEST(BinaryArray, ReferencesThatMultiplyTheBytesAreCorrupt) {
  // An array whose every slot refers to the array itself: each level would be a thousand times the last.
  constexpr int kElements = 1000;
  const size_t header = 4 + (kElements + 31) / 32 * 4, size = header + 8 * kElements;
  std::string bytes(size, '\0');
  const int32_t count = kElements;
  std::memcpy(bytes.data(), &count, 4);
  for (int i = 0; i < kElements; ++i) {
    const uint64_t reference = size;
    std::memcpy(bytes.data() + header + 8 * static_cast<size_t>(i), &reference, 8);
  }
  TypePtr type = DataType::Int();
  for (int depth = 0; depth < 50; ++depth) type = DataType::Array(type);
  auto builder = arrow::MakeBuilder(ToArrowType(*type).ValueOrDie()).ValueOrDie();
  EXPECT_EQ(KindOf(AppendNested(bytes, *type, builder.get())), ErrorKind::kCorrupt);
}

TEST(BinaryArray, DamagedBytesNeverReadOutside) {
  std::mt19937 random(7);
  for (const NestedVector& vector : kVectors) {
    const TypePtr type = ParseSqlType(vector.type).ValueOrDie();
    const std::string good = FromHex(vector.hex);
    for (int round = 0; round < 200; ++round) {
      std::string bytes = good;
      for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] = static_cast<char>(random());
      bytes.resize(random() % 2 == 0 ? bytes.size() : random() % (bytes.size() + 1));
      auto columns = DecodeBinaryRows(std::vector<std::string_view>{bytes}, std::vector{type}, arrow::default_memory_pool());
      EXPECT_TRUE(columns.ok() || KindOf(columns.status()) != ErrorKind::kUnknown) << columns.status().ToString();
    }
  }
}

}  // namespace
}  // namespace bactrian
