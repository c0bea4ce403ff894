#include "bactrian/types/value_text.h"

#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bactrian/types/calendar.h"
#include "bactrian/types/java_text.h"
#include "bactrian/types/partition_path.h"
#include "bactrian/types/timestamp.h"
#include "hex.h"
#include "reference_text.h"

namespace bactrian {
namespace {

/// A value as reference_text.h spells it.
std::string Show(const Value& value, const DataType& type) {
  if (const auto* v = std::get_if<int64_t>(&value)) return std::to_string(*v);
  if (const auto* v = std::get_if<TimestampValue>(&value)) return std::to_string(v->millis) + "|" + std::to_string(v->nanos);
  if (const auto* v = std::get_if<std::string>(&value)) return type.is_binary() ? ToHex(*v) : *v;
  return IsNull(value) ? "NULL" : FormatValue(value, type);
}

Value Read(std::string_view shown, const DataType& type) {
  if (shown == "NULL") return {};
  switch (type.root()) {
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const size_t bar = shown.find('|');
      return TimestampValue{std::stoll(std::string(shown.substr(0, bar))), std::stoi(std::string(shown.substr(bar + 1)))};
    }
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return int64_t{std::stoll(std::string(shown))};
    case TypeRoot::kChar:
      return std::string(shown);
    default:
      return ParseValue(shown, type).ValueOrDie();
  }
}

TEST(ParseValue, ReadsTextAsTheReferenceDoes) {
  int cases = 0;
  for (const reference::ParseCase& c : reference::kParseCases) {
    const TypePtr type = ParseSqlType(c.type).ValueOrDie();
    const auto value = ParseValue(c.text, *type);
    ++cases;
    if (c.value == nullptr) {
      ASSERT_FALSE(value.ok()) << c.type << " '" << c.text << "' " << Show(*value, *type);
      EXPECT_EQ(KindOf(value.status()), ErrorKind::kInvalid);
    } else {
      ASSERT_TRUE(value.ok()) << c.type << " '" << c.text << "' " << value.status().ToString();
      EXPECT_EQ(Show(*value, *type), c.value) << c.type << " '" << c.text << "'";
    }
  }
  EXPECT_GT(cases, 250);
}

TEST(FormatValue, PrintsValuesAsTheReferenceDoes) {
  for (const reference::FormatCase& c : reference::kFormatCases) {
    const TypePtr type = ParseSqlType(c.type).ValueOrDie();
    EXPECT_EQ(FormatValue(Read(c.value, *type), *type), c.text) << c.type << " " << c.value;
  }
  EXPECT_EQ(FormatValue(Value(), *DataType::Int()), "null");
  EXPECT_EQ(FormatValue(std::string("\xff"), *DataType::Bytes()), "\xff");
}

TEST(PartitionPath, EveryTypeIsSpelledAsInTheReference) {
  for (const reference::PartitionCase& c : reference::kPartitionCases) {
    const TypePtr type = ParseSqlType(c.type).ValueOrDie();
    const Value value = Read(c.value, *type);
    const auto text = PartitionValueText(value, *type, c.legacy_name).ValueOrDie();
    EXPECT_EQ(text.value_or("__DEFAULT_PARTITION__"), c.text) << c.legacy_name << " " << c.type << " " << c.value;
    const std::vector<Field> fields = {{.id = 0, .name = "k", .type = type}};
    EXPECT_EQ(PartitionPath(fields, std::vector{value}, {.legacy_name = c.legacy_name}).ValueOrDie(),
              "k=" + std::string(c.directory));
  }
}

TEST(PartitionPath, EscapesWhatTheReferenceEscapes) {
  EXPECT_EQ(EscapePathName("a\"#%'*/:=?\\{}[]^b<>|~!@$&()+,;`.-_"),
            "a%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%7D%5B%5D%5Eb<>|~!@$&()+,;`.-_");
  EXPECT_EQ(EscapePathName("ü\x1f\x7f 😀\n"), "ü%1F%7F 😀%0A");
  EXPECT_EQ(EscapePathName(std::string_view("\0", 1)), "%00");
}

TEST(PartitionPath, UnescapesAnyTwoHexDigits) {
  for (const auto& [name, plain] : std::vector<std::pair<std::string, std::string>>{{"a%3Ab", "a:b"},
                                                                                    {"%", "%"},
                                                                                    {"%3", "%3"},
                                                                                    {"%3g", "%3g"},
                                                                                    {"%zz", "%zz"},
                                                                                    {"%3a", ":"},
                                                                                    {"a%25b", "a%b"},
                                                                                    {"%C3%BC", "Ã¼"},
                                                                                    {"ü%3A", "ü:"}}) {
    EXPECT_EQ(UnescapePathName(name), plain);
  }
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  EXPECT_EQ(UnescapePathName(EscapePathName(all + "ü😀")), all + "ü😀");
}

TEST(PartitionPath, NullEmptyAndBlankAreTheDefaultPartition) {
  const TypePtr type = DataType::String();
  for (const char* blank : {"", "  ", "\t\n", "\u3000", "\u2003", "\x1c"}) {
    EXPECT_EQ(PartitionValueText(std::string(blank), *type, true).ValueOrDie(), std::nullopt) << ToHex(blank);
  }
  for (const char* text : {" a", "\u00a0", "\u0085", "null"}) {
    EXPECT_EQ(PartitionValueText(std::string(text), *type, true).ValueOrDie(), text);
  }
}

TEST(PartitionPath, JoinsAndParsesParts) {
  const std::vector<Field> fields = {{.id = 0, .name = "d=t", .type = DataType::String()},
                                     {.id = 1, .name = "h", .type = DataType::Int()}};
  const std::vector<Value> values = {std::string("a/b"), Value()};
  const PartitionPathOptions options{.default_name = "none"};
  const std::string path = PartitionPath(fields, values, options).ValueOrDie();
  EXPECT_EQ(path, "d%3Dt=a%2Fb/h=none");
  const auto parts = ParsePartitionPath(path + "/", options).ValueOrDie();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].first, "d=t");
  EXPECT_EQ(parts[0].second, "a/b");
  EXPECT_EQ(parts[1].second, std::nullopt);
  EXPECT_EQ(PartitionPath({}, {}, options).ValueOrDie(), "");
  EXPECT_TRUE(ParsePartitionPath("", options).ValueOrDie().empty());
  EXPECT_EQ(ParsePartitionPath("a=b=c", options).ValueOrDie()[0].second, "b=c");
  for (const char* bad : {"x", "=b", "a=", "a=1/x", "a=1//b=2"}) {
    EXPECT_EQ(KindOf(ParsePartitionPath(bad, options).status()), ErrorKind::kInvalid) << bad;
  }
}

TEST(PartitionPath, BinaryHasNoLegacyName) {
  EXPECT_EQ(KindOf(PartitionValueText(std::string("A"), *DataType::Bytes(), true).status()), ErrorKind::kUnsupported);
  EXPECT_EQ(PartitionValueText(std::string("A"), *DataType::Bytes(), false).ValueOrDie(), "A");
}

TEST(Calendar, CivilDatesAndDaysAreInverse) {
  EXPECT_EQ(DaysFromCivil({1970, 1, 1}), 0);
  EXPECT_EQ(DaysFromCivil({2000, 2, 29}), 11016);
  for (int64_t days : {-2147483648L, -719529L, -719162L, -1L, 0L, 11016L, 19723L, 2932896L, 2147483647L}) {
    EXPECT_EQ(DaysFromCivil(CivilFromDays(days)), days);
  }
  for (int64_t days = -800000; days < 800000; days += 97) EXPECT_EQ(DaysFromCivil(CivilFromDays(days)), days);
}

TEST(Scalar, ValuesComeBackFromTheirScalars) {
  const std::pair<TypePtr, Value> cases[] = {
      {DataType::Make(TypeRoot::kBoolean), true},
      {DataType::Make(TypeRoot::kTinyint), int64_t{-7}},
      {DataType::Make(TypeRoot::kSmallint), int64_t{300}},
      {DataType::Int(), int64_t{-5}},
      {DataType::Bigint(), int64_t{1} << 40},
      {DataType::Make(TypeRoot::kFloat), 1.5F},
      {DataType::Make(TypeRoot::kDouble), -0.0},
      {DataType::Decimal(38, 2), arrow::Decimal128("-12345678901234567890")},
      {DataType::Make(TypeRoot::kDate), int64_t{19723}},
      {DataType::WithPrecision(TypeRoot::kTime, 9), int64_t{36000123}},
      {DataType::WithPrecision(TypeRoot::kTimestamp, 0), TimestampValue{-1000, 0}},
      {DataType::WithPrecision(TypeRoot::kTimestamp, 6), TimestampValue{-1, 999000}},
      {DataType::WithPrecision(TypeRoot::kTimestampLtz, 9), TimestampValue{-1, 999999}},
      {DataType::String(), std::string("ü")},
      {DataType::WithLength(TypeRoot::kBinary, 3), std::string("\0\1", 2)},
  };
  for (const auto& [type, value] : cases) {
    const auto scalar = ToScalar(value, *type).ValueOrDie();
    EXPECT_TRUE(scalar->type->Equals(*ToArrowType(*type).ValueOrDie()));
    EXPECT_EQ(FromScalar(*scalar, *type).ValueOrDie(), value) << type->ToSqlString();
    EXPECT_FALSE(ToScalar(Value(), *type).ValueOrDie()->is_valid);
    EXPECT_TRUE(IsNull(FromScalar(*ToScalar(Value(), *type).ValueOrDie(), *type).ValueOrDie()));
  }
}

TEST(Timestamp, NanosecondsReachTheEndsOf64Bits) {
  for (const int64_t nanos : {INT64_MIN, INT64_MIN + 1, int64_t{-1}, int64_t{0}, INT64_MAX}) {
    EXPECT_EQ(TimestampToUnits(TimestampFromUnits(nanos, kNanosPerMilli), kNanosPerMilli).ValueOrDie(), nanos);
  }
  EXPECT_FALSE(TimestampToUnits({INT64_MAX / kNanosPerMilli, 999999}, kNanosPerMilli).ok());
}

TEST(Scalar, WhatDoesNotFitIsInvalid) {
  const auto timestamp9 = DataType::WithPrecision(TypeRoot::kTimestamp, 9);
  EXPECT_EQ(KindOf(ToScalar(TimestampValue{253402300799999, 0}, *timestamp9).status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(ToScalar(int64_t{1} << 40, *DataType::Int()).status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(ToScalar(std::string("1"), *DataType::Int()).status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(FromScalar(arrow::Int64Scalar(1), *DataType::Int()).status()), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace bactrian
