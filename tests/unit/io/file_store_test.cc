#include "bactrian/io/file_store.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bactrian/io/read_ranges.h"

namespace bactrian {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<std::string> PathsOf(const std::vector<FileStatus>& entries) {
  std::vector<std::string> paths;
  for (const FileStatus& entry : entries) paths.push_back(entry.path);
  return paths;
}

/// One contract, three spellings of a root: each test runs over all of them.
class FileStoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("bactrian_io_" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    root_ = GetParam() == "memory:" ? "memory://test" : GetParam() + directory_.string();
    store_ = FileStore::Open(root_).ValueOrDie();
    ASSERT_TRUE(store_->DeleteDirectory(Path("a")).ok());
    ASSERT_TRUE(store_->DeleteDirectory(Path("b")).ok());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string Path(std::string_view name) const { return JoinPath(root_, name); }
  std::string Read(std::string_view name) { return store_->ReadAll(Path(name)).ValueOr("<missing>"); }
  void Write(std::string_view name, std::string_view bytes) {
    auto out = store_->OpenOutput(Path(name)).ValueOrDie();
    ASSERT_TRUE(out->Write(bytes.data(), static_cast<int64_t>(bytes.size())).ok());
    ASSERT_TRUE(out->Close().ok());
  }

  std::filesystem::path directory_;
  std::string root_;
  std::shared_ptr<FileStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Stores, FileStoreTest, ::testing::Values("", "file:", "file://", "memory:"),
                         [](const auto& info) { return "Store" + std::to_string(info.index); });

TEST_P(FileStoreTest, AMissingFileIsNotFound) {
  EXPECT_EQ(KindOf(store_->OpenInput(Path("a/none")).status()), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(store_->OpenInput(Path("a/none"), 10).status()), ErrorKind::kNotFound);
  EXPECT_FALSE(store_->Exists(Path("a/none")).ValueOrDie());
  EXPECT_TRUE(store_->DeleteFile(Path("a/none")).ok());
  EXPECT_TRUE(store_->List(Path("a/none")).ValueOrDie().empty());
}

TEST_P(FileStoreTest, AnOutputIsReadBackWholeAndInRanges) {
  std::string bytes(1000000, 'x');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  auto out = store_->OpenOutput(Path("a/deep/file")).ValueOrDie();
  for (size_t i = 0; i < bytes.size(); i += 999) {
    const std::string_view part = std::string_view(bytes).substr(i, 999);
    ASSERT_TRUE(out->Write(part.data(), static_cast<int64_t>(part.size())).ok());
  }
  EXPECT_EQ(out->Tell().ValueOrDie(), 1000000);
  ASSERT_TRUE(out->Close().ok());
  EXPECT_EQ(Read("a/deep/file"), bytes);

  auto file = store_->OpenInput(Path("a/deep/file")).ValueOrDie();
  EXPECT_EQ(file->GetSize().ValueOrDie(), 1000000);
  EXPECT_EQ(file->ReadAt(999990, 100).ValueOrDie()->ToString(), bytes.substr(999990)) << "reads past the end are short";
  EXPECT_EQ(file->ReadAt(1000000, 100).ValueOrDie()->size(), 0);
  ASSERT_TRUE(file->Seek(5).ok());
  EXPECT_EQ(file->Read(10).ValueOrDie()->ToString(), bytes.substr(5, 10));
  EXPECT_EQ(file->Tell().ValueOrDie(), 15);
}

TEST_P(FileStoreTest, AnOutputNeverReplacesAFile) {
  Write("a/file", "first");
  EXPECT_EQ(KindOf(store_->OpenOutput(Path("a/file")).status()), ErrorKind::kAlreadyExists);
  EXPECT_EQ(Read("a/file"), "first");
}

TEST_P(FileStoreTest, AFileShorterThanItsKnownLengthIsCorrupt) {
  Write("a/file", "12345");
  auto file = store_->OpenInput(Path("a/file"), 8).ValueOrDie();
  EXPECT_EQ(file->GetSize().ValueOrDie(), 8);
  EXPECT_EQ(file->ReadAt(0, 5).ValueOrDie()->ToString(), "12345");
  const arrow::Status status = file->ReadAt(3, 5).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("a/file"));
}

TEST_P(FileStoreTest, PutIfAbsentHasOneWinnerAndChangesNothingForTheOthers) {
  EXPECT_TRUE(store_->PutIfAbsent(Path("a/snapshot-1"), "first").ok());
  EXPECT_EQ(KindOf(store_->PutIfAbsent(Path("a/snapshot-1"), "second")), ErrorKind::kAlreadyExists);
  EXPECT_EQ(Read("a/snapshot-1"), "first");
  EXPECT_THAT(PathsOf(store_->List(Path("a")).ValueOrDie()), UnorderedElementsAre(Path("a/snapshot-1")))
      << "no temp file is left";
}

TEST_P(FileStoreTest, PutIfAbsentHasOneWinnerAmongThreads) {
  constexpr int kThreads = 8;
  for (int round = 0; round < 20; ++round) {
    const std::string path = Path("a/round-" + std::to_string(round));
    std::atomic<int> winners{0}, losers{0}, winner{-1};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const arrow::Status status = store_->PutIfAbsent(path, std::to_string(i));
        if (status.ok()) {
          ++winners;
          winner = i;
        } else if (KindOf(status) == ErrorKind::kAlreadyExists) {
          ++losers;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(losers, kThreads - 1);
    EXPECT_EQ(store_->ReadAll(path).ValueOrDie(), std::to_string(winner));
  }
}

TEST_P(FileStoreTest, OverwriteReplacesOrCreates) {
  EXPECT_TRUE(store_->Overwrite(Path("a/LATEST"), "1").ok());
  EXPECT_TRUE(store_->Overwrite(Path("a/LATEST"), "22").ok());
  EXPECT_EQ(Read("a/LATEST"), "22");
}

TEST_P(FileStoreTest, ListsEntriesInTheFormItWasAsked) {
  Write("a/x", "123");
  Write("a/sub/y", "");
  EXPECT_THAT(PathsOf(store_->List(Path("a")).ValueOrDie()), UnorderedElementsAre(Path("a/x"), Path("a/sub")));
  EXPECT_THAT(PathsOf(store_->List(Path("a/"), true).ValueOrDie()),
              UnorderedElementsAre(Path("a/x"), Path("a/sub"), Path("a/sub/y")));
  const FileStatus file = *store_->Stat(Path("a/x")).ValueOrDie();
  EXPECT_EQ(file.path, Path("a/x"));
  EXPECT_EQ(file.size, 3);
  EXPECT_FALSE(file.is_directory);
  EXPECT_GT(file.modified_millis, 1700000000000);
  const FileStatus directory = *store_->Stat(Path("a/sub/")).ValueOrDie();
  EXPECT_EQ(directory.path, Path("a/sub"));
  EXPECT_TRUE(directory.is_directory);
}

TEST_P(FileStoreTest, MakesMovesAndDeletesDirectories) {
  EXPECT_TRUE(store_->CreateDirectory(Path("a/one/two")).ok());
  EXPECT_TRUE(store_->CreateDirectory(Path("a/one/two")).ok());
  Write("a/one/two/file", "bytes");
  Write("b/file", "other");
  EXPECT_EQ(KindOf(store_->RenameDirectory(Path("a/one"), Path("b"))), ErrorKind::kAlreadyExists);
  EXPECT_EQ(KindOf(store_->RenameDirectory(Path("a/none"), Path("a/moved"))), ErrorKind::kNotFound);
  EXPECT_TRUE(store_->RenameDirectory(Path("a/one"), Path("a/moved")).ok());
  EXPECT_EQ(Read("a/moved/two/file"), "bytes");
  EXPECT_FALSE(store_->Exists(Path("a/one")).ValueOrDie());
  EXPECT_TRUE(store_->DeleteDirectory(Path("a")).ok());
  EXPECT_FALSE(store_->Exists(Path("a/moved")).ValueOrDie());
  EXPECT_TRUE(store_->DeleteDirectory(Path("a")).ok());
  EXPECT_EQ(Read("b/file"), "other");
}

TEST_P(FileStoreTest, CountsRequestsAndBytes) {
  Write("a/file", "12345");
  const IoCounters& counters = store_->counters();
  const int64_t opens = counters.opens, requests = counters.read_requests, bytes = counters.bytes_read;
  Read("a/file");
  EXPECT_EQ(counters.opens - opens, 1);
  EXPECT_EQ(counters.read_requests - requests, 1);
  EXPECT_EQ(counters.bytes_read - bytes, 5);
  EXPECT_EQ(counters.bytes_written, 5);
}

TEST_P(FileStoreTest, RefusesPathsThatAreNotItsOwn) {
  EXPECT_FALSE(store_->ReadAll("relative/path").ok());
  EXPECT_FALSE(store_->ReadAll("s3://bucket/key").ok());
  EXPECT_FALSE(store_->ReadAll("memory://testing/a").ok());
}

TEST_P(FileStoreTest, NearRangesAreReadTogether) {
  std::string bytes(10000, ' ');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  Write("a/file", bytes);
  auto file = store_->OpenInput(Path("a/file")).ValueOrDie();
  const int64_t before = store_->counters().read_requests;
  const std::vector<arrow::io::ReadRange> ranges = {{9000, 10}, {100, 50},   {150, 50}, {120, 5},
                                                    {300, 0},   {5000, 100}, {9999, 1}};
  const ReadCoalescing coalescing{.max_gap = 1000, .max_request = 1 << 20};
  auto buffers = ReadRanges(*file, ranges, 10000, "a/file", coalescing).ValueOrDie();
  ASSERT_EQ(buffers.size(), ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(buffers[i]->ToString(), bytes.substr(ranges[i].offset, ranges[i].length)) << i;
  }
  EXPECT_EQ(store_->counters().read_requests - before, 3);
  EXPECT_EQ(ReadRanges(*file, ranges, 10000, "f", {.max_gap = 100000, .max_request = 200}).ValueOrDie().size(), 7u);
}

TEST_P(FileStoreTest, RangesOutsideOfTheFileAreCorrupt) {
  Write("a/file", "12345");
  auto file = store_->OpenInput(Path("a/file")).ValueOrDie();
  for (arrow::io::ReadRange range : {arrow::io::ReadRange{0, 6}, {6, 0}, {-1, 2}, {1, -1}, {1, INT64_MAX}, {INT64_MAX, 1}}) {
    EXPECT_EQ(KindOf(ReadRanges(*file, {&range, 1}, 5, "a/file").status()), ErrorKind::kCorrupt) << range.offset;
  }
}

TEST(FileStore, AnUnknownSchemeIsUnsupportedAndNamed) {
  const arrow::Status status = FileStore::Open("s3://bucket/key").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("'s3'"));
}

TEST(FileStore, SchemesAreToldFromPaths) {
  EXPECT_EQ(SchemeOf("/a/b:c"), "");
  EXPECT_EQ(SchemeOf("S3A://b/k"), "s3a");
  EXPECT_EQ(SchemeOf("file:/a"), "file");
  EXPECT_EQ(SchemeOf("relative/x:y"), "");
  EXPECT_EQ(SchemeOf("C:/windows"), "");
}

TEST(FileStore, PathsJoinWithOneSlash) {
  EXPECT_EQ(JoinPath("/a/", "/b"), "/a/b");
  EXPECT_EQ(JoinPath("/a", "b"), "/a/b");
  EXPECT_EQ(JoinPath("memory://n", "b"), "memory://n/b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
}

TEST(MemoryStore, StoresOfOneNameShareFilesOthersDoNot) {
  auto one = FileStore::Open("memory://shared").ValueOrDie();
  auto same = FileStore::Open("memory://shared/a").ValueOrDie();
  ASSERT_TRUE(one->Overwrite("memory://shared/a/file", "bytes").ok());
  EXPECT_EQ(same->ReadAll("memory://shared/a/file").ValueOrDie(), "bytes");
  auto other = FileStore::Open("memory://other").ValueOrDie();
  EXPECT_FALSE(other->Exists("memory://other/a/file").ValueOrDie());
}

TEST(LocalStore, LinksToDirectoriesAreNotEntered) {
  const auto directory = std::filesystem::temp_directory_path() / ("bactrian_links_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory / "a");
  std::filesystem::create_directory_symlink(directory, directory / "a" / "circle");
  std::filesystem::create_symlink(directory / "none", directory / "a" / "dangling");
  auto store = FileStore::Open(directory.string()).ValueOrDie();
  const auto entries = store->List(directory.string(), true).ValueOrDie();
  EXPECT_THAT(PathsOf(entries), UnorderedElementsAre(directory / "a", directory / "a" / "circle"));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace bactrian
