// Every metadata file of the corpora that the reference (and pypaimon) wrote.
#include "../corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "../status_asserts.h"
#include "bactrian/meta/entry_replay.h"
#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/meta/snapshot.h"

namespace bactrian {
namespace {

std::shared_ptr<FileStore> LocalStore() {
  auto store = FileStore::Open("/");
  EXPECT_TRUE(store.ok());
  return *store;
}

bool IsPypaimon(const std::string& text) { return text.find("\"python-") != std::string::npos; }

TEST(Corpus, SnapshotsReproduceByteForByte) {
  auto store = LocalStore();
  int compared = 0;
  for (const auto& path : CorpusFiles("/snapshot/", "snapshot-")) {
    ASSERT_OK_AND_ASSIGN(std::string text, store->ReadAll(path.string()));
    auto snapshot = Snapshot::FromJson(text);
    ASSERT_TRUE(snapshot.ok()) << path << snapshot.status().ToString();
    if (IsPypaimon(text)) continue;
    EXPECT_EQ(snapshot->ToJson(), text) << path;
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

TEST(Corpus, TagsReproduceByteForByte) {
  auto store = LocalStore();
  int compared = 0;
  bool timed = false;
  for (const auto& path : CorpusFiles("/tag/", "tag-")) {
    ASSERT_OK_AND_ASSIGN(std::string text, store->ReadAll(path.string()));
    auto tag = Tag::FromJson(path.filename().string().substr(4), text);
    ASSERT_TRUE(tag.ok()) << path << tag.status().ToString();
    EXPECT_EQ(tag->ToJson(), text) << path;
    timed = timed || tag->create_time.has_value();
    ++compared;
  }
  EXPECT_GE(compared, 5);
  EXPECT_TRUE(timed);
}

TEST(Corpus, SchemasParse) {
  auto store = LocalStore();
  int parsed = 0;
  for (const auto& path : CorpusFiles("/schema/", "schema-")) {
    ASSERT_OK_AND_ASSIGN(std::string text, store->ReadAll(path.string()));
    auto schema = TableSchema::FromJson(text);
    EXPECT_TRUE(schema.ok()) << path << schema.status().ToString();
    ++parsed;
  }
  EXPECT_GT(parsed, 100);
}

TEST(Corpus, ManifestListsAgreeWithTheirManifests) {
  auto store = LocalStore();
  int lists = 0;
  std::set<std::string> manifests_read;
  for (const auto& path : CorpusFiles("/manifest/", "manifest-list-")) {
    auto manifests = ReadManifestList(*store, path.string(), std::nullopt);
    ASSERT_TRUE(manifests.ok()) << path << manifests.status().ToString();
    ++lists;
    for (const ManifestFileMeta& manifest : *manifests) {
      const std::string file = (path.parent_path() / manifest.file_name).string();
      // Merged and expired manifests are gone.
      if (!std::filesystem::exists(file) || !manifests_read.insert(file).second) continue;
      std::vector<ManifestEntry> entries;
      ASSERT_OK(ReadManifest(*store, file, manifest.file_size, nullptr, &entries));
      int64_t added = 0, deleted = 0, schema_id = 0;
      for (const ManifestEntry& entry : entries) {
        ++(entry.kind == FileKind::kAdd ? added : deleted);
        schema_id = std::max(schema_id, entry.file.schema_id);
      }
      EXPECT_EQ(added, manifest.num_added_files) << file;
      EXPECT_EQ(deleted, manifest.num_deleted_files) << file;
      EXPECT_EQ(schema_id, manifest.schema_id) << file;
    }
  }
  EXPECT_GT(lists, 500);
  EXPECT_GT(manifests_read.size(), 300u);
}

// Rewriting a manifest gives the very summary that the reference wrote into its list.
TEST(Corpus, SummariesOfManifestsAreTheReferences) {
  auto store = LocalStore();
  int compared = 0, partitioned = 0;
  for (const auto& path : CorpusFiles("/manifest/", "manifest-list-")) {
    const std::string root = path.parent_path().parent_path().string();
    SchemaStore schemas(store, TablePaths{root, "main"});
    auto schema = schemas.Latest();
    if (!schema.ok() || std::filesystem::file_size(path) > 4000) continue;
    ASSERT_OK_AND_ASSIGN(const auto manifests, ReadManifestList(*store, path.string(), std::nullopt));
    for (const ManifestFileMeta& theirs : manifests) {
      // Older releases wrote no buckets and levels; pypaimon leaves them out as well.
      if (!theirs.min_bucket) continue;
      std::vector<ManifestEntry> entries;
      const std::string file = (path.parent_path() / theirs.file_name).string();
      if (!std::filesystem::exists(file)) continue;
      ASSERT_OK(ReadManifest(*store, file, theirs.file_size, nullptr, &entries));
      TablePaths scratch{"memory://summaries/" + std::to_string(compared), "main"};
      ASSERT_OK_AND_ASSIGN(auto memory, FileStore::Open(scratch.root));
      int counter = 0;
      ASSERT_OK_AND_ASSIGN(const auto ours,
                           WriteManifests(*memory, scratch, "u", &counter, entries, (*schema)->PartitionFields(), {}));
      ASSERT_EQ(ours.size(), 1u);
      EXPECT_EQ(ours[0].partition_stats.min_values, theirs.partition_stats.min_values) << file;
      EXPECT_EQ(ours[0].partition_stats.max_values, theirs.partition_stats.max_values) << file;
      EXPECT_EQ(ours[0].partition_stats.null_counts, theirs.partition_stats.null_counts) << file;
      EXPECT_EQ(ours[0].min_bucket, theirs.min_bucket) << file;
      EXPECT_EQ(ours[0].max_bucket, theirs.max_bucket) << file;
      EXPECT_EQ(ours[0].min_level, theirs.min_level) << file;
      EXPECT_EQ(ours[0].max_level, theirs.max_level) << file;
      EXPECT_EQ(ours[0].min_row_id, theirs.min_row_id) << file;
      EXPECT_EQ(ours[0].max_row_id, theirs.max_row_id) << file;
      ++compared;
      partitioned += (*schema)->partition_keys.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(partitioned, 20);
}

// A damaged file is an error or other values, never a crash, a hang or a huge allocation.
TEST(Corpus, DamagedManifestsNeverCrash) {
  auto store = LocalStore();
  ASSERT_OK_AND_ASSIGN(auto memory, FileStore::Open("memory://damage/"));
  std::mt19937 random(11);
  int refused = 0, read = 0;
  for (const char* table : {"/mf_orc/manifest/", "/mf_parquet/manifest/", "/mc_snappy/manifest/", "/mc_zstd/manifest/"}) {
    const auto files = CorpusFiles(table, "manifest-");
    ASSERT_FALSE(files.empty());
    for (size_t i = 0; i < std::min<size_t>(files.size(), 4); ++i) {
      ASSERT_OK_AND_ASSIGN(const std::string good, store->ReadAll(files[i].string()));
      for (int round = 0; round < 40; ++round) {
        std::string bad = good;
        for (size_t flips = 1 + random() % 3; flips > 0; --flips) bad[random() % bad.size()] = static_cast<char>(random());
        if (round % 10 == 0) bad.resize(random() % bad.size());
        ASSERT_OK(memory->Overwrite("memory://damage/m", bad));
        std::vector<ManifestEntry> entries;
        const arrow::Status entry_status = ReadManifest(*memory, "memory://damage/m", std::nullopt, nullptr, &entries);
        const arrow::Status list_status = ReadManifestList(*memory, "memory://damage/m", std::nullopt).status();
        for (const arrow::Status& status : {entry_status, list_status}) {
          ++(status.ok() ? read : refused);
          if (status.ok()) continue;
          EXPECT_THAT(status.message(), testing::HasSubstr("memory://damage/m"));
        }
      }
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(read, 10);
}

TEST(Corpus, IndexManifestsParse) {
  auto store = LocalStore();
  int entries = 0;
  for (const auto& path : CorpusFiles("/manifest/", "index-manifest-")) {
    auto index = ReadIndexManifest(*store, path.string());
    ASSERT_TRUE(index.ok()) << path << index.status().ToString();
    for (const IndexFileEntry& entry : *index) {
      if (entry.index_type != kDeletionVectorsIndex) continue;
      ASSERT_TRUE(entry.deletion_vectors) << path;
      EXPECT_EQ(static_cast<int64_t>(entry.deletion_vectors->size()), entry.row_count);
      ++entries;
    }
  }
  EXPECT_GT(entries, 10);
}

/// Adds what the lists of a snapshot hold to `replay`; false if a manifest has been removed.
bool Replay(FileStore& store, const TablePaths& paths, const Snapshot& snapshot, EntryReplay* replay) {
  for (const std::string& list : {snapshot.base_manifest_list, snapshot.delta_manifest_list}) {
    auto manifests = ReadManifestList(store, paths.ManifestFile(list), std::nullopt);
    if (!manifests.ok()) {
      EXPECT_EQ(KindOf(manifests.status()), ErrorKind::kNotFound) << manifests.status().ToString();
      return false;
    }
    for (const ManifestFileMeta& manifest : *manifests) {
      std::vector<ManifestEntry> entries;
      if (!ReadManifest(store, paths.ManifestFile(manifest.file_name), manifest.file_size, nullptr, &entries).ok())
        return false;
      for (ManifestEntry& entry : entries) {
        const arrow::Status status = replay->Apply(std::move(entry));
        EXPECT_TRUE(status.ok()) << list << status.ToString();
      }
    }
  }
  return true;
}

TEST(Corpus, LiveRowsOfEverySnapshotAddUpToItsCount) {
  auto store = LocalStore();
  int replayed = 0;
  for (const auto& path : CorpusFiles("/snapshot/", "snapshot-")) {
    TablePaths paths{path.parent_path().parent_path().string(), "main"};
    if (const size_t branch = paths.root.find("/branch/"); branch != std::string::npos) paths.root.resize(branch);
    ASSERT_OK_AND_ASSIGN(std::string text, store->ReadAll(path.string()));
    ASSERT_OK_AND_ASSIGN(Snapshot snapshot, Snapshot::FromJson(text));
    EntryReplay replay;
    if (!Replay(*store, paths, snapshot, &replay)) continue;
    auto live = replay.FinishLive();
    ASSERT_TRUE(live.ok()) << path << live.status().ToString();
    int64_t rows = 0;
    for (const ManifestEntry& entry : *live) rows += entry.file.row_count;
    EXPECT_EQ(rows, snapshot.total_record_count) << path;
    ++replayed;
  }
  EXPECT_GT(replayed, 500);
}

}  // namespace
}  // namespace bactrian
