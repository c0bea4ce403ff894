#include "bactrian/merge/merge_runs.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "bactrian/merge/loser_tree.h"

namespace bactrian {
namespace {

/// Stands for a group in a segment list until its row is known; `start` is then the group's index.
constexpr uint32_t kGroup = std::numeric_limits<uint32_t>::max();

using SharedKeys = std::shared_ptr<const SortKeys>;

/// One run: its current batch with keys, and where it stands. A batch takes a place among the output's sources when a row of it
/// is first used, and loses it when the output is handed out.
struct Cursor {
  SortedRun run;
  std::shared_ptr<arrow::RecordBatch> batch;
  SharedKeys keys, sequences;
  int64_t row = 0, num_rows = 0;
  uint64_t prefix = 0;  ///< of the head's key: most comparisons end here
  uint32_t source = kGroup;

  bool exhausted() const { return batch == nullptr; }
  int CompareHead(const Cursor& other) const {
    if (prefix != other.prefix) return prefix < other.prefix ? -1 : 1;
    return keys->Compare(row, *other.keys, other.row);
  }
};

class MergeReader : public arrow::RecordBatchReader {
 public:
  MergeReader(const KeyValueLayout& layout, std::unique_ptr<MergeFunction> function, MergeOptions options)
      : layout_(layout), function_(std::move(function)), options_(std::move(options)) {}

  arrow::Status Init(std::vector<SortedRun> runs) {
    ARROW_ASSIGN_OR_RAISE(input_schema_, layout_.ArrowSchema());
    if (options_.output_columns.empty()) {
      options_.output_columns.resize(layout_.num_columns());
      std::iota(options_.output_columns.begin(), options_.output_columns.end(), 0);
    }
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (const int c : options_.output_columns) fields.push_back(input_schema_->field(c));
    schema_ = arrow::schema(std::move(fields));
    for (const Field& key : layout_.keys) key_order_.push_back({key.type, false});
    for (const int value : options_.sequence_values) {
      sequence_order_.push_back({layout_.values[value].type, options_.sequence_descending});
    }
    cursors_.resize(runs.size());
    for (size_t i = 0; i < runs.size(); ++i) {
      cursors_[i].run = std::move(runs[i]);
      ARROW_RETURN_NOT_OK(LoadBatch(&cursors_[i]));
    }
    if (!cursors_.empty()) tree_.emplace(static_cast<int>(cursors_.size()), HeadLess{&cursors_});
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    while (tree_ && !cursors_[tree_->winner()].exhausted()) {
      while (pending_rows_ < options_.batch_rows && !cursors_[tree_->winner()].exhausted()) ARROW_RETURN_NOT_OK(Step());
      ARROW_ASSIGN_OR_RAISE(*out, Flush());
      if (*out != nullptr) return arrow::Status::OK();
    }
    return arrow::Status::OK();
  }

 private:
  struct HeadLess {
    const std::vector<Cursor>* cursors;
    bool operator()(int a, int b) const {
      const Cursor &x = (*cursors)[a], &y = (*cursors)[b];
      if (x.exhausted() || y.exhausted()) return !x.exhausted();
      const int order = x.CompareHead(y);
      return order != 0 ? order < 0 : a < b;
    }
  };

  arrow::Status LoadBatch(Cursor* cursor) {
    do {
      ARROW_RETURN_NOT_OK(cursor->run.reader->ReadNext(&cursor->batch));
    } while (cursor->batch != nullptr && cursor->batch->num_rows() == 0);
    cursor->row = 0;
    cursor->source = kGroup;
    if (cursor->batch == nullptr) return arrow::Status::OK();
    cursor->num_rows = cursor->batch->num_rows();
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (size_t i = 0; i < key_order_.size(); ++i) columns.push_back(cursor->batch->column(static_cast<int>(i)));
    ARROW_ASSIGN_OR_RAISE(cursor->keys, MakeKeys(key_order_, columns));
    cursor->prefix = cursor->keys->prefix(0);
    if (sequence_order_.empty()) return arrow::Status::OK();
    columns.clear();
    for (const int value : options_.sequence_values) columns.push_back(cursor->batch->column(layout_.value_index(value)));
    ARROW_ASSIGN_OR_RAISE(cursor->sequences, MakeKeys(sequence_order_, columns));
    return arrow::Status::OK();
  }

  static arrow::Result<SharedKeys> MakeKeys(const std::vector<SortColumn>& order,
                                            const std::vector<std::shared_ptr<arrow::Array>>& columns) {
    ARROW_ASSIGN_OR_RAISE(SortKeys keys, SortKeys::Make(order, columns));
    return std::make_shared<const SortKeys>(std::move(keys));
  }

  uint32_t SourceOf(Cursor* cursor) {
    if (cursor->source == kGroup) {
      cursor->source = static_cast<uint32_t>(sources_.size());
      sources_.push_back(cursor->batch);
      source_levels_.push_back(cursor->run.level);
      source_sequences_.push_back(cursor->sequences);
    }
    return cursor->source;
  }

  arrow::Status Advance(Cursor* cursor, int64_t rows) {
    cursor->row += rows;
    if (cursor->row == cursor->num_rows) return LoadBatch(cursor);
    cursor->prefix = cursor->keys->prefix(cursor->row);
    return arrow::Status::OK();
  }

  /// Takes the next key: one record, a stretch of records that no other run can touch, or a group of equal keys.
  arrow::Status Step() {
    Cursor& winner = cursors_[tree_->winner()];
    const int runner_up = cursors_.size() > 1 ? tree_->RunnerUp() : -1;
    const Cursor* next = runner_up >= 0 && !cursors_[runner_up].exhausted() ? &cursors_[runner_up] : nullptr;
    if (next == nullptr || winner.CompareHead(*next) < 0) {
      const int64_t limit = std::min(winner.num_rows - winner.row, options_.batch_rows - pending_rows_);
      const int64_t length = next == nullptr ? limit : Gallop(winner, *next, limit);
      EmitSegment(SourceOf(&winner), winner.row, length);
      ARROW_RETURN_NOT_OK(Advance(&winner, length));
      tree_->Replay();
      return arrow::Status::OK();
    }
    return TakeGroup();
  }

  /// How many rows from the winner's head lie below `next`'s head: at least 1, at most `limit`. Doubling, then binary search.
  static int64_t Gallop(const Cursor& winner, const Cursor& next, int64_t limit) {
    const auto below = [&](int64_t i) { return winner.keys->Compare(winner.row + i, *next.keys, next.row) < 0; };
    int64_t low = 0, step = 1;  // row `low` lies below
    while (low + step < limit && below(low + step)) {
      low += step;
      step *= 2;
    }
    int64_t high = std::min(low + step, limit);  // the first that may not
    while (low + 1 < high) {
      const int64_t middle = low + (high - low) / 2;
      (below(middle) ? low : high) = middle;
    }
    return low + 1;
  }

  void EmitSegment(uint32_t source, int64_t start, int64_t length) {
    pending_rows_ += length;
    if (!segments_.empty()) {
      Segment& last = segments_.back();
      if (last.source == source && last.start + last.length == start) {
        last.length += static_cast<uint32_t>(length);
        return;
      }
    }
    segments_.push_back({source, static_cast<uint32_t>(start), static_cast<uint32_t>(length)});
  }

  arrow::Status TakeGroup() {
    const SharedKeys keys = cursors_[tree_->winner()].keys;
    const int64_t key_row = cursors_[tree_->winner()].row;
    std::vector<RowRef>& rows = groups_.rows;
    const size_t begin = rows.size();
    for (Cursor* c = &cursors_[tree_->winner()]; !c->exhausted() && c->keys->Compare(c->row, *keys, key_row) == 0;
         c = &cursors_[tree_->winner()]) {
      rows.push_back({SourceOf(c), static_cast<uint32_t>(c->row)});
      ARROW_RETURN_NOT_OK(Advance(c, 1));
      tree_->Replay();
    }
    if (options_.newest_level_only) KeepNewestLevel(begin);
    if (rows.size() - begin == 1) {
      EmitSegment(rows[begin].source, rows[begin].row, 1);
      rows.resize(begin);
      return arrow::Status::OK();
    }
    SortGroup(begin);
    segments_.push_back({kGroup, static_cast<uint32_t>(groups_.num_groups()), 1});
    groups_.offsets.push_back(static_cast<uint32_t>(rows.size()));
    ++pending_rows_;
    return arrow::Status::OK();
  }

  void KeepNewestLevel(size_t begin) {
    std::vector<RowRef>& rows = groups_.rows;
    int32_t newest = std::numeric_limits<int32_t>::max();
    for (size_t r = begin; r < rows.size(); ++r) {
      const int32_t level = source_levels_[rows[r].source];
      if (level > 0) newest = std::min(newest, level);
    }
    rows.erase(
        std::remove_if(rows.begin() + begin, rows.end(), [&](const RowRef& r) { return source_levels_[r.source] > newest; }),
        rows.end());
  }

  /// Insertion sort: groups are small and mostly in order.
  void SortGroup(size_t begin) {
    std::vector<RowRef>& rows = groups_.rows;
    for (size_t i = begin + 1; i < rows.size(); ++i) {
      const RowRef row = rows[i];
      size_t at = i;
      while (at > begin && Before(row, rows[at - 1])) {
        rows[at] = rows[at - 1];
        --at;
      }
      rows[at] = row;
    }
  }

  bool Before(const RowRef& a, const RowRef& b) const {
    if (!sequence_order_.empty()) {
      const int order = source_sequences_[a.source]->Compare(a.row, *source_sequences_[b.source], b.row);
      if (order != 0) return order < 0;
    }
    const int64_t x = SequenceOf(a), y = SequenceOf(b);
    if (x != y) return x < y;
    return IsRetract(KindOf(a)) && !IsRetract(KindOf(b));
  }
  int64_t SequenceOf(const RowRef& r) const {
    return sources_[r.source]->column_data(layout_.sequence_index())->GetValues<int64_t>(1)[r.row];
  }
  RowKind KindOf(const RowRef& r) const {
    return RowKind{sources_[r.source]->column_data(layout_.kind_index())->GetValues<int8_t>(1)[r.row]};
  }

  /// What was collected as a batch, or null when nothing of it is left.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Flush() {
    ARROW_RETURN_NOT_OK(ResolveGroups());
    if (!options_.keep_retracts) DropRetracts();
    int64_t num_rows = 0;
    for (const Segment& s : segments_) num_rows += s.length;
    std::shared_ptr<arrow::RecordBatch> batch;
    if (num_rows > 0) {
      std::vector<std::shared_ptr<arrow::Array>> columns, parts(sources_.size());
      for (const int c : options_.output_columns) {
        for (size_t s = 0; s < sources_.size(); ++s) parts[s] = sources_[s]->column(c);
        ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                              Gather(input_schema_->field(c)->type(), parts, segments_, num_rows, options_.pool));
      }
      batch = arrow::RecordBatch::Make(schema_, num_rows, std::move(columns));
    }
    segments_.clear();
    groups_ = {};
    sources_.clear();
    source_levels_.clear();
    source_sequences_.clear();
    pending_rows_ = 0;
    for (Cursor& cursor : cursors_) cursor.source = kGroup;
    return batch;
  }

  arrow::Status ResolveGroups() {
    if (groups_.num_groups() == 0) return arrow::Status::OK();
    groups_.sources = sources_;
    groups_.levels = source_levels_;
    if (!function_->selects()) {
      ARROW_ASSIGN_OR_RAISE(auto computed, function_->Compute(groups_, options_.pool));
      for (Segment& s : segments_) {
        if (s.source == kGroup) s.source = static_cast<uint32_t>(sources_.size());
      }
      sources_.push_back(std::move(computed));
      return arrow::Status::OK();
    }
    std::vector<int32_t> winners(groups_.num_groups());
    ARROW_RETURN_NOT_OK(function_->Select(groups_, winners.data()));
    for (Segment& s : segments_) {
      if (s.source != kGroup) continue;
      const int32_t winner = winners[s.start];
      s = winner < 0 ? Segment{0, 0, 0} : Segment{groups_.rows[winner].source, groups_.rows[winner].row, 1};
    }
    return arrow::Status::OK();
  }

  /// Cuts -U and -D rows out of the segments.
  void DropRetracts() {
    std::vector<const int8_t*> kinds(sources_.size());
    for (size_t s = 0; s < sources_.size(); ++s) {
      const auto& data = *sources_[s]->column_data(layout_.kind_index());
      const int8_t* values = data.GetValues<int8_t>(1);
      const bool any = std::any_of(values, values + data.length, [](int8_t k) { return IsRetract(RowKind{k}); });
      kinds[s] = any ? values : nullptr;
    }
    std::vector<Segment> kept;
    kept.reserve(segments_.size());
    for (const Segment& s : segments_) {
      if (s.length == 0) continue;
      if (kinds[s.source] == nullptr) {
        kept.push_back(s);
        continue;
      }
      for (uint32_t i = s.start, end = s.start + s.length; i < end;) {
        while (i < end && IsRetract(RowKind{kinds[s.source][i]})) ++i;
        const uint32_t start = i;
        while (i < end && !IsRetract(RowKind{kinds[s.source][i]})) ++i;
        if (i > start) kept.push_back({s.source, start, i - start});
      }
    }
    segments_ = std::move(kept);
  }

  const KeyValueLayout layout_;
  const std::unique_ptr<MergeFunction> function_;
  MergeOptions options_;
  std::shared_ptr<arrow::Schema> input_schema_, schema_;
  std::vector<SortColumn> key_order_, sequence_order_;
  std::vector<Cursor> cursors_;
  std::optional<LoserTree<HeadLess>> tree_;

  // The output in the making.
  std::vector<std::shared_ptr<arrow::RecordBatch>> sources_;
  std::vector<int32_t> source_levels_;
  std::vector<SharedKeys> source_sequences_;
  std::vector<Segment> segments_;
  Groups groups_;
  int64_t pending_rows_ = 0;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MergeRuns(const KeyValueLayout& layout, std::vector<SortedRun> runs,
                                                                   std::unique_ptr<MergeFunction> function,
                                                                   MergeOptions options) {
  if (options.pool == nullptr) options.pool = arrow::default_memory_pool();
  auto reader = std::make_shared<MergeReader>(layout, std::move(function), std::move(options));
  ARROW_RETURN_NOT_OK(reader->Init(std::move(runs)));
  return reader;
}

}  // namespace bactrian
