#include "bactrian/meta/manifest_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "../status_asserts.h"
#include "bactrian/meta/entry_replay.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ManifestMergeTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    paths_.root = std::string("memory://merge_") + test->name() + "/t";
    ASSERT_OK_AND_ASSIGN(store_, FileStore::Open(paths_.root));
    options_.partition_fields = {{0, "p", DataType::Int(), std::nullopt, std::nullopt}};
  }

  static ManifestEntry MakeEntry(FileKind kind, const std::string& name, int64_t partition) {
    ManifestEntry entry;
    entry.kind = kind;
    const TypePtr type = DataType::Int();
    const Value value = partition;
    entry.partition = *EncodeSerializedRow(std::span(&type, 1), std::span(&value, 1));
    entry.file.file_name = name;
    entry.file.min_key = entry.file.max_key = std::string(EmptySerializedRow());
    entry.file.key_stats = entry.file.value_stats = SimpleStats::Empty();
    return entry;
  }
  /// One manifest with all entries, whatever their size.
  ManifestFileMeta Write(const std::vector<ManifestEntry>& entries) {
    ManifestWriteOptions options = options_.write;
    options.target_file_size = INT64_MAX;
    auto manifests = WriteManifests(*store_, paths_, "in", &counter_, entries, options_.partition_fields, options);
    EXPECT_TRUE(manifests.ok());
    return manifests->at(0);
  }
  ManifestFileMeta WriteAdds(int from, int to, int64_t partition) {
    std::vector<ManifestEntry> entries;
    for (int i = from; i < to; ++i) entries.push_back(MakeEntry(FileKind::kAdd, "f" + std::to_string(i), partition));
    return Write(entries);
  }
  arrow::Result<MergedManifests> Merge(const std::vector<ManifestFileMeta>& manifests) {
    return MergeManifests(*store_, paths_, "out", &counter_, manifests, options_);
  }
  std::vector<std::string> Live(const std::vector<ManifestFileMeta>& manifests) {
    EntryReplay replay;
    for (const ManifestFileMeta& manifest : manifests) {
      std::vector<ManifestEntry> entries;
      EXPECT_TRUE(ReadManifest(*store_, paths_.ManifestFile(manifest.file_name), manifest.file_size, nullptr, &entries).ok());
      for (ManifestEntry& entry : entries) EXPECT_TRUE(replay.Apply(std::move(entry)).ok());
    }
    auto live = replay.FinishLive();
    EXPECT_TRUE(live.ok()) << live.status().ToString();
    std::vector<std::string> names;
    for (const ManifestEntry& entry : *live) names.push_back(entry.file.file_name);
    return names;
  }
  static std::vector<std::string> Names(const std::vector<ManifestFileMeta>& manifests) {
    std::vector<std::string> names;
    for (const ManifestFileMeta& manifest : manifests) names.push_back(manifest.file_name);
    return names;
  }

  std::shared_ptr<FileStore> store_;
  TablePaths paths_;
  ManifestMergeOptions options_;
  int counter_ = 0;
};

TEST_F(ManifestMergeTest, FewSmallManifestsStay) {
  std::vector<ManifestFileMeta> manifests;
  for (int i = 0; i < 29; ++i) manifests.push_back(WriteAdds(i, i + 1, 0));
  ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge(manifests));
  EXPECT_EQ(Names(merged.manifests), Names(manifests));
  EXPECT_THAT(merged.written, IsEmpty());
}

TEST_F(ManifestMergeTest, ManySmallManifestsBecomeOne) {
  std::vector<ManifestFileMeta> manifests;
  for (int i = 0; i < 30; ++i) manifests.push_back(WriteAdds(i, i + 1, i));
  ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge(manifests));
  ASSERT_EQ(merged.manifests.size(), 1u);
  EXPECT_EQ(merged.manifests[0].num_added_files, 30);
  EXPECT_EQ(Names(merged.written), Names(merged.manifests));
  EXPECT_EQ(Live(merged.manifests), Live(manifests));
}

TEST_F(ManifestMergeTest, AGroupIsMergedWhenItIsBigEnough) {
  std::vector<ManifestFileMeta> manifests;
  for (int i = 0; i < 6; ++i) manifests.push_back(WriteAdds(100 * i, 100 * i + 100, 0));
  options_.write.target_file_size = INT64_MAX;
  for (int i = 0; i < 6; i += 2) {
    options_.write.target_file_size =
        std::min(options_.write.target_file_size, manifests[i].file_size + manifests[i + 1].file_size);
  }
  options_.full_compaction_threshold_size = INT64_MAX;
  ManifestFileMeta tail = WriteAdds(1000, 1001, 0);
  manifests.push_back(tail);
  ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge(manifests));
  EXPECT_EQ(merged.written.size(), 3u);
  EXPECT_EQ(merged.manifests.back().file_name, tail.file_name);
  EXPECT_EQ(Live(merged.manifests), Live(manifests));
}

TEST_F(ManifestMergeTest, AMinorMergeKeepsDeletesOfFilesAddedBefore) {
  ManifestFileMeta big = WriteAdds(0, 1000, 0);
  options_.write.target_file_size = big.file_size;
  options_.full_compaction_threshold_size = INT64_MAX;
  options_.min_count = 2;
  ManifestFileMeta second = WriteAdds(2000, 2002, 0);
  ManifestFileMeta deletes = Write({MakeEntry(FileKind::kDelete, "f5", 0), MakeEntry(FileKind::kDelete, "f2000", 0)});
  ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge({big, second, deletes}));
  ASSERT_EQ(merged.manifests.size(), 2u);
  EXPECT_EQ(merged.manifests[0].file_name, big.file_name);
  EXPECT_EQ(merged.manifests[1].num_added_files, 1);
  EXPECT_EQ(merged.manifests[1].num_deleted_files, 1);
  EXPECT_EQ(Live(merged.manifests), Live({big, second, deletes}));
}

TEST_F(ManifestMergeTest, AGroupThatCancelsOutLeavesNothing) {
  options_.min_count = 2;
  ManifestFileMeta adds = WriteAdds(0, 1, 0);
  ManifestFileMeta deletes = Write({MakeEntry(FileKind::kDelete, "f0", 0)});
  ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge({adds, deletes}));
  EXPECT_THAT(merged.manifests, IsEmpty());
  EXPECT_THAT(merged.written, IsEmpty());
}

TEST_F(ManifestMergeTest, AFullMergeLeavesBigManifestsOfOtherPartitionsAlone) {
  ManifestFileMeta touched = WriteAdds(0, 1000, 1);
  ManifestFileMeta untouched = WriteAdds(1000, 2000, 2);
  options_.write.target_file_size = std::min(touched.file_size, untouched.file_size);
  ManifestFileMeta deletes = Write({MakeEntry(FileKind::kDelete, "f7", 1), MakeEntry(FileKind::kAdd, "g", 2)});
  options_.full_compaction_threshold_size = deletes.file_size;
  ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge({touched, untouched, deletes}));
  EXPECT_EQ(merged.manifests[0].file_name, untouched.file_name);
  for (const ManifestFileMeta& manifest : merged.manifests) EXPECT_EQ(manifest.num_deleted_files, 0);
  EXPECT_EQ(Live(merged.manifests).size(), 2000u);
  std::vector<std::string> before = Live({touched, untouched, deletes}), after = Live(merged.manifests);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(after, before);
}

TEST_F(ManifestMergeTest, ABigManifestWithoutADeletedFileIsKeptEvenIfItsBoundsHoldThePartition) {
  std::vector<ManifestEntry> wide;
  for (int i = 0; i < 500; ++i) wide.push_back(MakeEntry(FileKind::kAdd, "w" + std::to_string(i), i % 2 == 0 ? 0 : 9));
  ManifestFileMeta big = Write(wide);
  options_.write.target_file_size = big.file_size;
  ManifestFileMeta small = WriteAdds(0, 3, 5);
  ManifestFileMeta deletes = Write({MakeEntry(FileKind::kDelete, "f1", 5)});
  options_.full_compaction_threshold_size = 1;
  ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge({big, small, deletes}));
  ASSERT_EQ(merged.manifests.size(), 2u);
  EXPECT_EQ(merged.manifests[0].file_name, big.file_name);
  EXPECT_THAT(Live({merged.manifests[1]}), ElementsAre("f0", "f2"));
}

TEST_F(ManifestMergeTest, AFailedMergeLeavesNoFile) {
  options_.min_count = 2;
  ManifestFileMeta present = WriteAdds(0, 1, 0), gone = WriteAdds(1, 2, 0);
  ASSERT_OK(store_->DeleteFile(paths_.ManifestFile(gone.file_name)));
  EXPECT_EQ(ErrorKindOf(Merge({present, gone})), ErrorKind::kNotFound);
  ASSERT_OK_AND_ASSIGN(std::vector<FileStatus> files, store_->List(paths_.root + "/manifest"));
  EXPECT_EQ(files.size(), 1u);
}

// Whatever the history and the options, a merge changes no live file.
TEST_F(ManifestMergeTest, LiveFilesNeverChange) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<ManifestFileMeta> manifests;
    std::vector<std::pair<std::string, int64_t>> live;
    int next = 0;
    for (int m = 0, count = static_cast<int>(random() % 12) + 1; m < count; ++m) {
      std::vector<ManifestEntry> entries;
      for (size_t d = random() % 4; d > 0 && !live.empty(); --d) {
        const size_t victim = random() % live.size();
        entries.push_back(MakeEntry(FileKind::kDelete, live[victim].first, live[victim].second));
        live.erase(live.begin() + static_cast<ptrdiff_t>(victim));
      }
      for (size_t a = 1 + random() % (random() % 5 == 0 ? 400 : 5); a > 0; --a) {
        live.emplace_back(std::to_string(round) + "-" + std::to_string(next++), random() % 5);
        entries.push_back(MakeEntry(FileKind::kAdd, live.back().first, live.back().second));
      }
      manifests.push_back(Write(entries));
    }
    options_.write.target_file_size = 1000 + static_cast<int64_t>(random() % 8000);
    options_.full_compaction_threshold_size = 1000 + static_cast<int64_t>(random() % 20000);
    options_.min_count = 1 + static_cast<int64_t>(random() % 8);
    ASSERT_OK_AND_ASSIGN(MergedManifests merged, Merge(manifests));
    std::vector<std::string> after = Live(merged.manifests), expected;
    for (const auto& file : live) expected.push_back(file.first);
    std::sort(after.begin(), after.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(after, expected) << "round " << round;
    ASSERT_OK_AND_ASSIGN(MergedManifests again, Merge(merged.manifests));
    ASSERT_EQ(Live(again.manifests).size(), expected.size());
  }
}

}  // namespace
}  // namespace bactrian
