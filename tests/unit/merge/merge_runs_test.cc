#include "bactrian/merge/merge_runs.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace bactrian {
namespace {

struct Record {
  std::string key;
  int64_t sequence;
  RowKind kind;
  std::optional<int64_t> order;  // the user sequence
  std::string text;
};

const KeyValueLayout kLayout{
    .keys = {{.id = 1, .name = "_KEY_k", .type = DataType::String(false)}},
    .values = {{.id = 2, .name = "o", .type = DataType::Bigint()}, {.id = 3, .name = "t", .type = DataType::String()}}};

std::shared_ptr<arrow::RecordBatch> MakeBatch(const std::vector<Record>& records) {
  arrow::StringBuilder keys, texts;
  arrow::Int64Builder sequences, orders;
  arrow::Int8Builder kinds;
  for (const Record& r : records) {
    EXPECT_TRUE(keys.Append(r.key).ok() && sequences.Append(r.sequence).ok() && texts.Append(r.text).ok());
    EXPECT_TRUE(kinds.Append(static_cast<int8_t>(r.kind)).ok());
    EXPECT_TRUE((r.order ? orders.Append(*r.order) : orders.AppendNull()).ok());
  }
  return arrow::RecordBatch::Make(kLayout.ArrowSchema().ValueOrDie(), static_cast<int64_t>(records.size()),
                                  {keys.Finish().ValueOrDie(), sequences.Finish().ValueOrDie(), kinds.Finish().ValueOrDie(),
                                   orders.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
}

/// A run that hands out its records in batches of `batch_rows`.
SortedRun MakeRun(std::vector<Record> records, int64_t batch_rows, int32_t level = 0) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (size_t i = 0; i < records.size(); i += batch_rows) {
    batches.push_back(MakeBatch({records.begin() + i, records.begin() + std::min(records.size(), i + batch_rows)}));
  }
  return {arrow::RecordBatchReader::Make(batches, kLayout.ArrowSchema().ValueOrDie()).ValueOrDie(), level};
}

std::vector<std::pair<std::string, std::string>> KeysAndTexts(arrow::RecordBatchReader& reader) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (reader.ReadNext(&batch).ok() && batch != nullptr) {
    EXPECT_GT(batch->num_rows(), 0);
    EXPECT_TRUE(batch->ValidateFull().ok());
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      rows.emplace_back(static_cast<const arrow::StringArray&>(*batch->column(0)).GetString(i),
                        static_cast<const arrow::StringArray&>(*batch->column(4)).GetString(i));
    }
  }
  return rows;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

TEST(MergeRuns, TheNewestRecordOfAKeyWinsAndDeletesDisappear) {
  std::vector<SortedRun> runs;
  runs.push_back(MakeRun(
      {{"a", 1, RowKind::kInsert, {}, "a1"}, {"b", 2, RowKind::kInsert, {}, "b2"}, {"d", 3, RowKind::kInsert, {}, "d3"}}, 2));
  runs.push_back(MakeRun(
      {{"b", 9, RowKind::kDelete, {}, "b9"}, {"c", 8, RowKind::kUpdateAfter, {}, "c8"}, {"d", 2, RowKind::kDelete, {}, "d2"}},
      2));
  runs.push_back(MakeRun({{"e", 7, RowKind::kDelete, {}, "e7"}}, 2));
  auto reader = MergeRuns(kLayout, std::move(runs), MakeDeduplicate(kLayout, false), {}).ValueOrDie();
  EXPECT_EQ(KeysAndTexts(*reader), (Rows{{"a", "a1"}, {"c", "c8"}, {"d", "d3"}}));
}

TEST(MergeRuns, RetractsStayForCompaction) {
  std::vector<SortedRun> runs;
  runs.push_back(MakeRun({{"a", 1, RowKind::kInsert, {}, "a1"}, {"b", 1, RowKind::kDelete, {}, "b1"}}, 5));
  runs.push_back(MakeRun({{"a", 2, RowKind::kDelete, {}, "a2"}}, 5));
  auto reader = MergeRuns(kLayout, std::move(runs), MakeDeduplicate(kLayout, false), {.keep_retracts = true}).ValueOrDie();
  EXPECT_EQ(KeysAndTexts(*reader), (Rows{{"a", "a2"}, {"b", "b1"}}));
}

TEST(MergeRuns, AUserSequenceGoesBeforeTheSequenceNumberAndNullAlwaysLoses) {
  for (const bool descending : {false, true}) {
    std::vector<SortedRun> runs;
    runs.push_back(MakeRun({{"a", 1, RowKind::kInsert, 5, "five"}, {"b", 1, RowKind::kInsert, 1, "one"}}, 1));
    runs.push_back(MakeRun({{"a", 2, RowKind::kInsert, 4, "four"}, {"b", 2, RowKind::kInsert, {}, "null"}}, 1));
    auto reader = MergeRuns(kLayout, std::move(runs), MakeDeduplicate(kLayout, false),
                            {.sequence_values = {0}, .sequence_descending = descending})
                      .ValueOrDie();
    EXPECT_EQ(KeysAndTexts(*reader), (Rows{{"a", descending ? "four" : "five"}, {"b", "one"}}));
  }
}

TEST(MergeRuns, OnlyTheNewestLevelAboveZeroTakesPartInTablesThatNeedLookup) {
  std::vector<SortedRun> runs;
  runs.push_back(MakeRun({{"a", 9, RowKind::kInsert, {}, "level 5"}}, 5, 5));
  runs.push_back(MakeRun({{"a", 3, RowKind::kInsert, {}, "level 4"}}, 5, 4));
  runs.push_back(MakeRun({{"a", 1, RowKind::kInsert, {}, "level 0"}}, 5, 0));
  auto reader = MergeRuns(kLayout, std::move(runs), MakeDeduplicate(kLayout, false), {.newest_level_only = true}).ValueOrDie();
  EXPECT_EQ(KeysAndTexts(*reader), (Rows{{"a", "level 4"}}));
}

TEST(MergeRuns, FirstRowKeepsTheOldestAndRefusesRetracts) {
  std::vector<SortedRun> runs;
  runs.push_back(MakeRun({{"a", 5, RowKind::kInsert, {}, "new"}}, 5));
  runs.push_back(MakeRun({{"a", 1, RowKind::kInsert, {}, "old"}}, 5));
  auto reader = MergeRuns(kLayout, std::move(runs), MakeFirstRow(kLayout, false), {}).ValueOrDie();
  EXPECT_EQ(KeysAndTexts(*reader), (Rows{{"a", "old"}}));
  std::vector<SortedRun> retracted;
  retracted.push_back(MakeRun({{"a", 5, RowKind::kDelete, {}, "x"}}, 5));
  retracted.push_back(MakeRun({{"a", 1, RowKind::kInsert, {}, "y"}}, 5));
  reader = MergeRuns(kLayout, std::move(retracted), MakeFirstRow(kLayout, false), {}).ValueOrDie();
  std::shared_ptr<arrow::RecordBatch> batch;
  EXPECT_EQ(KindOf(reader->ReadNext(&batch)), ErrorKind::kInvalid);
}

/// Random histories in random runs, batch sizes and output sizes against a map.
TEST(MergeRuns, EqualsAMapOfTheNewestRecords) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 300; ++round) {
    const int num_runs = 1 + static_cast<int>(random() % 9);
    std::map<std::string, Record> newest;
    std::vector<SortedRun> runs;
    int64_t sequence = 0;
    for (int r = 0; r < num_runs; ++r) {
      std::map<std::string, Record> run;
      const int count = static_cast<int>(random() % 60);
      for (int i = 0; i < count; ++i) {
        // Keys that share prefixes, of uneven length, with zero bytes inside.
        std::string key = std::string(random() % 12, 'k') + std::string(random() % 3, '\0') + std::to_string(random() % 40);
        const RowKind kind = random() % 4 == 0 ? RowKind::kDelete : RowKind::kInsert;
        run[key] = {key, ++sequence, kind, {}, "v" + std::to_string(sequence)};
      }
      std::vector<Record> records;
      for (auto& [key, record] : run) {
        records.push_back(record);
        if (auto [it, fresh] = newest.try_emplace(key, record); !fresh && it->second.sequence < record.sequence)
          it->second = record;
      }
      runs.push_back(MakeRun(records, 1 + static_cast<int64_t>(random() % 20)));
    }
    std::shuffle(runs.begin(), runs.end(), random);
    Rows expected;
    for (const auto& [key, record] : newest) {
      if (record.kind == RowKind::kInsert) expected.emplace_back(key, record.text);
    }
    auto reader = MergeRuns(kLayout, std::move(runs), MakeDeduplicate(kLayout, false),
                            {.batch_rows = 1 + static_cast<int64_t>(random() % 50)})
                      .ValueOrDie();
    ASSERT_EQ(KeysAndTexts(*reader), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace bactrian
