#include "bactrian/table/write/commit_message.h"

#include <gtest/gtest.h>

namespace bactrian {
namespace {

DataFileMeta FullFile(const std::string& name) {
  DataFileMeta file;
  file.file_name = name;
  file.file_size = 1234567890123;
  file.row_count = 42;
  file.min_key = std::string("\0\0\0\0", 4);
  file.max_key = "k";
  file.key_stats = SimpleStats{"a", "b", {1, std::nullopt}};
  file.value_stats = SimpleStats{"c", "d", {}};
  file.min_sequence_number = -1;
  file.max_sequence_number = 7;
  file.schema_id = 3;
  file.level = 5;
  file.extra_files = {"x.index", ""};
  file.creation_time_millis = 99;
  file.delete_row_count = 0;
  file.embedded_index = std::string(300, '\xFF');
  file.file_source = FileSource::kCompact;
  file.value_stats_cols = std::vector<std::string>{};
  file.external_path = "file:/x/y";
  file.first_row_id = 8;
  file.write_cols = std::vector<std::string>{"a"};
  file.write_cols_sequences = std::vector<int64_t>{1, 2};
  return file;
}

CommitMessage FullMessage() {
  CommitMessage message;
  message.partition = "p";
  message.bucket = 3;
  message.total_buckets = 4;
  message.new_files = {FullFile("a"), DataFileMeta{}};
  message.deleted_files = {FullFile("b")};
  message.changelog_files = {FullFile("c")};
  message.compact_before = {FullFile("d")};
  message.compact_after = {FullFile("e")};
  message.compact_changelog = {FullFile("f")};
  IndexFileEntry index;
  index.partition = "p";
  index.bucket = 1;
  index.index_type = "DELETION_VECTORS";
  index.file_name = "i";
  index.file_size = 5;
  index.row_count = 6;
  index.deletion_vectors = std::vector<DeletionVectorRange>{{"data", 1, 2, 3}, {"other", 4, 5, std::nullopt}};
  index.external_path = "e";
  index.global_index = GlobalIndexMeta{1, 2, 3, std::vector<int32_t>{4}, "m", std::nullopt};
  message.new_index_files = {index};
  message.deleted_index_files = {IndexFileEntry{}};
  message.compact_new_index_files = {index, index};
  message.compact_deleted_index_files = {index};
  return message;
}

TEST(CommitMessageTest, EveryFieldSurvivesTheWire) {
  const std::string bytes = SerializeCommitMessage(FullMessage());
  const CommitMessagePtr message = ParseCommitMessage(bytes).ValueOrDie();
  EXPECT_EQ(SerializeCommitMessage(*message), bytes);
  const DataFileMeta& file = message->new_files.at(0);
  EXPECT_EQ(file.embedded_index, std::string(300, '\xFF'));
  EXPECT_EQ(file.file_source, FileSource::kCompact);
  EXPECT_EQ(file.key_stats.null_counts, (std::vector<std::optional<int64_t>>{1, std::nullopt}));
  EXPECT_TRUE(file.value_stats_cols.has_value());
  EXPECT_FALSE(message->new_files.at(1).value_stats_cols.has_value());
  EXPECT_EQ(message->compact_new_index_files.size(), 2u);
  EXPECT_EQ(message->new_index_files.at(0).deletion_vectors->at(1).cardinality, std::nullopt);
}

TEST(CommitMessageTest, EveryTruncationIsRefused) {
  const std::string bytes = SerializeCommitMessage(FullMessage());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto parsed = ParseCommitMessage(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(parsed.ok()) << size;
    ASSERT_EQ(KindOf(parsed.status()), ErrorKind::kCorrupt) << size;
  }
  EXPECT_FALSE(ParseCommitMessage(bytes + "x").ok());
}

TEST(CommitMessageTest, AForgedLengthAllocatesNothing) {
  const std::string bytes = SerializeCommitMessage(FullMessage());
  for (size_t at = 8; at + 8 <= bytes.size(); ++at) {
    std::string forged = bytes;
    forged.replace(at, 8, std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 8));
    (void)ParseCommitMessage(forged);  // whatever comes out, without a huge allocation or a read past the end
  }
}

TEST(CommitMessageTest, ANewerVersionIsUnsupported) {
  std::string bytes = SerializeCommitMessage(CommitMessage{});
  bytes[4] = 2;
  EXPECT_EQ(KindOf(ParseCommitMessage(bytes).status()), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace bactrian
