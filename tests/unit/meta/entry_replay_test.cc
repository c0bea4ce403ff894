#include "bactrian/meta/entry_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"

namespace bactrian {
namespace {

using testing::ElementsAre;

ManifestEntry MakeEntry(FileKind kind, const std::string& name, int32_t level = 0) {
  ManifestEntry entry;
  entry.kind = kind;
  entry.file.file_name = name;
  entry.file.level = level;
  return entry;
}
ManifestEntry Add(const std::string& name, int32_t level = 0) { return MakeEntry(FileKind::kAdd, name, level); }
ManifestEntry Delete(const std::string& name, int32_t level = 0) { return MakeEntry(FileKind::kDelete, name, level); }

std::vector<std::string> Names(const std::vector<ManifestEntry>& entries) {
  std::vector<std::string> names;
  for (const ManifestEntry& entry : entries) {
    names.push_back((entry.kind == FileKind::kAdd ? "+" : "-") + entry.file.file_name + std::to_string(entry.file.level));
  }
  return names;
}

TEST(EntryReplay, DeletesCancelAddsAndOrderStays) {
  EntryReplay replay;
  for (auto& entry : {Add("a"), Add("b"), Add("c"), Delete("b"), Add("d"), Delete("a")}) ASSERT_OK(replay.Apply(entry));
  ASSERT_OK_AND_ASSIGN(auto live, replay.FinishLive());
  EXPECT_THAT(Names(live), ElementsAre("+c0", "+d0"));
}

TEST(EntryReplay, AnUpgradeIsAnotherIdentity) {
  EntryReplay replay;
  for (auto& entry : {Add("a", 0), Delete("a", 0), Add("a", 5)}) ASSERT_OK(replay.Apply(entry));
  ASSERT_OK_AND_ASSIGN(auto live, replay.FinishLive());
  EXPECT_THAT(Names(live), ElementsAre("+a5"));
}

TEST(EntryReplay, AFileMayComeBackAfterItsDelete) {
  EntryReplay replay;
  for (auto& entry : {Add("a"), Add("b"), Delete("a"), Add("a"), Delete("a"), Add("a")}) ASSERT_OK(replay.Apply(entry));
  ASSERT_OK_AND_ASSIGN(auto live, replay.FinishLive());
  EXPECT_THAT(Names(live), ElementsAre("+b0", "+a0"));
}

TEST(EntryReplay, AddingTwiceIsCorrupt) {
  EntryReplay replay;
  ASSERT_OK(replay.Apply(Add("a")));
  EXPECT_EQ(ErrorKindOf(replay.Apply(Add("a"))), ErrorKind::kCorrupt);
  ASSERT_OK(replay.Apply(Delete("b")));
  EXPECT_EQ(ErrorKindOf(replay.Apply(Delete("b"))), ErrorKind::kCorrupt);
}

TEST(EntryReplay, DeletesWithoutAddsRemainInPartsAndAreCorruptInTheWhole) {
  EntryReplay part;
  for (auto& entry : {Delete("old"), Add("a")}) ASSERT_OK(part.Apply(entry));
  EXPECT_THAT(Names(part.Finish()), ElementsAre("-old0", "+a0"));
  EntryReplay whole;
  ASSERT_OK(whole.Apply(Delete("old")));
  EXPECT_EQ(ErrorKindOf(whole.FinishLive()), ErrorKind::kCorrupt);
}

TEST(EntryReplay, EveryPartOfTheIdentityCounts) {
  const ManifestEntry base = Add("a");
  std::vector<ManifestEntry> others(6, base);
  others[0].partition = "p";
  others[1].bucket = 1;
  others[2].file.level = 1;
  others[3].file.extra_files = {"x"};
  others[4].file.embedded_index = "";
  others[5].file.external_path = "";
  EntryReplay replay;
  ASSERT_OK(replay.Apply(base));
  for (const ManifestEntry& other : others) {
    EXPECT_FALSE(SameIdentity(base, other));
    ASSERT_OK(replay.Apply(other));
  }
  ManifestEntry same = base;
  same.total_buckets = 9;
  same.file.file_size = 9;
  same.file.row_count = 9;
  EXPECT_TRUE(SameIdentity(base, same));
}

}  // namespace
}  // namespace bactrian
