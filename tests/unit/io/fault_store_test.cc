#include "bactrian/io/fault_store.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bactrian {
namespace {

class FaultStoreTest : public ::testing::Test {
 protected:
  FaultStoreTest() : base_(FileStore::Open("memory://fault").ValueOrDie()), store_(std::make_shared<FaultStore>(base_)) {
    EXPECT_TRUE(base_->DeleteDirectory("memory://fault/t").ok());
  }
  static std::string Path(std::string_view name) { return JoinPath("memory://fault/t", name); }
  arrow::Status WriteFile(std::string_view name, std::string_view bytes) {
    ARROW_ASSIGN_OR_RAISE(auto out, store_->OpenOutput(Path(name)));
    ARROW_RETURN_NOT_OK(out->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
    return out->Close();
  }

  std::shared_ptr<FileStore> base_;
  std::shared_ptr<FaultStore> store_;
};

TEST_F(FaultStoreTest, WithoutFaultsItPassesEverythingOn) {
  ASSERT_TRUE(WriteFile("file", "bytes").ok());
  EXPECT_EQ(store_->ReadAll(Path("file")).ValueOrDie(), "bytes");
  EXPECT_EQ(store_->Count(FileOp::kAnyMutation), 3);
  EXPECT_EQ(store_->Count(FileOp::kRead), 1);
}

TEST_F(FaultStoreTest, FailsTheNthOperationOfAKindOnly) {
  store_->Arm({.op = FileOp::kPutIfAbsent, .nth = 2});
  EXPECT_TRUE(store_->PutIfAbsent(Path("1"), "a").ok());
  EXPECT_FALSE(store_->PutIfAbsent(Path("2"), "b").ok());
  EXPECT_FALSE(base_->Exists(Path("2")).ValueOrDie());
  EXPECT_TRUE(store_->PutIfAbsent(Path("3"), "c").ok());
}

TEST_F(FaultStoreTest, AFailureAfterTheEffectLeavesTheEffect) {
  store_->Arm({.op = FileOp::kPutIfAbsent, .moment = FaultMoment::kAfter});
  const arrow::Status status = store_->PutIfAbsent(Path("1"), "a");
  EXPECT_EQ(KindOf(status), ErrorKind::kUnknown);
  EXPECT_EQ(base_->ReadAll(Path("1")).ValueOrDie(), "a");
}

TEST_F(FaultStoreTest, ATornWriteLeavesHalf) {
  store_->Arm({.op = FileOp::kWrite, .moment = FaultMoment::kTorn});
  auto out = store_->OpenOutput(Path("data")).ValueOrDie();
  EXPECT_FALSE(out->Write("abcdef", 6).ok());
  EXPECT_TRUE(out->Close().ok());
  EXPECT_EQ(base_->ReadAll(Path("data")).ValueOrDie(), "abc");

  store_->Arm({.op = FileOp::kOverwrite, .moment = FaultMoment::kTorn});
  EXPECT_FALSE(store_->Overwrite(Path("LATEST"), "1234").ok());
  EXPECT_EQ(base_->ReadAll(Path("LATEST")).ValueOrDie(), "12");

  store_->Arm({.op = FileOp::kPutIfAbsent, .moment = FaultMoment::kTorn});
  EXPECT_FALSE(store_->PutIfAbsent(Path("snapshot-1"), "1234").ok());
  EXPECT_FALSE(base_->Exists(Path("snapshot-1")).ValueOrDie());
  EXPECT_TRUE(base_->Exists(Path(".snapshot-1.torn.tmp")).ValueOrDie());
}

TEST_F(FaultStoreTest, AfterACrashNothingWorksNotEvenOpenFiles) {
  ASSERT_TRUE(WriteFile("file", "bytes").ok());
  auto open = store_->OpenInput(Path("file")).ValueOrDie();
  store_->Arm({.op = FileOp::kAnyMutation, .nth = 2, .crash = true});
  EXPECT_TRUE(store_->CreateDirectory(Path("d")).ok());
  EXPECT_FALSE(store_->DeleteFile(Path("file")).ok());
  EXPECT_TRUE(store_->crashed());
  EXPECT_FALSE(open->ReadAt(0, 5).ok());
  EXPECT_FALSE(store_->ReadAll(Path("file")).ok());
  EXPECT_FALSE(store_->List(Path("")).ok());
  EXPECT_EQ(base_->ReadAll(Path("file")).ValueOrDie(), "bytes");
  store_->Heal();
  EXPECT_EQ(store_->ReadAll(Path("file")).ValueOrDie(), "bytes");
}

TEST_F(FaultStoreTest, FaultsCanBeLimitedToPaths) {
  store_->Arm({.op = FileOp::kOverwrite, .repeat = true, .path_contains = "LATEST"});
  EXPECT_TRUE(store_->Overwrite(Path("EARLIEST"), "1").ok());
  EXPECT_FALSE(store_->Overwrite(Path("LATEST"), "1").ok());
  EXPECT_FALSE(store_->Overwrite(Path("LATEST"), "1").ok());
}

TEST_F(FaultStoreTest, StandsUnderItsOwnScheme) {
  FileStore::Register("fault", [this](std::string_view) -> arrow::Result<std::shared_ptr<FileStore>> { return store_; });
  auto opened = FileStore::Open("fault:memory://fault/t").ValueOrDie();
  ASSERT_TRUE(opened->Overwrite("fault:memory://fault/t/x", "1").ok());
  EXPECT_EQ(base_->ReadAll(Path("x")).ValueOrDie(), "1");
  const auto entries = opened->List("fault:memory://fault/t").ValueOrDie();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].path, "fault:memory://fault/t/x");
}

}  // namespace
}  // namespace bactrian
