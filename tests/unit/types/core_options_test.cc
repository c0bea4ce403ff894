#include "bactrian/types/core_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace bactrian {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Expectations were printed by the reference's MemorySize and TimeUtils.
TEST(CoreOptions, SizesReadAsInTheReference) {
  const std::pair<const char*, int64_t> cases[] = {
      {"128 mb", 134217728},
      {"128MB", 134217728},
      {"134217728", 134217728},
      {"128mB", 134217728},
      {"1g", 1073741824},
      {"1 gb", 1073741824},
      {"1gibibytes", 1073741824},
      {"3 kb", 3072},
      {"3k", 3072},
      {"5 b", 5},
      {"5 bytes", 5},
      {"2t", 2199023255552},
      {"  7 kb  ", 7168},
      {"1 mebibytes", 1048576},
      {"9223372036854775807", kMax},
  };
  for (const auto& [text, bytes] : cases) EXPECT_EQ(ParseMemorySize(text).ValueOrDie(), bytes) << text;
  for (const char* text : {"1.5 mb", "-1", "mb", "", "1 xb", "9223372036854775807 kb", "99999999999999999999", "1 m b"}) {
    EXPECT_FALSE(ParseMemorySize(text).ok()) << text;
  }
}

TEST(CoreOptions, DurationsReadAsInTheReference) {
  const std::pair<const char*, int64_t> cases[] = {
      {"1 h", 3600000},  {"10 ms", 10},     {"1d", 86400000},   {"5", 5},
      {"3 min", 180000}, {"3 m", 180000},   {"2 secs", 2000},   {"2 days", 172800000},
      {"7 millis", 7},   {"2500 micro", 2}, {"2500 µs", 2},     {"2500000 nanos", 2},
      {"1H", 3600000},   {"1 Min", 60000},  {" 1 h ", 3600000}, {"1 minutes", 60000},
  };
  for (const auto& [text, millis] : cases) EXPECT_EQ(ParseDurationMillis(text).ValueOrDie(), millis) << text;
  for (const char* text : {"", "x", "-5", "1 y", "1.5 s", "99999999999999999999", "9223372036854775807 d", "1 us"}) {
    EXPECT_FALSE(ParseDurationMillis(text).ok()) << text;
  }
}

TEST(CoreOptions, AbsentOptionsTakeTheDefaultAndUnknownOnesDoNotHarm) {
  const Options map = {{"no.such.option", "?"}, {"bucket", "+4"}, {"on", "TRUE"}, {"ratio", "0.25"}};
  const CoreOptions options(map);
  EXPECT_EQ(options.bucket().ValueOrDie(), 4);
  EXPECT_EQ(options.file_format(), "parquet");
  EXPECT_EQ(options.GetBool("on", false).ValueOrDie(), true);
  EXPECT_EQ(options.GetDouble("ratio", 1).ValueOrDie(), 0.25);
  EXPECT_EQ(options.GetMemorySize("absent", 7).ValueOrDie(), 7);
  EXPECT_EQ(options.GetDurationMillis("absent", 8).ValueOrDie(), 8);
  EXPECT_EQ(options.Get("absent"), std::nullopt);
}

TEST(CoreOptions, AMalformedValueIsInvalidAndNamesTheOption) {
  const Options map = {{"x", " 5"}};
  const CoreOptions options(map);
  for (const arrow::Status& status :
       {options.GetInt("x", 0).status(), options.GetBool("x", false).status(), options.GetDouble("x", 0).status()}) {
    EXPECT_EQ(KindOf(status), ErrorKind::kInvalid);
    EXPECT_THAT(status.message(), HasSubstr("option 'x'"));
  }
}

}  // namespace
}  // namespace bactrian
