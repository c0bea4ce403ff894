#include "bactrian/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bactrian {
namespace {

using nlohmann::ordered_json;

TEST(Json, NestingTenThousandDeepIsAnErrorThatNamesTheFile) {
  for (char open : {'[', '{'}) {
    std::string text;
    for (int i = 0; i < 10000; ++i) text += open == '{' ? std::string("{\"a\":") : std::string("[");
    auto result = ParseJson(text, "snapshot-1");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kCorrupt);
    EXPECT_THAT(result.status().message(), testing::HasSubstr("snapshot-1"));
  }
}

TEST(Json, BracketsInsideStringsDoNotNest) {
  std::string text = "\"" + std::string(1000, '[') + "\\\"[\"";
  EXPECT_TRUE(ParseJson(text, "x").ok());
}

TEST(Json, MembersOfTheWrongTypeAreCorrupt) {
  auto document = *ParseJson(R"({"a": "1", "b": 1.5, "c": null, "d": 9223372036854775808, "e": -9223372036854775808})", "f");
  EXPECT_EQ(KindOf(JsonInteger(document, "a", "f").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(JsonInteger(document, "b", "f").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(JsonInteger(document, "d", "f").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(*JsonInteger(document, "c", "f"), std::nullopt);
  EXPECT_EQ(*JsonInteger(document, "missing", "f"), std::nullopt);
  EXPECT_EQ(*JsonInteger(document, "e", "f"), INT64_MIN);
  EXPECT_EQ(KindOf(JsonString(document, "b", "f").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(RequireJsonString(document, "c", "f").status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(JsonInteger(*ParseJson("[]", "f"), "a", "f").status()), ErrorKind::kCorrupt);
}

TEST(Json, PrettyTextIsJacksons) {
  ordered_json value = {{"a", 1}, {"e", ordered_json::object()}, {"l", ordered_json::array()}, {"s", {"x", "y"}}};
  value["f"] = ordered_json::array({{{"id", 0}}, {{"id", 1}}});
  EXPECT_EQ(PrettyJson(value),
            "{\n  \"a\" : 1,\n  \"e\" : { },\n  \"l\" : [ ],\n  \"s\" : [ \"x\", \"y\" ],\n"
            "  \"f\" : [ {\n    \"id\" : 0\n  }, {\n    \"id\" : 1\n  } ]\n}");
}

TEST(Json, EscapesAreJacksons) {
  EXPECT_EQ(JsonQuote(std::string("a\"\\\b\t\n\f\r\x1f\x7fü\0", 13)), "\"a\\\"\\\\\\b\\t\\n\\f\\r\\u001F\x7fü\\u0000\"");
  EXPECT_EQ(CompactJson(ordered_json{{"k", {1, "v"}}}), R"({"k":[1,"v"]})");
}

// Orders that the reference printed (schema and statistics files of the corpus).
TEST(Json, MapsPrintInJavasHashOrder) {
  auto ordered = [](const std::vector<std::string_view>& keys) {
    std::vector<std::string> names;
    for (size_t i : JavaHashMapOrder(keys)) names.emplace_back(keys[i]);
    return names;
  };
  EXPECT_THAT(ordered({"bucket", "file.format", "write-only"}), testing::ElementsAre("bucket", "write-only", "file.format"));
  EXPECT_THAT(ordered({"d", "id", "s"}), testing::ElementsAre("s", "d", "id"));
}

}  // namespace
}  // namespace bactrian
