#include "bactrian/variant.h"

#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../status_asserts.h"
#include "bactrian/types/variant_builder.h"
#include "hex.h"

namespace bactrian {
namespace {

struct Example {
  std::string value, metadata, json;
};

/// Values that the reference wrote and printed (corpus case "variant"), and primitives by the specification's table.
const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {"0203000102000204140c01057803030002040a0c010c02020103000100", "0104000102030461626364",
       R"({"a":1,"b":"x","c":[1,2,{"d":null}]})"},
      {"18cbe32320fdffffff", "010000", "-12345678901"},
      {"20010f000000", "010000", "1.5"},
      {"2409155fd0ac4b9bb601", "010000", "123456789.123456789"},
      {"020100001c020101001702010200120301000e02010300091c9c7500883ce4377e", "010400060a0c0d6e657374656464656570657278",
       R"({"nested":{"deep":{"er":[{"x":1.0E300}]}}})"},
      {"030000", "010000", "[]"},
      {"04", "010000", "true"},
      {"08", "010000", "false"},
      {"0cff", "010000", "-1"},
      {"10ff7f", "010000", "32767"},
      {"1400000080", "010000", "-2147483648"},
      {"2802" + std::string("0000000000000080") + "ffffffffffffffff", "010000", "-92233720368547758.08"},
      {"200200000000", "010000", "0"},
      {"2003e8030000", "010000", "1"},
      {"2c8a4c0000", "010000", "\"2023-08-25\""},
      {"3000000000000000", "010000", ""},  // too short
      {"3040e2010000000000", "010000", "\"1970-01-01 00:00:00.123456+00:00\""},
      {"34ffffffffffffffff", "010000", "\"1969-12-31 23:59:59.999999\""},
      {"4ca086010000000000", "010000", "\"1970-01-01 00:00:00.0001\""},
      {"4440e2010000000000", "010000", "\"00:00:00.123456\""},
      {"380000c03f", "010000", "1.5"},
      {"3c03000000" + std::string("010203"), "010000", "\"AQID\""},
      {"50000102030405060708090a0b0c0d0e0f", "010000", "\"00010203-0405-0607-0809-0a0b0c0d0e0f\""},
      {"29090a22415c0101c3a4", "010000", ""},  // longer than its length says: what follows is not part of it
  };
  return examples;
}

TEST(Variant, IsSpelledAsTheReferenceSpellsIt) {
  for (const Example& example : Examples()) {
    if (example.json.empty()) continue;
    const std::string value = FromHex(example.value), metadata = FromHex(example.metadata);
    ASSERT_OK_AND_ASSIGN(const std::string json, VariantToJson({value, metadata}));
    EXPECT_EQ(json, example.json) << example.value;
  }
  ASSERT_OK_AND_ASSIGN(const std::string quoted, VariantToJson({std::string("\x15\x09\"\\\x1f\x7f", 6), FromHex("010000")}));
  EXPECT_EQ(quoted, "\"\\t\\\"\\\\\\u001F\x7f\"");
}

TEST(Variant, CutShortAnywhereItIsRefused) {
  for (const Example& example : Examples()) {
    const std::string value = FromHex(example.value), metadata = FromHex(example.metadata);
    for (size_t length = 0; length < value.size(); ++length) {
      EXPECT_EQ(ErrorKindOf(VariantToJson({std::string_view(value).substr(0, length), metadata})), ErrorKind::kCorrupt)
          << example.value << " cut to " << length;
    }
    if (example.value.starts_with("02")) {
      for (size_t length = 0; length < metadata.size(); ++length) {
        EXPECT_EQ(ErrorKindOf(VariantToJson({value, std::string_view(metadata).substr(0, length)})), ErrorKind::kCorrupt);
      }
    }
  }
}

TEST(Variant, BytesChangedAnywhereGiveAnErrorOrAnotherValue) {
  const Example& example = Examples()[4];
  const std::string value = FromHex(example.value), metadata = FromHex(example.metadata);
  int refused = 0;
  for (size_t at = 0; at < value.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = value;
      changed[at] = static_cast<char>(byte);
      refused += !VariantToJson({changed, metadata}).ok();
      VariantBuilder builder;
      refused += !builder.AppendVariant({changed, metadata}).ok();
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Variant, NestedTooDeepItIsRefused) {
  VariantBuilder builder;
  builder.AppendBoolean(true);
  for (int depth = 1; depth < 1000; ++depth) builder.FinishArray(0, {0});
  const std::string metadata = builder.Metadata();
  ASSERT_OK_AND_ASSIGN(const std::string json, VariantToJson({builder.value(), metadata}));
  EXPECT_EQ(json, std::string(999, '[') + "true" + std::string(999, ']'));
  builder.FinishArray(0, {0});
  EXPECT_EQ(ErrorKindOf(VariantToJson({builder.value(), metadata})), ErrorKind::kCorrupt);
  EXPECT_EQ(ErrorKindOf(VariantBuilder().AppendVariant({builder.value(), metadata})), ErrorKind::kCorrupt);
}

TEST(Variant, SharedChildrenDoNotGrowWithoutBound) {
  // Each level holds the level below twice at one offset: 2^40 values from a few hundred bytes.
  std::string value = FromHex("04");
  for (int level = 0; level < 40; ++level) {
    std::string header = FromHex("0702");  // two elements, offsets of two bytes
    for (const int offset : {0, 0, static_cast<int>(value.size())}) {
      header.push_back(static_cast<char>(offset & 0xff));
      header.push_back(static_cast<char>(offset >> 8));
    }
    value = header + value;
  }
  VariantBuilder builder(/*max_size=*/100000);
  EXPECT_EQ(ErrorKindOf(builder.AppendVariant({value, FromHex("010000")})), ErrorKind::kCorrupt);
}

TEST(VariantBuilder, CopiesByteForByteAndTakesTheNamesOver) {
  for (const Example& example : Examples()) {
    if (example.json.empty()) continue;
    const std::string value = FromHex(example.value), metadata = FromHex(example.metadata);
    VariantBuilder builder;
    ASSERT_OK(builder.AppendVariant({value, metadata}));
    EXPECT_EQ(builder.value(), value);
    EXPECT_EQ(builder.Metadata(), metadata);
  }
}

TEST(VariantBuilder, LargeContainersHaveWideCountsAndOffsets) {
  VariantBuilder builder;
  std::vector<VariantBuilder::FieldEntry> fields;
  std::string expected = "{";
  for (int i = 999; i >= 0; --i) {
    const std::string name = "f" + std::to_string(1000 + i);
    fields.push_back({name, builder.AddName(name), builder.position()});
    builder.AppendString(std::string(100, 'x'));
  }
  for (int i = 0; i < 1000; ++i)
    expected += (i ? ",\"f" : "\"f") + std::to_string(1000 + i) + "\":\"" + std::string(100, 'x') + "\"";
  ASSERT_OK(builder.FinishObject(0, std::move(fields)));
  ASSERT_OK_AND_ASSIGN(const std::string json, VariantToJson({builder.value(), builder.Metadata()}));
  EXPECT_EQ(json, expected + "}");
  VariantBuilder twice;
  EXPECT_EQ(ErrorKindOf(twice.FinishObject(0, {{"a", 0, 0}, {"a", 0, 0}})), ErrorKind::kCorrupt);
}

TEST(VariantBuilder, DecimalsTakeTheSmallestWidthThatHolds) {
  for (const auto& [text, hex] :
       std::vector<std::pair<std::string, std::string>>{{"999999999", "2000ffc99a3b"},
                                                        {"1000000000", "240000ca9a3b00000000"},
                                                        {"-1", "2000ffffffff"},
                                                        {"1000000000000000000", "2800000064a7b3b6e00d0000000000000000"}}) {
    VariantBuilder builder;
    builder.AppendDecimal(arrow::Decimal128(text), 0);
    EXPECT_EQ(builder.value(), FromHex(hex)) << text;
  }
}

}  // namespace
}  // namespace bactrian
