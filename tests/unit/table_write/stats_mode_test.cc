#include "bactrian/table/write/stats_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Field Column(std::string name, TypePtr type) { return {.id = 0, .name = std::move(name), .type = std::move(type)}; }

ColumnStats TextStats(std::string min, std::string max, int64_t nulls = 0) { return {std::move(min), std::move(max), nulls}; }

std::vector<Value> MinOf(const ValueStats& stats, const std::vector<TypePtr>& types) {
  return DecodeSerializedRow(stats.stats.min_values, types).ValueOrDie();
}
std::vector<Value> MaxOf(const ValueStats& stats, const std::vector<TypePtr>& types) {
  return DecodeSerializedRow(stats.stats.max_values, types).ValueOrDie();
}

StatsMode Truncate(int32_t n) { return {StatsMode::Kind::kTruncate, n}; }

TEST(StatsModeTest, ParsesEveryModeInAnyCase) {
  EXPECT_EQ(StatsMode::Parse("none")->kind, StatsMode::Kind::kNone);
  EXPECT_EQ(StatsMode::Parse("COUNTS")->kind, StatsMode::Kind::kCounts);
  EXPECT_EQ(StatsMode::Parse("full")->kind, StatsMode::Kind::kFull);
  EXPECT_EQ(*StatsMode::Parse("Truncate(3)"), Truncate(3));
}

TEST(StatsModeTest, RefusesWhatIsNoMode) {
  for (const char* text : {"", "trunc", "truncate", "truncate()", "truncate(0)", "truncate(-1)", "truncate(x)", "truncate(3",
                           "truncate(99999999999)"}) {
    EXPECT_FALSE(StatsMode::Parse(text).ok()) << text;
  }
}

TEST(StatsModeTest, AColumnsOwnModeComesBeforeTheFirstColumnsAndTheTables) {
  TableSchema schema;
  schema.fields = {Column("a", DataType::Int()), Column("b", DataType::Int()), Column("c", DataType::Int())};
  schema.options = {
      {"metadata.stats-mode", "counts"}, {"metadata.stats-keep-first-n-columns", "1"}, {"fields.c.stats-mode", "full"}};
  const auto modes = StatsModes(schema).ValueOrDie();
  EXPECT_EQ(modes[0].kind, StatsMode::Kind::kCounts);
  EXPECT_EQ(modes[1].kind, StatsMode::Kind::kNone);
  EXPECT_EQ(modes[2].kind, StatsMode::Kind::kFull);
}

TEST(StatsModeTest, AMalformedModeNamesItsOption) {
  TableSchema schema;
  schema.fields = {Column("a", DataType::Int())};
  schema.options = {{"fields.a.stats-mode", "some"}};
  EXPECT_THAT(StatsModes(schema).status().message(), HasSubstr("fields.a.stats-mode"));
}

TEST(StatsModeTest, TheDefaultCutsTextAfterSixteenCharacters) {
  TableSchema schema;
  schema.fields = {Column("a", DataType::String())};
  EXPECT_EQ(StatsModes(schema).ValueOrDie()[0], Truncate(16));
}

TEST(TruncateTest, TheUpperBoundIsTheNextStringOfThatLength) {
  EXPECT_EQ(TruncateMaxString("abc", 3), "abc");
  EXPECT_EQ(TruncateMaxString("abcd", 3), "abd");
  EXPECT_EQ(TruncateMaxString("a\x7f"
                              "cd",
                              2),
            "a\xC2\x80");                                            // U+007F to U+0080
  EXPECT_EQ(TruncateMaxString("ab\xF4\x8F\xBF\xBFz", 3), "ac");      // U+10FFFF cannot be incremented
  EXPECT_EQ(TruncateMaxString("\xED\x9F\xBFz", 1), "\xEE\x80\x80");  // U+D7FF: surrogates are passed over
  EXPECT_EQ(TruncateMaxString("\xF4\x8F\xBF\xBFz", 1), std::nullopt);
}

TEST(TruncateTest, CountsCharactersNotBytes) {
  EXPECT_EQ(TruncateMaxString("äöü", 3), "äöü");
  EXPECT_EQ(TruncateMaxString("äöü", 2), "ä÷");  // ö is U+00F6
}

TEST(TruncateTest, BinaryIsCutByBytes) {
  EXPECT_EQ(TruncateMaxBinary("ab", 2), "ab");
  EXPECT_EQ(TruncateMaxBinary("abc", 2), "ac");
  EXPECT_EQ(TruncateMaxBinary("a\xFFz", 2), "b");
  EXPECT_EQ(TruncateMaxBinary("\xFF\xFFz", 2), std::nullopt);
}

TEST(ValueStatsTest, DenseStatsLeaveOutColumnsOfWhichNothingIsKnown) {
  const std::vector<Field> fields = {Column("i", DataType::Int()), Column("r", DataType::Array(DataType::Int())),
                                     Column("s", DataType::String()), Column("n", DataType::Int())};
  const std::vector<StatsMode> modes = {Truncate(16), Truncate(16), Truncate(2), {StatsMode::Kind::kNone, 0}};
  const std::vector<ColumnStats> full = {
      {int64_t{1}, int64_t{9}, 0}, {{}, {}, 3}, TextStats("abc", "xyz", 2), {int64_t{1}, int64_t{2}, 0}};
  const ValueStats stats = MakeValueStats(fields, modes, full, /*dense=*/true).ValueOrDie();
  ASSERT_TRUE(stats.columns.has_value());
  EXPECT_THAT(*stats.columns, ElementsAre("i", "s"));
  EXPECT_THAT(stats.stats.null_counts, ElementsAre(0, 2));
  EXPECT_THAT(MinOf(stats, {fields[0].type, fields[2].type}), ElementsAre(Value(int64_t{1}), Value(std::string("ab"))));
  EXPECT_THAT(MaxOf(stats, {fields[0].type, fields[2].type}), ElementsAre(Value(int64_t{9}), Value(std::string("xz"))));
}

TEST(ValueStatsTest, WithEveryColumnKnownTheNamesAreLeftOut) {
  const std::vector<Field> fields = {Column("i", DataType::Int())};
  const std::vector<StatsMode> modes = {Truncate(16)};
  const std::vector<ColumnStats> full = {{int64_t{1}, int64_t{9}, 0}};
  EXPECT_FALSE(MakeValueStats(fields, modes, full, true).ValueOrDie().columns.has_value());
}

TEST(ValueStatsTest, SparseStatsHaveASlotForEveryColumn) {
  const std::vector<Field> fields = {Column("n", DataType::Int()), Column("i", DataType::Int())};
  const std::vector<StatsMode> modes = {{StatsMode::Kind::kNone, 0}, {StatsMode::Kind::kCounts, 0}};
  const std::vector<ColumnStats> full = {{int64_t{1}, int64_t{9}, 0}, {int64_t{1}, int64_t{9}, 4}};
  const ValueStats stats = MakeValueStats(fields, modes, full, /*dense=*/false).ValueOrDie();
  EXPECT_FALSE(stats.columns.has_value());
  EXPECT_THAT(stats.stats.null_counts, ElementsAre(std::nullopt, std::optional<int64_t>(4)));
  EXPECT_THAT(MinOf(stats, {fields[0].type, fields[1].type}), ElementsAre(Value(), Value()));
}

TEST(ValueStatsTest, ModeNoneForAllIsAnEmptyRowAndAnEmptyListOfNames) {
  const std::vector<Field> fields = {Column("n", DataType::Int())};
  const std::vector<StatsMode> modes = {{StatsMode::Kind::kNone, 0}};
  const std::vector<ColumnStats> full = {{int64_t{1}, int64_t{9}, 0}};
  const ValueStats stats = MakeValueStats(fields, modes, full, true).ValueOrDie();
  ASSERT_TRUE(stats.columns.has_value());
  EXPECT_TRUE(stats.columns->empty());
  EXPECT_EQ(stats.stats.min_values, EmptySerializedRow());
}

TEST(ValueStatsTest, AnUpperBoundThatCannotBeCutTakesTheLowerOneWithIt) {
  const std::vector<Field> fields = {Column("b", DataType::Bytes())};
  const std::vector<StatsMode> modes = {Truncate(1)};
  const std::vector<ColumnStats> full = {TextStats("ab", "\xFF\xFF", 1)};
  const ValueStats stats = MakeValueStats(fields, modes, full, true).ValueOrDie();
  EXPECT_THAT(MinOf(stats, {fields[0].type}), ElementsAre(Value()));
  EXPECT_THAT(MaxOf(stats, {fields[0].type}), ElementsAre(Value()));
  EXPECT_THAT(stats.stats.null_counts, ElementsAre(std::optional<int64_t>(1)));
}

TEST(ValueStatsTest, Int96TimestampsKeepTheNullCountAlone) {
  const std::vector<Field> fields = {Column("t", DataType::WithPrecision(TypeRoot::kTimestamp, 9)),
                                     Column("u", DataType::WithPrecision(TypeRoot::kTimestamp, 6))};
  const std::vector<StatsMode> modes = {Truncate(16), Truncate(16)};
  const ColumnStats full{TimestampValue{1, 0}, TimestampValue{2, 0}, 5};
  const ValueStats stats = MakeValueStats(fields, modes, std::vector<ColumnStats>{full, full}, true).ValueOrDie();
  EXPECT_FALSE(stats.columns.has_value());
  EXPECT_THAT(MinOf(stats, {fields[0].type, fields[1].type}), ElementsAre(Value(), Value(TimestampValue{1, 0})));
  EXPECT_THAT(stats.stats.null_counts, ElementsAre(5, 5));
}

}  // namespace
}  // namespace bactrian
