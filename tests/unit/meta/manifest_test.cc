#include "bactrian/meta/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "bactrian/meta/entry_replay.h"
#include "bactrian/meta/index_manifest.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kData[] = BACTRIAN_TEST_SOURCE_DIR "/data/meta/";

class ManifestTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    paths_.root = std::string("memory://manifest_") + test->name() + "/t";
    ASSERT_OK_AND_ASSIGN(store_, FileStore::Open(paths_.root));
    ASSERT_OK_AND_ASSIGN(local_, FileStore::Open("/"));
  }

  static ManifestEntry MakeEntry(const std::string& name, FileKind kind = FileKind::kAdd) {
    ManifestEntry entry;
    entry.kind = kind;
    entry.partition = std::string(EmptySerializedRow());
    entry.file.file_name = name;
    entry.file.min_key = entry.file.max_key = std::string(EmptySerializedRow());
    entry.file.key_stats = entry.file.value_stats = SimpleStats::Empty();
    return entry;
  }
  static std::string PartitionOf(const Value& value) {
    const TypePtr type = DataType::Int();
    return *EncodeSerializedRow(std::span(&type, 1), std::span(&value, 1));
  }
  arrow::Result<std::vector<ManifestFileMeta>> Write(const std::vector<ManifestEntry>& entries,
                                                     const std::vector<Field>& partition_fields = {}) {
    return WriteManifests(*store_, paths_, "u", &counter_, entries, partition_fields, options_);
  }
  arrow::Result<std::vector<ManifestEntry>> Read(const std::string& name, const EntryHeadFilter& filter = nullptr) {
    std::vector<ManifestEntry> entries;
    ARROW_RETURN_NOT_OK(ReadManifest(*store_, paths_.ManifestFile(name), std::nullopt, filter, &entries));
    return entries;
  }
  /// The error of reading one entry.
  arrow::Status RoundTripStatus(const ManifestEntry& entry) {
    ARROW_ASSIGN_OR_RAISE(auto manifests, Write({entry}));
    return Read(manifests[0].file_name).status();
  }

  std::shared_ptr<FileStore> store_, local_;
  TablePaths paths_;
  ManifestWriteOptions options_;
  int counter_ = 0;
};

std::string WithoutSyncMarkers(std::string file) {
  const std::string marker = file.substr(file.size() - 16);
  for (size_t at = 0; (at = file.find(marker, at)) != std::string::npos;) file.replace(at, 16, 16, '\0');
  return file;
}

TEST_F(ManifestTest, BytesAreTheReferencesForAManifest) {
  const std::string path = std::string(kData) + "manifest-2.1-null";
  std::vector<ManifestEntry> entries;
  ASSERT_OK(ReadManifest(*local_, path, std::nullopt, nullptr, &entries));
  options_.compression = "null";
  ASSERT_OK_AND_ASSIGN(auto manifests, Write(entries));
  ASSERT_EQ(manifests.size(), 1u);
  EXPECT_EQ(manifests[0].file_name, "manifest-u-0");
  ASSERT_OK_AND_ASSIGN(std::string theirs, local_->ReadAll(path));
  ASSERT_OK_AND_ASSIGN(std::string ours, store_->ReadAll(paths_.ManifestFile("manifest-u-0")));
  EXPECT_EQ(WithoutSyncMarkers(ours), WithoutSyncMarkers(theirs));
  EXPECT_EQ(manifests[0].file_size, static_cast<int64_t>(ours.size()));
}

TEST_F(ManifestTest, BytesAreTheReferencesForAManifestList) {
  const std::string path = std::string(kData) + "manifest-list-2.1-null";
  ASSERT_OK_AND_ASSIGN(auto manifests, ReadManifestList(*local_, path, std::nullopt));
  options_.compression = "null";
  ASSERT_OK_AND_ASSIGN(WrittenFile written, WriteManifestList(*store_, paths_, "u", &counter_, manifests, options_));
  EXPECT_EQ(written.name, "manifest-list-u-0");
  ASSERT_OK_AND_ASSIGN(std::string theirs, local_->ReadAll(path));
  ASSERT_OK_AND_ASSIGN(std::string ours, store_->ReadAll(paths_.ManifestFile(written.name)));
  EXPECT_EQ(WithoutSyncMarkers(ours), WithoutSyncMarkers(theirs));
  EXPECT_EQ(written.size, static_cast<int64_t>(ours.size()));
}

// What pypaimon's `_TOTAL_BUCKETS`, names without namespace and plain array items ask for.
TEST_F(ManifestTest, PypaimonFilesAreRead) {
  ASSERT_OK_AND_ASSIGN(auto manifests, ReadManifestList(*local_, std::string(kData) + "manifest-list-pypaimon", std::nullopt));
  ASSERT_EQ(manifests.size(), 1u);
  EXPECT_EQ(manifests[0].file_name, "manifest-f600c687-6ddc-4878-87ae-0ac8f0232694-0");
  std::vector<ManifestEntry> entries;
  ASSERT_OK(ReadManifest(*local_, std::string(kData) + "manifest-pypaimon", std::nullopt, nullptr, &entries));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].file.first_row_id, 0);
  ASSERT_OK_AND_ASSIGN(auto index, ReadIndexManifest(*local_, std::string(kData) + "index-manifest-pypaimon"));
  ASSERT_EQ(index.size(), 1u);
  EXPECT_EQ(index[0].index_type, "full-text");
  ASSERT_TRUE(index[0].global_index);
  EXPECT_TRUE(index[0].global_index->index_meta.has_value());
}

std::string AvroLong(int64_t value) {
  std::string bytes;
  for (auto z = static_cast<uint64_t>((value << 1) ^ (value >> 63));; z >>= 7) {
    bytes.push_back(static_cast<char>(z < 0x80 ? z : (z & 0x7f) | 0x80));
    if (z < 0x80) return bytes;
  }
}
std::string AvroBytes(const std::string& bytes) { return AvroLong(static_cast<int64_t>(bytes.size())) + bytes; }

// What paimon-rust writes: the record inside a union with null.
TEST_F(ManifestTest, AUnionAtTheRootIsRead) {
  ASSERT_OK_AND_ASSIGN(const std::string bare, local_->ReadAll(std::string(kData) + "manifest-2.1-null"));
  const size_t schema_begin = bare.find("{\"type\":\"record\""), schema_end = bare.find("]}}]}") + 5;
  const std::string schema = bare.substr(schema_begin, schema_end - schema_begin);
  const std::string sync = bare.substr(bare.size() - 16);
  const size_t data_begin = bare.find(std::string("\x04\x00\x18", 3), schema_end);  // of the one record
  ASSERT_NE(data_begin, std::string::npos);
  const std::string record = bare.substr(data_begin, bare.size() - 16 - data_begin);
  const std::string in_union = std::string("\x02") + record;  // branch 1
  const std::string file = std::string("Obj\x01") + AvroLong(2) + AvroBytes("avro.schema") +
                           AvroBytes("[\"null\"," + schema + "]") + AvroBytes("avro.codec") + AvroBytes("null") + AvroLong(0) +
                           sync + AvroLong(2) + AvroBytes(in_union + in_union) + sync;
  ASSERT_OK(store_->Overwrite(paths_.ManifestFile("m"), file));
  std::vector<ManifestEntry> expected;
  ASSERT_OK(ReadManifest(*local_, std::string(kData) + "manifest-2.1-null", std::nullopt, nullptr, &expected));
  ASSERT_EQ(expected.size(), 1u);
  for (const EntryHeadFilter& filter : {EntryHeadFilter(), EntryHeadFilter([](auto...) { return true; })}) {
    ASSERT_OK_AND_ASSIGN(auto entries, Read("m", filter));
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_TRUE(SameIdentity(entries[1], expected[0]));
    EXPECT_EQ(entries[1].file.row_count, expected[0].file.row_count);
  }
}

TEST_F(ManifestTest, EveryFieldOfAnEntryComesBack) {
  ManifestEntry full = MakeEntry("data-1.parquet");
  full.partition = PartitionOf(int64_t{5});
  full.bucket = 3;
  full.total_buckets = 8;
  full.file.file_size = 1000;
  full.file.row_count = 10;
  full.file.min_key = PartitionOf(int64_t{1});
  full.file.max_key = PartitionOf(int64_t{9});
  full.file.key_stats = {PartitionOf(int64_t{1}), PartitionOf(int64_t{9}), {0}};
  full.file.value_stats = {PartitionOf(int64_t{1}), PartitionOf(std::monostate()), {std::nullopt, 7}};
  full.file.min_sequence_number = 4;
  full.file.max_sequence_number = 5;
  full.file.schema_id = 2;
  full.file.level = 5;
  full.file.extra_files = {"data-1.parquet.index", "x"};
  full.file.creation_time_millis = 1796060219435;
  full.file.delete_row_count = 0;
  full.file.embedded_index = std::string("\0\1", 2);
  full.file.file_source = FileSource::kCompact;
  full.file.value_stats_cols = std::vector<std::string>{"a", "b"};
  full.file.external_path = "file:///x/data-1.parquet";
  full.file.first_row_id = 100;
  full.file.write_cols = std::vector<std::string>{};
  full.file.write_cols_sequences = std::vector<int64_t>{4, -1};
  const ManifestEntry bare = MakeEntry("data-2.parquet", FileKind::kDelete);
  std::vector<Field> partition = {{0, "p", DataType::Int(), std::nullopt, std::nullopt}};
  ManifestEntry other = bare;
  other.partition = PartitionOf(std::monostate());
  ASSERT_OK_AND_ASSIGN(auto manifests, Write({full, other}, partition));
  ASSERT_OK_AND_ASSIGN(auto entries, Read(manifests[0].file_name));
  ASSERT_EQ(entries.size(), 2u);
  const DataFileMeta& file = entries[0].file;
  EXPECT_EQ(entries[0].kind, FileKind::kAdd);
  EXPECT_TRUE(SameIdentity(entries[0], full));
  EXPECT_EQ(entries[0].total_buckets, 8);
  EXPECT_EQ(file.file_size, 1000);
  EXPECT_EQ(file.row_count, 10);
  EXPECT_EQ(file.min_key, full.file.min_key);
  EXPECT_EQ(file.max_key, full.file.max_key);
  EXPECT_EQ(file.key_stats.null_counts, full.file.key_stats.null_counts);
  EXPECT_EQ(file.value_stats.max_values, full.file.value_stats.max_values);
  EXPECT_EQ(file.value_stats.null_counts, full.file.value_stats.null_counts);
  EXPECT_EQ(file.min_sequence_number, 4);
  EXPECT_EQ(file.max_sequence_number, 5);
  EXPECT_EQ(file.schema_id, 2);
  EXPECT_EQ(file.creation_time_millis, full.file.creation_time_millis);
  EXPECT_EQ(file.delete_row_count, 0);
  EXPECT_EQ(file.file_source, FileSource::kCompact);
  EXPECT_EQ(file.value_stats_cols, full.file.value_stats_cols);
  EXPECT_EQ(file.first_row_id, 100);
  EXPECT_EQ(file.write_cols, full.file.write_cols);
  EXPECT_EQ(file.write_cols_sequences, full.file.write_cols_sequences);
  EXPECT_EQ(entries[1].kind, FileKind::kDelete);
  EXPECT_EQ(entries[1].file.file_source, std::nullopt);
  EXPECT_EQ(entries[1].file.write_cols, std::nullopt);
  EXPECT_EQ(entries[1].file.embedded_index, std::nullopt);
}

TEST_F(ManifestTest, TheListSaysWhatAManifestHolds) {
  std::vector<Field> partition = {{0, "p", DataType::Int(), std::nullopt, std::nullopt}};
  std::vector<ManifestEntry> entries;
  for (int64_t p : {7, -3, 5}) {
    ManifestEntry entry = MakeEntry("f" + std::to_string(p), p == 5 ? FileKind::kDelete : FileKind::kAdd);
    entry.partition = PartitionOf(p);
    entry.bucket = static_cast<int32_t>(p);
    entry.file.level = p == 7 ? 5 : 0;
    entry.file.schema_id = 10 - p;
    entry.file.row_count = 10;
    entry.file.first_row_id = 100 * (p + 3);
    entries.push_back(entry);
  }
  entries.push_back(entries[0]);
  entries.back().partition = PartitionOf(std::monostate());
  ASSERT_OK_AND_ASSIGN(auto manifests, Write(entries, partition));
  ASSERT_EQ(manifests.size(), 1u);
  const ManifestFileMeta& meta = manifests[0];
  EXPECT_EQ(meta.num_added_files, 3);
  EXPECT_EQ(meta.num_deleted_files, 1);
  EXPECT_EQ(meta.schema_id, 13);
  EXPECT_EQ(meta.min_bucket, -3);
  EXPECT_EQ(meta.max_bucket, 7);
  EXPECT_EQ(meta.min_level, 0);
  EXPECT_EQ(meta.max_level, 5);
  EXPECT_EQ(meta.min_row_id, 0);
  EXPECT_EQ(meta.max_row_id, 1009);
  EXPECT_EQ(meta.partition_stats.min_values, PartitionOf(int64_t{-3}));
  EXPECT_EQ(meta.partition_stats.max_values, PartitionOf(int64_t{7}));
  EXPECT_THAT(meta.partition_stats.null_counts, ElementsAre(1));
  entries[1].file.first_row_id = std::nullopt;
  ASSERT_OK_AND_ASSIGN(manifests, Write(entries, partition));
  EXPECT_EQ(manifests[0].min_row_id, std::nullopt);
  EXPECT_EQ(manifests[0].max_row_id, std::nullopt);
}

TEST_F(ManifestTest, ASummaryOfNullsHasNoBounds) {
  std::vector<Field> partition = {{0, "p", DataType::Int(), std::nullopt, std::nullopt}};
  ManifestEntry entry = MakeEntry("f");
  entry.partition = PartitionOf(std::monostate());
  ASSERT_OK_AND_ASSIGN(auto manifests, Write({entry, MakeEntry("g")}, {}));
  ASSERT_OK_AND_ASSIGN(manifests, Write({entry}, partition));
  EXPECT_EQ(manifests[0].partition_stats.min_values, PartitionOf(std::monostate()));
  EXPECT_EQ(manifests[0].partition_stats.max_values, PartitionOf(std::monostate()));
  EXPECT_THAT(manifests[0].partition_stats.null_counts, ElementsAre(1));
}

TEST_F(ManifestTest, ManifestsRollAtTheTargetSize) {
  options_.target_file_size = 20000;
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 5500; ++i) entries.push_back(MakeEntry(NewUuid()));
  ASSERT_OK_AND_ASSIGN(auto manifests, Write(entries));
  EXPECT_GT(manifests.size(), 2u);
  std::vector<std::string> names;
  for (const ManifestFileMeta& manifest : manifests) {
    EXPECT_EQ(manifest.num_added_files % 1000, &manifest == &manifests.back() ? 500 : 0);
    ASSERT_OK_AND_ASSIGN(auto read, Read(manifest.file_name));
    for (const ManifestEntry& entry : read) names.push_back(entry.file.file_name);
  }
  ASSERT_EQ(names.size(), entries.size());
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], entries[i].file.file_name);
  ASSERT_OK_AND_ASSIGN(manifests, Write({}));
  EXPECT_THAT(manifests, IsEmpty());
}

TEST_F(ManifestTest, AListMayBeEmpty) {
  ASSERT_OK_AND_ASSIGN(WrittenFile written, WriteManifestList(*store_, paths_, "u", &counter_, {}, options_));
  ASSERT_OK_AND_ASSIGN(auto manifests, ReadManifestList(*store_, paths_.ManifestFile(written.name), written.size));
  EXPECT_THAT(manifests, IsEmpty());
}

TEST_F(ManifestTest, EveryCodecIsReadBack) {
  for (const char* codec : {"zstd", "null", "snappy", "deflate"}) {
    options_.compression = codec;
    ASSERT_OK_AND_ASSIGN(auto manifests, Write({MakeEntry("f"), MakeEntry("g")}));
    ASSERT_OK_AND_ASSIGN(auto entries, Read(manifests[0].file_name));
    EXPECT_EQ(entries.size(), 2u) << codec;
  }
  options_.compression = "nonsense";
  EXPECT_FALSE(Write({MakeEntry("f")}).ok());
  EXPECT_FALSE(*store_->Exists(paths_.ManifestFile("manifest-u-4")));
}

TEST_F(ManifestTest, HeadsAreFilteredBeforeTheRestIsDecoded) {
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 100; ++i) {
    entries.push_back(MakeEntry("f" + std::to_string(i), i % 10 == 0 ? FileKind::kDelete : FileKind::kAdd));
    entries.back().bucket = i % 4;
    entries.back().total_buckets = 4;
  }
  ASSERT_OK_AND_ASSIGN(auto manifests, Write(entries));
  auto filter = [](FileKind kind, std::string_view partition, int32_t bucket, int32_t total_buckets) {
    EXPECT_EQ(partition, EmptySerializedRow());
    EXPECT_EQ(total_buckets, 4);
    return kind == FileKind::kDelete && bucket == 2;
  };
  ASSERT_OK_AND_ASSIGN(auto kept, Read(manifests[0].file_name, filter));
  ASSERT_EQ(kept.size(), 5u);
  EXPECT_EQ(kept[0].file.file_name, "f10");
  EXPECT_EQ(kept[4].file.file_name, "f90");
}

TEST_F(ManifestTest, StatisticsOfNoBytesAreRead) {
  ManifestEntry entry = MakeEntry("f");
  entry.file.value_stats = {};
  ASSERT_OK_AND_ASSIGN(auto manifests, Write({entry}));
  ASSERT_OK_AND_ASSIGN(auto entries, Read(manifests[0].file_name));
  EXPECT_TRUE(entries[0].file.value_stats.min_values.empty());
  EXPECT_THAT(entries[0].file.value_stats.null_counts, IsEmpty());
}

TEST_F(ManifestTest, MissingManifestIsNotFoundByName) {
  auto result = Read("manifest-gone-0");
  EXPECT_EQ(ErrorKindOf(result), ErrorKind::kNotFound);
  EXPECT_THAT(result.status().message(), HasSubstr("manifest-gone-0"));
  EXPECT_EQ(ErrorKindOf(ReadManifestList(*store_, paths_.ManifestFile("x"), 10)), ErrorKind::kNotFound);
  EXPECT_EQ(ErrorKindOf(ReadIndexManifest(*store_, paths_.ManifestFile("x"))), ErrorKind::kNotFound);
}

TEST_F(ManifestTest, OtherBytesAreCorruptByName) {
  ASSERT_OK_AND_ASSIGN(std::string good, local_->ReadAll(std::string(kData) + "manifest-2.1-null"));
  for (const std::string& bytes : {std::string(), std::string("x"), std::string("garbage garbage"), std::string("PAR1"),
                                   std::string("ORC"), std::string("Obj\x01"), good.substr(0, good.size() / 2),
                                   good.substr(0, good.size() - 1), "PAR1" + std::string(100, '\xff') + "PAR1"}) {
    ASSERT_OK(store_->Overwrite(paths_.ManifestFile("m"), bytes));
    auto result = Read("m");
    EXPECT_EQ(ErrorKindOf(result), ErrorKind::kCorrupt) << bytes.size();
    EXPECT_THAT(result.status().message(), HasSubstr(paths_.ManifestFile("m")));
  }
}

TEST_F(ManifestTest, AListIsNoManifest) {
  ManifestFileMeta manifest;
  manifest.file_name = "m";
  ASSERT_OK_AND_ASSIGN(WrittenFile written, WriteManifestList(*store_, paths_, "u", &counter_, {manifest}, options_));
  auto result = Read(written.name);
  EXPECT_EQ(ErrorKindOf(result), ErrorKind::kCorrupt);
  EXPECT_THAT(result.status().message(), HasSubstr("_KIND"));
}

TEST_F(ManifestTest, ForgedEntriesAreCorrupt) {
  for (const char* name : {"../x", "/etc/passwd", "file:x", "", "..", "a/b"}) {
    EXPECT_EQ(ErrorKindOf(RoundTripStatus(MakeEntry(name))), ErrorKind::kCorrupt) << name;
    ManifestEntry entry = MakeEntry("f");
    entry.file.extra_files = {name};
    EXPECT_EQ(ErrorKindOf(RoundTripStatus(entry)), ErrorKind::kCorrupt) << name;
  }
  ManifestEntry entry = MakeEntry("f");
  entry.file.row_count = -1;
  EXPECT_EQ(ErrorKindOf(RoundTripStatus(entry)), ErrorKind::kCorrupt);
  entry = MakeEntry("f");
  entry.file.file_size = INT64_MIN;
  EXPECT_EQ(ErrorKindOf(RoundTripStatus(entry)), ErrorKind::kCorrupt);
  entry = MakeEntry("f", static_cast<FileKind>(2));
  EXPECT_EQ(ErrorKindOf(RoundTripStatus(entry)), ErrorKind::kCorrupt);
  entry = MakeEntry("f");
  entry.file.file_source = static_cast<FileSource>(7);
  EXPECT_EQ(ErrorKindOf(RoundTripStatus(entry)), ErrorKind::kCorrupt);
}

TEST_F(ManifestTest, ForgedManifestNamesAreCorrupt) {
  ManifestFileMeta manifest;
  manifest.file_name = "../../snapshot/snapshot-1";
  ASSERT_OK_AND_ASSIGN(WrittenFile written, WriteManifestList(*store_, paths_, "u", &counter_, {manifest}, options_));
  EXPECT_EQ(ErrorKindOf(ReadManifestList(*store_, paths_.ManifestFile(written.name), std::nullopt)), ErrorKind::kCorrupt);
}

TEST_F(ManifestTest, OtherVersionsAreRefused) {
  ASSERT_OK_AND_ASSIGN(const std::string good, local_->ReadAll(std::string(kData) + "manifest-2.1-null"));
  const size_t record = good.rfind(std::string("\x04\x00\x18", 3));  // version 2, ADD, a partition of 12 bytes
  ASSERT_NE(record, std::string::npos);
  for (char version : {'\x00', '\x02', '\x06'}) {
    std::string bytes = good;
    bytes[record] = version;
    ASSERT_OK(store_->Overwrite(paths_.ManifestFile("m"), bytes));
    auto result = Read("m");
    EXPECT_EQ(ErrorKindOf(result), ErrorKind::kUnsupported);
    EXPECT_THAT(result.status().message(), HasSubstr(paths_.ManifestFile("m")));
  }
}

TEST_F(ManifestTest, IndexManifestsComeBack) {
  IndexFileEntry vectors;
  vectors.partition = std::string(EmptySerializedRow());
  vectors.index_type = kDeletionVectorsIndex;
  vectors.file_name = "index-1";
  vectors.file_size = 33;
  vectors.row_count = 2;
  vectors.deletion_vectors = {{"a.parquet", 1, 24, 2}, {"b.parquet", 25, 30, std::nullopt}};
  IndexFileEntry global = vectors;
  global.deletion_vectors = std::nullopt;
  global.index_type = "btree";
  global.external_path = "s3://x/index-2";
  global.global_index = GlobalIndexMeta{5, 9, 3, std::vector<int32_t>{1, 2}, "meta", std::nullopt};
  ASSERT_OK_AND_ASSIGN(WrittenFile written, WriteIndexManifest(*store_, paths_, "u", &counter_, {vectors, global}, options_));
  EXPECT_EQ(written.name, "index-manifest-u-0");
  ASSERT_OK_AND_ASSIGN(auto entries, ReadIndexManifest(*store_, paths_.ManifestFile(written.name)));
  ASSERT_EQ(entries.size(), 2u);
  ASSERT_TRUE(entries[0].deletion_vectors);
  EXPECT_EQ((*entries[0].deletion_vectors)[0].data_file, "a.parquet");
  EXPECT_EQ((*entries[0].deletion_vectors)[0].cardinality, 2);
  EXPECT_EQ((*entries[0].deletion_vectors)[1].length, 30);
  EXPECT_EQ((*entries[0].deletion_vectors)[1].cardinality, std::nullopt);
  EXPECT_FALSE(entries[0].global_index);
  ASSERT_TRUE(entries[1].global_index);
  EXPECT_EQ(entries[1].external_path, "s3://x/index-2");
  EXPECT_EQ(entries[1].global_index->row_range_end, 9);
  EXPECT_THAT(*entries[1].global_index->extra_field_ids, ElementsAre(1, 2));
  EXPECT_EQ(entries[1].global_index->index_meta, "meta");
  EXPECT_EQ(entries[1].global_index->source_meta, std::nullopt);
  vectors.deletion_vectors = {{"a.parquet", -1, 24, 2}};
  ASSERT_OK_AND_ASSIGN(written, WriteIndexManifest(*store_, paths_, "u", &counter_, {vectors}, options_));
  EXPECT_EQ(ErrorKindOf(ReadIndexManifest(*store_, paths_.ManifestFile(written.name))), ErrorKind::kCorrupt);
}

TEST(Uuid, IsRandomVersionFour) {
  const std::string uuid = NewUuid();
  ASSERT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_THAT(std::string("89ab"), HasSubstr(std::string(1, uuid[19])));
  EXPECT_NE(uuid, NewUuid());
}

}  // namespace
}  // namespace bactrian
