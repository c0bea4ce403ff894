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

TEST(ExternalPathsTest, EntropyComesBetweenRootAndBucket) {
  auto paths = ExternalPaths::Make(With("entropy-inject", "file:/a")).ValueOrDie();
  EXPECT_THAT(paths.NextFile("k=1/bucket-0", "f"), testing::MatchesRegex("file:/a(/[01][01][01][01])+/k=1/bucket-0/f"));
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
