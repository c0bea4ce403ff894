#include "bactrian/types/binary_row.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bactrian/types/type_json.h"
#include "corpus_rows.h"
#include "hex.h"

namespace bactrian {
namespace {

const TypePtr kInt = DataType::Int();
const TypePtr kString = DataType::String();
const TypePtr kTimestamp9 = DataType::WithPrecision(TypeRoot::kTimestamp, 9);

struct Vector {
  std::vector<TypePtr> types;
  std::vector<Value> values;
  const char* hex;
  int32_t hash;
};

// The vectors of the format reference, computed by the reference itself.
const Vector kVectors[] = {
    {{}, {}, "0000000000000000", -1670924195},
    {{kInt}, {int64_t{1}}, "00000000000000000100000000000000", 1465514398},
    {{DataType::Bigint()}, {int64_t{1}}, "00000000000000000100000000000000", 1465514398},
    {{kInt}, {int64_t{0}}, "00000000000000000000000000000000", -300363099},
    {{kInt}, {int64_t{-1}}, "0000000000000000ffffffff00000000", 1133687267},
    {{kInt}, {Value()}, "00010000000000000000000000000000", -1748325344},
    {{kString}, {std::string("hello")}, "000000000000000068656c6c6f000085", 243722546},
    {{kString}, {std::string("hello world")}, "00000000000000000b0000001000000068656c6c6f20776f726c640000000000", 161593394},
    {{kInt, kString},
     {int64_t{1}, std::string("abcdefgh")},
     "0000000000000000010000000000000008000000180000006162636465666768",
     577775525},
    {{kTimestamp9}, {TimestampValue{1700000000000, 123456}}, "000000000000000040e20100100000000068e5cf8b010000", 663112199},
    {{kTimestamp9}, {Value()}, "000100000000000000000000100000000000000000000000", -340882661},
};

TEST(BinaryRow, EncodesAndHashesTheReferencesVectors) {
  for (const Vector& vector : kVectors) {
    const std::string row = EncodeBinaryRow(vector.types, vector.values).ValueOrDie();
    EXPECT_EQ(ToHex(row), vector.hex);
    EXPECT_EQ(HashBinaryRow(row), vector.hash);
    EXPECT_EQ(DecodeSerializedRow(SerializeRow(row, static_cast<int>(vector.types.size())), vector.types).ValueOrDie(),
              vector.values);
  }
}

TEST(BinaryRow, ANullLongDecimalKeepsItsSixteenBytes) {
  const std::vector<TypePtr> types = {DataType::Decimal(38, 2), kString};
  const std::string row = EncodeBinaryRow(types, std::vector<Value>{Value(), std::string("12345678")}).ValueOrDie();
  EXPECT_EQ(ToHex(row),
            "0001000000000000"                  // null bit of field 0
            "0000000018000000"                  // offset 24, length 0
            "0800000028000000"                  // offset 40, length 8
            "00000000000000000000000000000000"  // reserved
            "3132333435363738");
}

TEST(BinaryRow, LongDecimalsAreMinimalBigEndianLeftAligned) {
  const std::vector<TypePtr> types = {DataType::Decimal(38, 0)};
  const std::pair<const char*, const char*> cases[] = {
      {"0", "00"},
      {"127", "7f"},
      {"128", "0080"},
      {"-1", "ff"},
      {"-128", "80"},
      {"-129", "ff7f"},
      {"99999999999999999999999999999999999999", "4b3b4ca85a86c47a098a223fffffffff"},
      {"-99999999999999999999999999999999999999", "b4c4b357a5793b85f675ddc000000001"},
      {"18446744073709551616", "010000000000000000"},
  };
  for (const auto& [text, hex] : cases) {
    const std::vector<Value> values = {arrow::Decimal128(text)};
    const std::string row = EncodeBinaryRow(types, values).ValueOrDie();
    ASSERT_EQ(row.size(), 32U);
    std::string expected = hex;
    expected.resize(32, '0');
    EXPECT_EQ(ToHex(row).substr(32), expected) << text;
    EXPECT_EQ(static_cast<size_t>(row[8]), std::string_view(hex).size() / 2);
    EXPECT_EQ(DecodeSerializedRow(SerializeRow(row, 1), types).ValueOrDie(), values);
  }
}

TEST(BinaryRow, DecimalsThatOutgrewTheirPrecisionAreKept) {
  const std::vector<TypePtr> types = {DataType::Decimal(10, 2)};
  const std::vector<Value> values = {arrow::Decimal128(10000000000)};
  EXPECT_EQ(DecodeSerializedRow(EncodeSerializedRow(types, values).ValueOrDie(), types).ValueOrDie(), values);
}

TEST(BinaryRow, StringsOfSevenBytesAreInlineOfEightAreNot) {
  const std::vector<TypePtr> types = {kString};
  EXPECT_EQ(ToHex(EncodeBinaryRow(types, std::vector<Value>{std::string("1234567")}).ValueOrDie()),
            "00000000000000003132333435363787");
  EXPECT_EQ(EncodeBinaryRow(types, std::vector<Value>{std::string("12345678")}).ValueOrDie().size(), 24U);
  EXPECT_EQ(ToHex(EncodeBinaryRow(types, std::vector<Value>{std::string()}).ValueOrDie()), "00000000000000000000000000000080");
}

TEST(BinaryRow, WideRowsGrowTheirNullBits) {
  for (const auto& [arity, null_bytes] : {std::pair<size_t, size_t>{56, 8}, {57, 16}, {120, 16}, {121, 24}}) {
    std::vector<Value> values(arity, Value(int64_t{7}));
    values.back() = Value();
    const std::vector<TypePtr> types(arity, kInt);
    const std::string row = EncodeBinaryRow(types, values).ValueOrDie();
    EXPECT_EQ(row.size(), null_bytes + 8 * arity);
    EXPECT_EQ(DecodeSerializedRow(SerializeRow(row, static_cast<int>(arity)), types).ValueOrDie(), values);
  }
}

TEST(BinaryRow, RowsOfTheReferencesManifestsComeBackByteForByte) {
  int rows = 0;
  for (const corpus::ManifestRow& row : corpus::kManifestRows) {
    std::vector<TypePtr> types;
    for (const auto& type : nlohmann::json::parse(row.types)) types.push_back(TypeFromJson(type).ValueOrDie());
    auto values = DecodeSerializedRow(FromHex(row.hex), types);
    ASSERT_TRUE(values.ok()) << values.status().ToString() << row.types << row.hex;
    EXPECT_EQ(ToHex(EncodeSerializedRow(types, *values).ValueOrDie()), row.hex) << row.types;
    ++rows;
  }
  EXPECT_GE(rows, 10);
}

TEST(BinaryRow, FewerFieldsThanTypesGiveNulls) {
  const std::vector<TypePtr> types = {kInt, kString};
  EXPECT_EQ(DecodeSerializedRow("", types).ValueOrDie(), std::vector<Value>(2));
  EXPECT_EQ(DecodeSerializedRow(EmptySerializedRow(), types).ValueOrDie(), std::vector<Value>(2));
  const auto one = EncodeSerializedRow(std::span(types).first(1), std::vector<Value>{int64_t{5}}).ValueOrDie();
  EXPECT_EQ(DecodeSerializedRow(one, types).ValueOrDie(), (std::vector<Value>{int64_t{5}, Value()}));
}

TEST(BinaryRow, ValuesOutsideTheirTypeAreInvalid) {
  const std::pair<TypePtr, Value> cases[] = {
      {kInt, int64_t{1} << 40},
      {DataType::Make(TypeRoot::kTinyint), int64_t{128}},
      {kInt, std::string("1")},
      {kString, int64_t{1}},
      {DataType::Decimal(5, 2), arrow::Decimal128("99999999999999999999")},
      {DataType::Make(TypeRoot::kDouble), 1.0F},
  };
  for (const auto& [type, value] : cases) {
    auto row = EncodeBinaryRow(std::vector{type}, std::vector{value});
    ASSERT_FALSE(row.ok()) << type->ToSqlString();
    EXPECT_EQ(KindOf(row.status()), ErrorKind::kInvalid);
  }
}

void ExpectCorrupt(const std::string& hex, const TypePtr& type) {
  auto values = DecodeSerializedRow(FromHex(hex), std::vector{type});
  ASSERT_FALSE(values.ok()) << hex;
  EXPECT_EQ(KindOf(values.status()), ErrorKind::kCorrupt) << hex;
}

TEST(BinaryRow, ForgedBytesAreCorrupt) {
  ExpectCorrupt("00", kInt);
  ExpectCorrupt("00000001", kInt);                  // no row at all
  ExpectCorrupt("7fffffff0000000000000000", kInt);  // arity of two billion
  ExpectCorrupt("ffffffff0000000000000000", kInt);  // negative arity
  ExpectCorrupt(
      "0000000100000000000000000000000000000000"
      "00",
      DataType::Decimal(38, 0));                                                                // a decimal without bytes
  ExpectCorrupt("000000010000000000000000ffffff7f10000000", kString);                           // longer than the row
  ExpectCorrupt("000000010000000000000000080000007fffff7f", kString);                           // begins behind the row
  ExpectCorrupt("0000000100000000000000000000000000000088", kString);                           // eight bytes inline
  ExpectCorrupt("0000000100000000000000000000000010000000", kTimestamp9);                       // no room for the millis
  ExpectCorrupt("00000001000000000000000040420f00100000000000000000000000", kTimestamp9);       // 1,000,000 nanoseconds
  ExpectCorrupt("000000010000000000000000110000000000000000000000", DataType::Decimal(38, 0));  // 17 bytes
}

TEST(BinaryRow, EveryTruncationIsCorruptOrShorter) {
  for (const corpus::ManifestRow& row : corpus::kManifestRows) {
    std::vector<TypePtr> types;
    for (const auto& type : nlohmann::json::parse(row.types)) types.push_back(TypeFromJson(type).ValueOrDie());
    const std::string bytes = FromHex(row.hex);
    for (size_t size = 0; size < bytes.size(); ++size) {
      auto values = DecodeSerializedRow(std::string_view(bytes).substr(0, size), types);
      EXPECT_TRUE(values.ok() || KindOf(values.status()) == ErrorKind::kCorrupt) << values.status().ToString();
    }
  }
}

}  // namespace
}  // namespace bactrian
