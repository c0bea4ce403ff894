#include "bactrian/meta/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"

namespace bactrian {
namespace {

using testing::HasSubstr;

constexpr char kSnapshot[] = R"({
  "version" : 3,
  "id" : 4,
  "schemaId" : 0,
  "baseManifestList" : "manifest-list-a-0",
  "deltaManifestList" : "manifest-list-a-1",
  "commitUser" : "u",
  "commitIdentifier" : 9223372036854775807,
  "commitKind" : "APPEND",
  "timeMillis" : 1796060219435,
  "totalRecordCount" : 40,
  "deltaRecordCount" : 10
})";

std::string Replace(std::string text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Snapshot, TextIsTheReferences) {
  ASSERT_OK_AND_ASSIGN(Snapshot snapshot, Snapshot::FromJson(kSnapshot));
  EXPECT_EQ(snapshot.ToJson(), kSnapshot);
}

TEST(Snapshot, UnknownKeysAreIgnoredAndNullsAreAbsent) {
  std::string text = Replace(kSnapshot, "\"id\" : 4", "\"logOffsets\" : { }, \"watermark\" : null, \"id\" : 4");
  ASSERT_OK_AND_ASSIGN(Snapshot snapshot, Snapshot::FromJson(text));
  EXPECT_EQ(snapshot.ToJson(), kSnapshot);
}

TEST(Snapshot, PropertiesPrintInJavasHashOrder) {
  ASSERT_OK_AND_ASSIGN(Snapshot snapshot, Snapshot::FromJson(kSnapshot));
  snapshot.properties = {{"d", "1"}, {"id", "2"}, {"s", "3"}};
  EXPECT_THAT(snapshot.ToJson(),
              HasSubstr("\"properties\" : {\n    \"s\" : \"3\",\n    \"d\" : \"1\",\n    \"id\" : \"2\"\n  }\n}"));
  ASSERT_OK_AND_ASSIGN(Snapshot again, Snapshot::FromJson(snapshot.ToJson()));
  EXPECT_EQ(again.properties, snapshot.properties);
}

TEST(Snapshot, MalformedTextIsCorrupt) {
  const std::string text = kSnapshot;
  for (const std::string& bad :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), text.substr(0, text.size() - 1),
        Replace(text, "APPEND", "APPENDED"), Replace(text, "\"id\" : 4", "\"id\" : \"4\""), Replace(text, "\"id\"", "\"jd\""),
        Replace(text, "9223372036854775807", "9223372036854775808"), std::string(10000, '[')}) {
    auto result = Snapshot::FromJson(bad);
    ASSERT_FALSE(result.ok()) << bad;
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kCorrupt) << bad;
  }
}

TEST(Snapshot, ForgedFileNamesAreCorrupt) {
  for (const char* name : {"../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "s3:x", "..", ".", "", "a\\\\b"}) {
    std::string text = Replace(kSnapshot, "manifest-list-a-1", name);
    auto result = Snapshot::FromJson(text);
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kCorrupt);
    EXPECT_THAT(result.status().message(), HasSubstr("not a plain file name"));
  }
}

// With and without trailing zeros that Jackson drops.
TEST(Tag, CreateTimeArraysKeepTheirText) {
  for (const char* time :
       {"[ 2026, 11, 30, 17, 36, 59, 486159328 ]", "[ 2026, 11, 30, 17, 36, 59 ]", "[ 2026, 11, 30, 17, 36 ]",
        "[ 2026, 11, 30, 0, 0, 0, 7 ]", "[ 1969, 12, 31, 23, 59, 59, 999000000 ]"}) {
    std::string text = std::string(kSnapshot);
    text =
        text.substr(0, text.size() - 2) + ",\n  \"tagCreateTime\" : " + time + ",\n  \"tagTimeRetained\" : 86400.000000000\n}";
    ASSERT_OK_AND_ASSIGN(Tag tag, Tag::FromJson("t", text));
    EXPECT_EQ(tag.ToJson(), text);
    EXPECT_EQ(tag.time_retained_seconds, 86400.0);
  }
}

TEST(Tag, CreateTimeIsCountedAsIfUtc) {
  std::string text = std::string(kSnapshot);
  text = text.substr(0, text.size() - 2) + ", \"tagCreateTime\" : [1970, 1, 2, 0, 0, 1, 2000003]}";
  ASSERT_OK_AND_ASSIGN(Tag tag, Tag::FromJson("t", text));
  EXPECT_EQ(tag.create_time, (TimestampValue{86401002, 3}));
}

TEST(Tag, MalformedCreateTimeIsCorrupt) {
  for (const char* time :
       {"[]", "[ 2026, 13, 1 ]", "[ 2026, 1, 1, 0, 0, 0, 0, 0 ]", "[ 1e9, 1, 1 ]", "\"x\"", "[ 2147483648, 1, 1 ]"}) {
    std::string text = std::string(kSnapshot);
    text = text.substr(0, text.size() - 2) + ", \"tagCreateTime\" : " + time + "}";
    auto result = Tag::FromJson("t", text);
    ASSERT_FALSE(result.ok()) << time;
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kCorrupt);
  }
}

TEST(TablePaths, BranchesShareDataManifestsAndIndexes) {
  TablePaths main{"/w/db.db/t", "main"}, branch{"/w/db.db/t", "b"};
  EXPECT_EQ(main.SnapshotFile(3), "/w/db.db/t/snapshot/snapshot-3");
  EXPECT_EQ(branch.SnapshotFile(3), "/w/db.db/t/branch/branch-b/snapshot/snapshot-3");
  EXPECT_EQ(branch.SchemaFile(0), "/w/db.db/t/branch/branch-b/schema/schema-0");
  EXPECT_EQ(branch.TagFile("x"), "/w/db.db/t/branch/branch-b/tag/tag-x");
  EXPECT_EQ(branch.ConsumerDirectory(), "/w/db.db/t/branch/branch-b/consumer");
  EXPECT_EQ(branch.ManifestFile("m"), "/w/db.db/t/manifest/m");
  EXPECT_EQ(branch.IndexFile("i"), "/w/db.db/t/index/i");
  EXPECT_EQ(branch.StatisticsFile("s"), "/w/db.db/t/statistics/s");
}

}  // namespace
}  // namespace bactrian
