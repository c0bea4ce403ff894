#include "bactrian/table/write/external_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace bactrian {
namespace {

using ::testing::HasSubstr;

Options With(std::string strategy, std::string paths, Options more = {}) {
  more["data-file.external-paths"] = std::move(paths);
  more["data-file.external-paths.strategy"] = std::move(strategy);
  return more;
}

std::map<char, int> Spread(ExternalPaths& paths, int files) {
  std::map<char, int> counts;
  for (int i = 0; i < files; ++i) {
    const std::string path = paths.NextFile("bucket-0", "data-" + std::to_string(i));
    EXPECT_THAT(path, testing::MatchesRegex("file:/[ab]/bucket-0/data-[0-9]+"));
    ++counts[path.at(6)];
  }
  return counts;
}

TEST(ExternalPathsTest, ByDefaultPathsAreIgnored) {
  EXPECT_FALSE(ExternalPaths::Make({{"data-file.external-paths", "file:/a"}}).ValueOrDie().enabled());
}

TEST(ExternalPathsTest, RoundRobinTakesTurns) {
  auto paths = ExternalPaths::Make(With("round-robin", "file:/a, file:/b/")).ValueOrDie();
  EXPECT_EQ(Spread(paths, 10), (std::map<char, int>{{'a', 5}, {'b', 5}}));
}

TEST(ExternalPathsTest, WeightsShareOutFiles) {
  auto paths =
      ExternalPaths::Make(With("weight-robin", "file:/a,file:/b", {{"data-file.external-paths.weights", "3,1"}})).ValueOrDie();
  EXPECT_EQ(Spread(paths, 40), (std::map<char, int>{{'a', 30}, {'b', 10}}));
}

TEST(ExternalPathsTest, ASpecificSchemeLeavesTheOthersOut) {
  auto paths = ExternalPaths::Make(With("specific-fs", "s3://x/y,file:/a", {{"data-file.external-paths.specific-fs", "file"}}))
                   .ValueOrDie();
  EXPECT_EQ(Spread(paths, 3), (std::map<char, int>{{'a', 3}}));
}

TEST(ExternalPathsTest, EntropyComesBetweenBucketAndFileAsTheReferencePutsIt) {
  auto paths = ExternalPaths::Make(With("entropy-inject", "file:/a")).ValueOrDie();
  // Where Paimon 2.0.0 put these.
  EXPECT_EQ(paths.NextFile("p=x/bucket-0", "data-07b29a73-8f1a-4814-a082-7a2af4f6615a-0.parquet"),
            "file:/a/p=x/bucket-0/0111/1110/0010/11000001/data-07b29a73-8f1a-4814-a082-7a2af4f6615a-0.parquet");
  EXPECT_EQ(paths.NextFile("p=y/bucket-0", "data-886f903f-0967-4c5f-8e4d-452378b200c9-0.parquet"),
            "file:/a/p=y/bucket-0/0000/0100/1011/11010111/data-886f903f-0967-4c5f-8e4d-452378b200c9-0.parquet");
}

TEST(ExternalPathsTest, MalformedOptionsAreRefusedByName) {
  const auto message = [](const Options& options) { return ExternalPaths::Make(options).status().message(); };
  EXPECT_THAT(message(With("often", "file:/a")), HasSubstr("data-file.external-paths.strategy"));
  EXPECT_THAT(message(With("round-robin", "/no/scheme")), HasSubstr("has no scheme"));
  EXPECT_THAT(message(With("round-robin", "")), HasSubstr("names no path"));
  EXPECT_THAT(message(With("weight-robin", "file:/a", {{"data-file.external-paths.weights", "0"}})), HasSubstr("weights"));
}

}  // namespace
}  // namespace bactrian
