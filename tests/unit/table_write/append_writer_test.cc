#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bactrian/bactrian.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/table_context.h"
#include "bactrian/table/write/commit_message.h"

namespace bactrian {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

Field Column(std::string name, TypePtr type) {
  return {.id = -1, .name = std::move(name), .type = std::move(type), .description = {}, .default_value = {}};
}

class AppendWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(arrow::compute::Initialize().ok());
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::temp_directory_path() / "bactrian_append_writer_test" / info->name();
    std::filesystem::remove_all(root_);
    session_ = Session::Make({}).ValueOrDie();
    catalog_ = session_->OpenCatalog({.warehouse = root_.string(), .options = {}, .read_only = false}).ValueOrDie();
    ASSERT_TRUE(catalog_->CreateDatabase("db", false).ok());
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::shared_ptr<Table> NewTable(std::vector<Field> fields, std::vector<std::string> partition_keys = {},
                                  Options options = {}) {
    Schema schema;
    schema.fields = std::move(fields);
    schema.partition_keys = std::move(partition_keys);
    schema.options = std::move(options);
    EXPECT_TRUE(catalog_->CreateTable({"db", "t"}, schema).ok());
    return catalog_->GetTable({"db", "t"}).ValueOrDie();
  }

  static std::shared_ptr<arrow::RecordBatch> Batch(const Table& table, const std::string& json) {
    const auto schema = ToArrowSchema(table.schema()->fields).ValueOrDie();
    const auto rows = arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), json).ValueOrDie();
    return arrow::RecordBatch::FromStructArray(rows).ValueOrDie();
  }

  static std::vector<CommitMessagePtr> WriteRows(Table& table, const std::string& json, const WriteOptions& options = {}) {
    auto writer = table.NewWriter(options).ValueOrDie();
    EXPECT_TRUE(writer->Write(*Batch(table, json)).ok());
    return writer->Finish().ValueOrDie();
  }

  static void Append(Table& table, const std::string& json) {
    EXPECT_TRUE(table.NewCommitter().ValueOrDie()->Commit(WriteRows(table, json)).ok());
  }

  /// Every row as text, sorted.
  static std::vector<std::string> Rows(Table& table) {
    const auto reader = table.NewScan().MakePlan().ValueOrDie()->ReadAll().ValueOrDie();
    std::vector<std::string> rows;
    for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch != nullptr;) {
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        std::string row;
        for (const auto& column : batch->columns())
          row += (row.empty() ? "" : "|") + column->GetScalar(i).ValueOrDie()->ToString();
        rows.push_back(row);
      }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  static std::vector<ManifestEntry> Files(const Table& table) {
    const TableContext& context = *table.context();
    return ReadLiveFiles(context, *context.snapshots->Latest().ValueOrDie(), nullptr).ValueOrDie();
  }

  /// Paths of all data files below the table, relative to it.
  std::vector<std::string> FilesOnDisk() const {
    std::vector<std::string> paths;
    for (const auto& file : std::filesystem::recursive_directory_iterator(root_ / "db.db" / "t")) {
      const std::string path = std::filesystem::relative(file.path(), root_ / "db.db" / "t").string();
      if (file.is_regular_file() && path.find("bucket-") != std::string::npos) paths.push_back(path);
    }
    return paths;
  }

  std::filesystem::path root_;
  std::shared_ptr<Session> session_;
  std::shared_ptr<Catalog> catalog_;
};

TEST_F(AppendWriterTest, WhatWasCommittedIsRead) {
  auto table = NewTable({Column("id", DataType::Bigint()), Column("name", DataType::String())});
  Append(*table, R"([{"id": 1, "name": "a"}, {"id": 2, "name": null}])");
  Append(*table, R"([{"id": 3, "name": "c"}])");
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("1|a", "2|null", "3|c"));
}

TEST_F(AppendWriterTest, AFilesEntryIsTheReferences) {
  auto table = NewTable({Column("id", DataType::Bigint()), Column("name", DataType::String())});
  Append(*table, R"([{"id": 1, "name": "a"}, {"id": 2, "name": null}, {"id": 0, "name": "b"}])");
  const std::vector<ManifestEntry> files = Files(*table);
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].bucket, 0);
  EXPECT_EQ(files[0].total_buckets, -1);
  const DataFileMeta& file = files[0].file;
  EXPECT_THAT(file.file_name, testing::MatchesRegex("data-[0-9a-f-]+-0.parquet"));
  EXPECT_EQ(file.row_count, 3);
  EXPECT_EQ(file.file_size,
            static_cast<int64_t>(std::filesystem::file_size(root_ / "db.db" / "t" / "bucket-0" / file.file_name)));
  EXPECT_EQ(file.min_key, std::string(12, '\0'));
  EXPECT_EQ(file.min_sequence_number, 0);
  EXPECT_EQ(file.max_sequence_number, 2);
  EXPECT_EQ(file.level, 0);
  EXPECT_EQ(file.delete_row_count, 0);
  EXPECT_EQ(file.file_source, FileSource::kAppend);
  EXPECT_FALSE(file.value_stats_cols.has_value());
  EXPECT_THAT(file.value_stats.null_counts, testing::ElementsAre(0, 1));
  EXPECT_FALSE(file.external_path.has_value());
  EXPECT_FALSE(file.write_cols.has_value());
}

TEST_F(AppendWriterTest, FilesRollAtTheRowNumberExactly) {
  auto table = NewTable({Column("id", DataType::Bigint())}, {}, {{"target-file-row-num", "2"}});
  Append(*table, R"([{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}])");
  std::vector<int64_t> rows, sequences;
  for (const ManifestEntry& entry : Files(*table)) {
    rows.push_back(entry.file.row_count);
    sequences.push_back(entry.file.min_sequence_number);
  }
  EXPECT_THAT(rows, testing::ElementsAre(2, 2, 1));
  EXPECT_THAT(sequences, testing::ElementsAre(0, 2, 4));
}

TEST_F(AppendWriterTest, FilesRollAtTheirSize) {
  auto table =
      NewTable({Column("id", DataType::Bigint()), Column("text", DataType::String())}, {}, {{"target-file-size", "64 kb"}});
  auto writer = table->NewWriter().ValueOrDie();
  arrow::Int64Builder ids;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < 60000; ++i) {
    ASSERT_TRUE(ids.Append(i * 7919).ok());
    ASSERT_TRUE(texts.Append("text " + std::to_string(i * 104729)).ok());
  }
  const auto batch = arrow::RecordBatch::Make(ToArrowSchema(table->schema()->fields).ValueOrDie(), 60000,
                                              {ids.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  ASSERT_TRUE(writer->Write(*batch).ok());
  ASSERT_TRUE(table->NewCommitter().ValueOrDie()->Commit(writer->Finish().ValueOrDie()).ok());
  const auto files = Files(*table);
  EXPECT_GE(files.size(), 3u);
  EXPECT_THAT(Rows(*table), SizeIs(60000));
}

TEST_F(AppendWriterTest, EachPartitionHasItsFileAndItsDirectory) {
  auto table =
      NewTable({Column("id", DataType::Int()), Column("p", DataType::String()), Column("d", DataType::Make(TypeRoot::kDate))},
               {"p", "d"});
  Append(*table, R"([{"id": 1, "p": "a/b", "d": 19723}, {"id": 2, "p": null, "d": 19723}, {"id": 3, "p": "", "d": null},
                     {"id": 4, "p": "a/b", "d": 19723}])");
  std::vector<std::string> directories;
  for (const std::string& path : FilesOnDisk()) directories.push_back(path.substr(0, path.rfind('/')));
  EXPECT_THAT(directories, UnorderedElementsAre("p=a%2Fb/d=19723/bucket-0", "p=__DEFAULT_PARTITION__/d=19723/bucket-0",
                                                "p=__DEFAULT_PARTITION__/d=__DEFAULT_PARTITION__/bucket-0"));
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("1|a/b|2024-01-01", "2|null|2024-01-01", "3||null", "4|a/b|2024-01-01"));
}

TEST_F(AppendWriterTest, RowsGoToTheBucketOfTheirKey) {
  auto table = NewTable({Column("k", DataType::Int()), Column("v", DataType::Int())}, {},
                        {{"bucket", "4"}, {"bucket-key", "k"}, {"bucket-function.type", "mod"}});
  Append(*table, R"([{"k": 0, "v": 1}, {"k": 1, "v": 2}, {"k": 4, "v": 3}, {"k": -1, "v": 4}])");
  std::map<int32_t, int64_t> rows;
  for (const ManifestEntry& entry : Files(*table)) {
    EXPECT_EQ(entry.total_buckets, 4);
    rows[entry.bucket] += entry.file.row_count;
  }
  EXPECT_EQ(rows, (std::map<int32_t, int64_t>{{0, 2}, {1, 1}, {3, 1}}));
  EXPECT_THAT(Rows(*table), SizeIs(4));
}

TEST_F(AppendWriterTest, AFixedBucketsSequenceGoesOnFromTheFilesThatAreThere) {
  auto table = NewTable({Column("k", DataType::Int())}, {}, {{"bucket", "1"}, {"bucket-key", "k"}});
  Append(*table, R"([{"k": 1}, {"k": 2}])");
  Append(*table, R"([{"k": 3}])");
  std::vector<std::pair<int64_t, int64_t>> sequences;
  for (const ManifestEntry& entry : Files(*table))
    sequences.emplace_back(entry.file.min_sequence_number, entry.file.max_sequence_number);
  EXPECT_THAT(sequences, testing::ElementsAre(std::make_pair(0, 1), std::make_pair(2, 2)));
}

TEST_F(AppendWriterTest, APartitionOfAnotherBucketNumberMustBeOverwritten) {
  auto table = NewTable({Column("k", DataType::Int())}, {}, {{"bucket", "2"}, {"bucket-key", "k"}});
  Append(*table, R"([{"k": 1}])");
  auto rescaled = catalog_->GetTable({"db", "t"}, {{"bucket", "3"}}).ValueOrDie();
  auto writer = rescaled->NewWriter().ValueOrDie();
  const arrow::Status refused = writer->Write(*Batch(*rescaled, R"([{"k": 2}])"));
  EXPECT_THAT(refused.message(), HasSubstr("2 buckets"));
  const auto messages =
      WriteRows(*rescaled, R"([{"k": 5}])", {.buffer_bytes = 1 << 20, .static_partition = {}, .for_overwrite = true});
  ASSERT_TRUE(rescaled->NewCommitter().ValueOrDie()->Overwrite(messages).ok());
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("5"));
}

TEST_F(AppendWriterTest, ManyPartitionsKeepToTheBudgetByClosingFiles) {
  auto table =
      NewTable({Column("id", DataType::Int()), Column("text", DataType::String()), Column("p", DataType::Int())}, {"p"});
  auto writer = table->NewWriter({.buffer_bytes = 64 << 10, .static_partition = {}, .for_overwrite = false}).ValueOrDie();
  constexpr int kRows = 6000, kPartitions = 20;
  for (int begin = 0; begin < kRows; begin += 500) {
    arrow::Int32Builder ids, partitions;
    arrow::StringBuilder texts;
    for (int i = begin; i < begin + 500; ++i) {
      ASSERT_TRUE(ids.Append(i).ok());
      ASSERT_TRUE(texts.Append("some longer text " + std::to_string(i * 104729)).ok());
      ASSERT_TRUE(partitions.Append(i % kPartitions).ok());
    }
    const auto batch =
        arrow::RecordBatch::Make(ToArrowSchema(table->schema()->fields).ValueOrDie(), 500,
                                 {ids.Finish().ValueOrDie(), texts.Finish().ValueOrDie(), partitions.Finish().ValueOrDie()});
    ASSERT_TRUE(writer->Write(*batch).ok());
  }
  const auto messages = writer->Finish().ValueOrDie();
  EXPECT_THAT(messages, SizeIs(kPartitions));
  ASSERT_TRUE(table->NewCommitter().ValueOrDie()->Commit(messages).ok());
  EXPECT_GT(Files(*table).size(), static_cast<size_t>(kPartitions)) << "the budget closed no file";
  const auto rows = Rows(*table);
  EXPECT_THAT(rows, SizeIs(kRows));
  EXPECT_EQ(std::set<std::string>(rows.begin(), rows.end()).size(), static_cast<size_t>(kRows));
}

TEST_F(AppendWriterTest, MessagesOfSeveralWritersTravelAsBytesAndAreCommittedOnce) {
  auto table = NewTable({Column("id", DataType::Int())});
  std::vector<CommitMessagePtr> messages;
  for (const char* rows : {R"([{"id": 1}])", R"([{"id": 2}])"}) {
    for (const CommitMessagePtr& message : WriteRows(*table, rows)) {
      messages.push_back(ParseCommitMessage(SerializeCommitMessage(*message)).ValueOrDie());
    }
  }
  EXPECT_EQ(table->NewCommitter().ValueOrDie()->Commit(messages)->snapshot_id, 1);
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("1", "2"));
}

TEST_F(AppendWriterTest, AWriterGoesOnAfterFinish) {
  auto table = NewTable({Column("id", DataType::Int())});
  auto writer = table->NewWriter().ValueOrDie();
  auto committer = table->NewCommitter().ValueOrDie();
  for (int64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(writer->Write(*Batch(*table, "[{\"id\": " + std::to_string(i) + "}]")).ok());
    ASSERT_TRUE(committer->Commit(writer->Finish().ValueOrDie(), i).ok());
  }
  EXPECT_THAT(writer->Finish().ValueOrDie(), IsEmpty());
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("1", "2", "3"));
}

TEST_F(AppendWriterTest, AnAbandonedWriterDeletesItsFiles) {
  auto table = NewTable({Column("id", DataType::Int())}, {}, {{"target-file-row-num", "1"}});
  {
    auto writer = table->NewWriter().ValueOrDie();
    ASSERT_TRUE(writer->Write(*Batch(*table, R"([{"id": 1}, {"id": 2}, {"id": 3}])")).ok());
    EXPECT_THAT(FilesOnDisk(), testing::Not(IsEmpty()));
  }
  EXPECT_THAT(FilesOnDisk(), IsEmpty());
}

TEST_F(AppendWriterTest, AbortedMessagesLeaveNothing) {
  auto table = NewTable({Column("id", DataType::Int())});
  const auto messages = WriteRows(*table, R"([{"id": 1}])");
  EXPECT_THAT(FilesOnDisk(), SizeIs(1));
  ASSERT_TRUE(table->NewCommitter().ValueOrDie()->Abort(messages).ok());
  EXPECT_THAT(FilesOnDisk(), IsEmpty());
}

TEST_F(AppendWriterTest, ARefusedBatchLeavesNothingAndTheWriterUsable) {
  auto table = NewTable({Column("id", DataType::Int(false)), Column("p", DataType::Int())}, {"p"});
  auto writer =
      table->NewWriter({.buffer_bytes = 1 << 20, .static_partition = {{"p", int64_t{1}}}, .for_overwrite = false}).ValueOrDie();
  ASSERT_FALSE(writer->Write(*Batch(*table, R"([{"id": 1, "p": 1}, {"id": null, "p": 1}])")).ok());
  const arrow::Status outside = writer->Write(*Batch(*table, R"([{"id": 1, "p": 1}, {"id": 2, "p": 2}])"));
  EXPECT_THAT(outside.message(), AllOf(HasSubstr("p=2"), HasSubstr("static partition")));
  EXPECT_THAT(FilesOnDisk(), IsEmpty());
  ASSERT_TRUE(writer->Write(*Batch(*table, R"([{"id": 7, "p": 1}])")).ok());
  ASSERT_TRUE(table->NewCommitter().ValueOrDie()->Commit(writer->Finish().ValueOrDie()).ok());
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("7|1"));
}

TEST_F(AppendWriterTest, AStaticPartitionFillsItsColumns) {
  auto table = NewTable({Column("id", DataType::Int()), Column("p", DataType::String())}, {"p"});
  auto writer =
      table->NewWriter({.buffer_bytes = 1 << 20, .static_partition = {{"p", std::string("x")}}, .for_overwrite = false})
          .ValueOrDie();
  const auto ids = arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 2]").ValueOrDie();
  ASSERT_TRUE(writer->Write(*arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int32())}), 2, {ids})).ok());
  ASSERT_TRUE(table->NewCommitter().ValueOrDie()->Commit(writer->Finish().ValueOrDie()).ok());
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("1|x", "2|x"));
}

TEST_F(AppendWriterTest, MalformedOptionsAreRefusedByNameBeforeAnythingIsWritten) {
  NewTable({Column("id", DataType::Int())});
  for (const auto& [key, value] : Options{{"target-file-size", "big"},
                                          {"target-file-row-num", "0"},
                                          {"metadata.stats-mode", "some"},
                                          {"fields.id.stats-mode", "truncate"},
                                          {"data-file.external-paths.strategy", "often"},
                                          {"data-file.prefix", "../x"},
                                          {"file-index.bloom-filter.columns", "id"},
                                          {"row-tracking.enabled", "true"},
                                          {"file.format", "csvx"},
                                          {"file.compression", "rar"},
                                          {"file.compression.zstd-level", "99"},
                                          {"file.block-size", "0"},
                                          {"parquet.block.size", "-1"},
                                          {"parquet.block.row.count.limit", "0"},
                                          {"parquet.page.size", "large"},
                                          {"parquet.page.row.count.limit", "0"},
                                          {"parquet.enable.dictionary", "2"},
                                          {"parquet.bloom.filter.enabled", "maybe"},
                                          {"metadata.stats-dense-store", "perhaps"}}) {
    auto table = catalog_->GetTable({"db", "t"}, {{key, value}}).ValueOrDie();
    const auto writer = table->NewWriter();
    ASSERT_FALSE(writer.ok()) << key;
    EXPECT_THAT(writer.status().message(), HasSubstr(key == "file.format" ? value : key));
  }
  EXPECT_THAT(FilesOnDisk(), IsEmpty());
}

TEST_F(AppendWriterTest, UnknownOptionsAreIgnored) {
  auto table = NewTable({Column("id", DataType::Int())}, {}, {{"some.engines.own", "x"}});
  Append(*table, R"([{"id": 1}])");
  EXPECT_THAT(Rows(*table), SizeIs(1));
}

TEST_F(AppendWriterTest, DataGoesToExternalPathsAndIsFoundThere) {
  const std::string external = (root_ / "external").string();
  auto table =
      NewTable({Column("id", DataType::Int()), Column("p", DataType::Int())}, {"p"},
               {{"data-file.external-paths", "file:" + external}, {"data-file.external-paths.strategy", "round-robin"}});
  Append(*table, R"([{"id": 1, "p": 5}])");
  EXPECT_THAT(FilesOnDisk(), IsEmpty());
  const DataFileMeta file = Files(*table).at(0).file;
  EXPECT_EQ(file.external_path, "file:" + external + "/p=5/bucket-0/" + file.file_name);
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("1|5"));
}

TEST_F(AppendWriterTest, FileNamesFollowTheOptions) {
  auto table = NewTable(
      {Column("id", DataType::Int())}, {},
      {{"data-file.prefix", "part-"}, {"file.suffix.include.compression", "true"}, {"data-file.path-directory", "data"}});
  Append(*table, R"([{"id": 1}])");
  EXPECT_THAT(FilesOnDisk(), Each(testing::MatchesRegex("data/bucket-0/part-[0-9a-f-]+-0.zstd.parquet")));
  EXPECT_THAT(Rows(*table), UnorderedElementsAre("1"));
}

TEST_F(AppendWriterTest, PrimaryKeyTablesAreNotWrittenYet) {
  Schema schema;
  schema.fields = {Column("id", DataType::Int())};
  schema.primary_keys = {"id"};
  ASSERT_TRUE(catalog_->CreateTable({"db", "pk"}, schema).ok());
  EXPECT_EQ(KindOf(catalog_->GetTable({"db", "pk"}).ValueOrDie()->NewWriter().status()), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace bactrian
