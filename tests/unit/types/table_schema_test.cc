#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bactrian/schema.h"

namespace bactrian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kMinimal[] =
    R"({"id":4,"fields":[{"id":0,"name":"a","type":"INT NOT NULL"},{"id":1,"name":"p","type":"STRING"}],"highestFieldId":1,)"
    R"("partitionKeys":["p"],"primaryKeys":["p","a"],"options":{"x":"1"},"unknown":[{}]})";

TEST(TableSchema, OlderVersionsGetTheirDefaults) {
  auto v1 = TableSchema::FromJson(kMinimal).ValueOrDie();
  EXPECT_EQ(v1.version, 1);
  EXPECT_EQ(v1.options.at("bucket"), "1");
  EXPECT_EQ(v1.options.at("file.format"), "orc");
  EXPECT_EQ(v1.time_millis, 0);
  std::string text = kMinimal;
  auto v2 = TableSchema::FromJson(text.replace(0, 1, R"({"version":2,)")).ValueOrDie();
  EXPECT_FALSE(v2.options.contains("bucket"));
  EXPECT_EQ(v2.options.at("file.format"), "orc");
  text = kMinimal;
  auto v3 = TableSchema::FromJson(text.replace(0, 1, R"({"version":3,)")).ValueOrDie();
  EXPECT_EQ(v3.options.size(), 1U);
}

TEST(TableSchema, DerivesKeys) {
  auto schema = TableSchema::FromJson(kMinimal).ValueOrDie();
  EXPECT_EQ(schema.FieldIndex("p"), 1);
  EXPECT_EQ(schema.FieldIndex("P"), -1);
  EXPECT_EQ(schema.FindField("nope"), nullptr);
  EXPECT_THAT(schema.TrimmedPrimaryKeys(), ElementsAre("a"));
  EXPECT_THAT(schema.BucketKeys(), ElementsAre("a"));
  EXPECT_EQ(schema.PartitionFields().at(0).name, "p");
  schema.options["bucket-key"] = "a, b,c";
  EXPECT_THAT(schema.BucketKeys(), ElementsAre("a", " b", "c"));
}

TEST(TableSchema, MalformedDocumentsAreCorrupt) {
  const std::string good = kMinimal;
  std::vector<std::string> bad = {"", "[]", "{}", good.substr(0, good.size() - 1)};
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{R"("id":4)", R"("id":"4")"},
                                                        {R"("id":4)", R"("id":99999999999999999999)"},
                                                        {R"("highestFieldId":1,)", ""},
                                                        {R"("highestFieldId":1,)", R"("highestFieldId":4000000000,)"},
                                                        {R"(["p"])", R"("p")"},
                                                        {R"(["p"])", R"([1])"},
                                                        {R"(["p"])", R"(["q"])"},
                                                        {R"({"x":"1"})", R"([])"},
                                                        {R"({"x":"1"})", R"({"x":{}})"},
                                                        {"INT NOT NULL", "INT NOT"}}) {
    std::string text = good;
    bad.push_back(text.replace(text.find(from), from.size(), to));
  }
  for (const std::string& text : bad) {
    auto schema = TableSchema::FromJson(text);
    ASSERT_FALSE(schema.ok()) << text;
    EXPECT_EQ(KindOf(schema.status()), ErrorKind::kCorrupt) << text;
    EXPECT_THAT(schema.status().message(), HasSubstr("schema: "));
  }
}

TEST(TableSchema, ANewerVersionIsUnsupported) {
  std::string text = kMinimal;
  auto schema = TableSchema::FromJson(text.replace(0, 1, R"({"version":4,)"));
  ASSERT_FALSE(schema.ok());
  EXPECT_EQ(KindOf(schema.status()), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace bactrian
