#include "bactrian/merge/sections.h"

#include <gtest/gtest.h>

#include <random>

namespace bactrian {
namespace {

KeyRange Range(int64_t min, int64_t max, int64_t file) { return {{Value{min}}, {Value{max}}, file}; }

std::vector<std::vector<std::vector<int64_t>>> Files(const std::vector<Section>& sections) {
  std::vector<std::vector<std::vector<int64_t>>> out;
  for (const Section& section : sections) {
    auto& runs = out.emplace_back();
    for (const RunOfFiles& run : section) {
      auto& files = runs.emplace_back();
      for (const KeyRange& file : run) files.push_back(file.file);
    }
  }
  return out;
}

TEST(Sections, DisjointFilesAreSectionsOfOneRun) {
  EXPECT_EQ(Files(PartitionIntoSections({Range(5, 9, 1), Range(1, 4, 0)})),
            (std::vector<std::vector<std::vector<int64_t>>>{{{0}}, {{1}}}));
}

TEST(Sections, FilesThatShareAKeyMeetInOneSection) {
  EXPECT_EQ(Files(PartitionIntoSections({Range(1, 4, 0), Range(4, 9, 1)})),
            (std::vector<std::vector<std::vector<int64_t>>>{{{0}, {1}}}));
}

TEST(Sections, ALongFileHoldsASectionTogetherAndTheOthersShareARun) {
  EXPECT_EQ(
      Files(PartitionIntoSections({Range(1, 100, 0), Range(2, 3, 1), Range(5, 8, 2), Range(9, 11, 3), Range(101, 102, 4)})),
      (std::vector<std::vector<std::vector<int64_t>>>{{{0}, {1, 2, 3}}, {{4}}}));
}

TEST(Sections, NullKeysComeFirst) {
  EXPECT_LT(CompareKeys(std::vector<Value>{Value{}}, std::vector<Value>{Value{int64_t{-5}}}), 0);
  EXPECT_EQ(CompareKeys(std::vector<Value>{Value{}}, std::vector<Value>{Value{}}), 0);
}

TEST(Sections, RunsAreDisjointInsideAndSectionsBetween) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<KeyRange> files;
    const int count = 1 + static_cast<int>(random() % 30);
    for (int i = 0; i < count; ++i) {
      const auto min = static_cast<int64_t>(random() % 100);
      files.push_back(Range(min, min + static_cast<int64_t>(random() % 12), i));
    }
    int64_t last_of_section = -1, seen = 0;
    for (const Section& section : PartitionIntoSections(files)) {
      int64_t section_max = last_of_section;
      for (const RunOfFiles& run : section) {
        int64_t last = last_of_section;
        for (const KeyRange& file : run) {
          ASSERT_GT(std::get<int64_t>(file.min[0]), last);
          last = std::get<int64_t>(file.max[0]);
          ++seen;
        }
        section_max = std::max(section_max, last);
      }
      last_of_section = section_max;
    }
    ASSERT_EQ(seen, count);
  }
}

}  // namespace
}  // namespace bactrian
