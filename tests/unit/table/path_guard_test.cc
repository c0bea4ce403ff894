#include "bactrian/table/path_guard.h"

#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "../table_write/test_table.h"

namespace bactrian {
namespace {

class PathGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    Schema schema;
    schema.fields = {TestColumn("id", DataType::Int())};
    schema.options["data-file.external-paths"] = "file:/external/a, file:///external/b/";
    TestTable table = TestTable::Make(std::move(schema));
    SessionOptions session;
    session.allowed_paths = {"/allowed", "s3://bucket/x"};
    ASSERT_OK_AND_ASSIGN(guard_, PathGuard::Make(table.context, session));
    root_ = table.context.paths.root;
  }
  bool Allows(const std::string& path) { return guard_.Check(path, "test").ok(); }

  PathGuard guard_;
  std::string root_;
};

TEST_F(PathGuardTest, AllowsTheTableItsExternalPathsAndTheSessionsList) {
  EXPECT_TRUE(Allows(root_ + "/bucket-0/f.parquet"));
  EXPECT_TRUE(Allows("/external/a/bucket-0/f.parquet"));
  EXPECT_TRUE(Allows("file:/external/a/f"));
  EXPECT_TRUE(Allows("file:///external/b/f"));
  EXPECT_TRUE(Allows("file://localhost/external/b/f"));
  EXPECT_TRUE(Allows("/allowed/deep/er/f"));
  EXPECT_TRUE(Allows("s3://bucket/x/f"));
}

TEST_F(PathGuardTest, RefusesEverythingElse) {
  for (const char* path : {"/etc/passwd", "file:/etc/passwd", "/external/abc/f", "/external/f", "/external/a", "relative/f", "",
                           "s3://bucket/xy/f", "s3://other/x/f", "s3:/bucket/x/f", "/allowed/../etc/passwd", "/allowed/./f",
                           "file:/allowed/../../f", "http://allowed/f", "s3://bucket/x/../y/f"}) {
    EXPECT_EQ(ErrorKindOf(guard_.Check(path, "test")), ErrorKind::kCorrupt) << path;
  }
}

TEST(PathGuard, AllowingTheRootOfAFileSystemAllowsNothing) {
  Schema schema;
  schema.fields = {TestColumn("id", DataType::Int())};
  TestTable table = TestTable::Make(std::move(schema));
  SessionOptions session;
  session.allowed_paths = {"/", ""};
  ASSERT_OK_AND_ASSIGN(PathGuard guard, PathGuard::Make(table.context, session));
  EXPECT_FALSE(guard.Check("/etc/passwd", "test").ok());
}

}  // namespace
}  // namespace bactrian
