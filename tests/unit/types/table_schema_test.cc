#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bactrian/schema.h"
#include "corpus_schemas.h"

namespace bactrian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Options are printed in the order of a Java hash map, where keys in one slot follow the order of the user's calls. Their
/// lines are compared as a set.
std::string WithSortedOptions(std::string text) {
  const size_t begin = text.find("\"options\" : {\n");
  const size_t end = text.find("\n  }", begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  std::istringstream stream(text.substr(begin, end - begin));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with(',')) line.pop_back();
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  for (const std::string& line : lines) sorted += line + "\n";
  return text.replace(begin, end - begin, sorted);
}

TEST(TableSchema, PrintsTheReferencesTextByteForByte) {
  for (const char* text : corpus::kAllSchemas) {
    auto schema = TableSchema::FromJson(text);
    ASSERT_TRUE(schema.ok()) << schema.status().ToString() << text;
    EXPECT_EQ(schema->ToJson(), text);
  }
}

TEST(TableSchema, EveryTypeOfTheCorpusSurvivesSqlAndJson) {
  for (const char* text : corpus::kAllSchemas) {
    const TableSchema schema = TableSchema::FromJson(text).ValueOrDie();
    for (const Field& field : schema.fields) {
      EXPECT_TRUE(ParseJsonType(field.type->ToJson()).ValueOrDie()->Equals(*field.type)) << field.type->ToJson();
      const std::string sql = field.type->ToSqlString();
      EXPECT_EQ(ParseSqlType(sql).ValueOrDie()->ToSqlString(), sql);
      EXPECT_TRUE(ToArrowType(*field.type).ok()) << sql;
    }
  }
}

// BACTRIAN_CORPUS=/path/a:/path/b runs over every schema file below those folders.
TEST(TableSchema, EverySchemaFileOfTheWholeCorpusIsPrintedAsTheReferenceDid) {
  const char* roots = std::getenv("BACTRIAN_CORPUS");
  if (roots == nullptr) GTEST_SKIP() << "BACTRIAN_CORPUS is not set";
  int files = 0, same_option_order = 0;
  std::istringstream stream(roots);
  for (std::string root; std::getline(stream, root, ':');) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file() || !name.starts_with("schema-")) continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      auto schema = TableSchema::FromJson(text);
      ASSERT_TRUE(schema.ok()) << entry.path() << schema.status().ToString();
      for (const Field& field : schema->fields) {
        const std::string sql = field.type->ToSqlString();
        ASSERT_EQ(ParseSqlType(sql).ValueOrDie()->ToSqlString(), sql);
      }
      if (entry.path().string().find("/py_") != std::string::npos) continue;  // pypaimon prints compactly
      ++files;
      same_option_order += schema->ToJson() == text;
      ASSERT_EQ(WithSortedOptions(schema->ToJson()), WithSortedOptions(text)) << entry.path();
    }
  }
  ASSERT_GT(files, 0);
  std::cout << files << " files equal, " << same_option_order << " of them with the same order of options\n";
}

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
