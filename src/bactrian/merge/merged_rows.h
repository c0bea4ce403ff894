/// The end of every merge: records that were found to have the same key become rows, and rows become batches.
///
///   MergedRows rows(layout, MakeDeduplicate(layout, false), options);
///   const uint32_t source = rows.AddSource({.batch = batch, .level = 5});
///   rows.AddRows(source, 0, 7);                      // seven records, each alone with its key
///   rows.AddGroup(std::span(records));               // records of one key
///   ARROW_ASSIGN_OR_RAISE(auto merged, rows.Flush());
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "bactrian/merge/merge_function.h"
#include "bactrian/merge/sort_keys.h"

namespace bactrian {

struct MergeOptions {
  /// User sequence fields: indices of value columns, most significant first.
  std::vector<int> sequence_values = {};
  bool sequence_descending = false;
  /// Rows that come out as -U or -D are dropped unless this is set (compaction, audit log).
  bool keep_retracts = false;
  /// Of a key's records at levels >= 1 only the one at the smallest level takes part (tables that need lookup, merge.md §10).
  bool newest_level_only = false;
  /// Records are put in order by key and none is merged: a pass of a merge that has too many runs.
  bool only_interleave = false;
  /// Columns of the layout to return; empty: all.
  std::vector<int> output_columns = {};
  int64_t batch_rows = 16384;
  arrow::MemoryPool* pool = nullptr;  ///< nullptr: the default pool
};

/// A batch in the layout that rows are taken from.
struct MergeSource {
  std::shared_ptr<arrow::RecordBatch> batch;
  int32_t level = 0;
  std::shared_ptr<const SortKeys> sequences = nullptr;  ///< of the user sequence fields; null when there are none
  bool has_retracts = true;                             ///< false: no record is -U or -D
};

/// Whether a batch in the layout holds a -U or -D record.
bool HasRetracts(const KeyValueLayout& layout, const arrow::RecordBatch& batch);

/// Not thread-safe.
class MergedRows {
 public:
  static arrow::Result<std::unique_ptr<MergedRows>> Make(const KeyValueLayout& layout, std::unique_ptr<MergeFunction> function,
                                                         MergeOptions options);

  const KeyValueLayout& layout() const { return layout_; }
  const MergeOptions& options() const { return options_; }
  /// Of the batches that go in, and of those that come out.
  const std::shared_ptr<arrow::Schema>& input_schema() const { return input_schema_; }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  /// The source's index until the next Flush().
  uint32_t AddSource(MergeSource source);
  /// Records without another one of the same key.
  void AddRows(uint32_t source, int64_t start, int64_t length);
  /// The records of one key, at least one, in any order.
  void AddGroup(std::span<const RowRef> records);
  /// Keys added since the last Flush().
  int64_t num_keys() const { return num_keys_; }

  /// A batch of schema() with the rows of the keys added, in their order; null when none is left. `kept`, if given, gets the
  /// number of the key (0, 1, … since the last Flush) of each row.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Flush(std::vector<int64_t>* kept = nullptr);

 private:
  /// Stands for a group in a segment list until its row is known; `start` is then the group's index.
  static constexpr uint32_t kGroup = std::numeric_limits<uint32_t>::max();

  MergedRows(const KeyValueLayout& layout, std::unique_ptr<MergeFunction> function, MergeOptions options)
      : layout_(layout), function_(std::move(function)), options_(std::move(options)) {}
  void KeepNewestLevel(size_t begin);
  void SortGroup(size_t begin);
  bool Before(const RowRef& a, const RowRef& b) const;
  bool IsRetractAt(uint32_t source, uint32_t row) const { return IsRetract(RowKind{kinds_[source][row]}); }
  arrow::Status ResolveGroups();
  void DropRetracts(std::vector<int64_t>* kept);
  void NoteSource(const MergeSource& source);

  const KeyValueLayout layout_;
  const std::unique_ptr<MergeFunction> function_;
  MergeOptions options_;
  std::shared_ptr<arrow::Schema> input_schema_, schema_;

  // By source.
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  std::vector<MergeSource> sources_;
  std::vector<const int64_t*> sequence_numbers_;
  std::vector<const int8_t*> kinds_;

  std::vector<Segment> segments_;
  Groups groups_;
  int64_t num_keys_ = 0;
};

}  // namespace bactrian
