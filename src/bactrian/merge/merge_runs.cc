#include "bactrian/merge/merge_runs.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "bactrian/merge/loser_tree.h"

namespace bactrian {
namespace {

using SharedKeys = std::shared_ptr<const SortKeys>;

constexpr uint32_t kNoSource = std::numeric_limits<uint32_t>::max();

/// One run: its current batch with keys, and where it stands. A batch becomes a source of the output when a row of it is first
/// used, and is none again once the output is handed out.
struct Cursor {
  SortedRun run;
  std::shared_ptr<arrow::RecordBatch> batch;
  SharedKeys keys, sequences;
  SharedKeys last_keys;  ///< of the batch before: its last row may still be compared with
  bool has_retracts = false;
  int64_t row = 0, num_rows = 0;
  uint32_t source = kNoSource;

  bool exhausted() const { return batch == nullptr; }
  /// The head as a number that orders like its key's first bytes.
  uint64_t head() const { return exhausted() ? UINT64_MAX : keys->prefix(row); }
};

class MergeReader : public arrow::RecordBatchReader {
 public:
  explicit MergeReader(std::unique_ptr<MergedRows> output) : output_(std::move(output)) {}

  arrow::Status Init(std::vector<SortedRun> runs) {
    const KeyValueLayout& layout = output_->layout();
    const MergeOptions& options = output_->options();
    for (const Field& key : layout.keys) key_order_.push_back({key.type, false});
    for (const int value : options.sequence_values) {
      sequence_order_.push_back({layout.values[value].type, options.sequence_descending});
    }
    cursors_.resize(runs.size());
    std::vector<uint64_t> heads;
    for (size_t i = 0; i < runs.size(); ++i) {
      cursors_[i].run = std::move(runs[i]);
      ARROW_RETURN_NOT_OK(LoadBatch(&cursors_[i]));
      heads.push_back(cursors_[i].head());
    }
    if (!cursors_.empty()) tree_.emplace(heads, TieLess{&cursors_});
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return output_->schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    while (*out == nullptr && tree_ && !winner().exhausted()) {
      while (left() > 0 && !winner().exhausted()) ARROW_RETURN_NOT_OK(Step());
      ARROW_ASSIGN_OR_RAISE(*out, output_->Flush());
      for (Cursor& cursor : cursors_) cursor.source = kNoSource;
    }
    return arrow::Status::OK();
  }

 private:
  struct TieLess {
    const std::vector<Cursor>* cursors;
    bool operator()(int a, int b) const {
      const Cursor &x = (*cursors)[a], &y = (*cursors)[b];
      if (x.exhausted() || y.exhausted()) return !x.exhausted();
      const int order = x.keys->Compare(x.row, *y.keys, y.row);
      return order != 0 ? order < 0 : a < b;
    }
  };

  Cursor& winner() { return cursors_[tree_->winner()]; }
  /// Keys that the batch in the making still takes.
  int64_t left() const { return output_->options().batch_rows - output_->num_keys(); }

  arrow::Status LoadBatch(Cursor* cursor) {
    do {
      ARROW_RETURN_NOT_OK(cursor->run.reader->ReadNext(&cursor->batch));
    } while (cursor->batch != nullptr && cursor->batch->num_rows() == 0);
    cursor->row = 0;
    cursor->source = kNoSource;
    cursor->last_keys = std::move(cursor->keys);
    if (cursor->batch == nullptr) return arrow::Status::OK();
    cursor->num_rows = cursor->batch->num_rows();
    cursor->has_retracts = HasRetracts(output_->layout(), *cursor->batch);
    arrow::ArrayVector columns;
    for (size_t i = 0; i < key_order_.size(); ++i) columns.push_back(cursor->batch->column(static_cast<int>(i)));
    ARROW_ASSIGN_OR_RAISE(cursor->keys, MakeKeys(key_order_, columns));
    if (sequence_order_.empty()) return arrow::Status::OK();
    columns.clear();
    for (const int value : output_->options().sequence_values) {
      columns.push_back(cursor->batch->column(output_->layout().value_index(value)));
    }
    return MakeKeys(sequence_order_, columns).Value(&cursor->sequences);
  }

  static arrow::Result<SharedKeys> MakeKeys(const std::vector<SortColumn>& order, const arrow::ArrayVector& columns) {
    ARROW_ASSIGN_OR_RAISE(SortKeys keys, SortKeys::Make(order, columns));
    return std::make_shared<const SortKeys>(std::move(keys));
  }

  uint32_t SourceOf(Cursor* cursor) {
    if (cursor->source == kNoSource) {
      cursor->source = output_->AddSource({.batch = cursor->batch,
                                           .level = cursor->run.level,
                                           .sequences = cursor->sequences,
                                           .has_retracts = cursor->has_retracts});
    }
    return cursor->source;
  }

  /// Moves the winner on and restores the tree.
  arrow::Status Advance(Cursor* cursor, int64_t rows) {
    cursor->row += rows;
    if (cursor->row == cursor->num_rows) ARROW_RETURN_NOT_OK(LoadBatch(cursor));
    tree_->Replay(cursor->head());
    return arrow::Status::OK();
  }

  /// Takes the next key: one record or a group, or, from a run that keeps winning, a stretch that no other run touches.
  arrow::Status Step() {
    const int stream = tree_->winner();
    Cursor& cursor = cursors_[stream];
    wins_ = stream == last_winner_ ? wins_ + 1 : 0;
    last_winner_ = stream;
    if (wins_ >= kWinsToGallop) {
      wins_ = 0;
      const int64_t length = Gallop(cursor);
      if (length > 0) {
        output_->AddRows(SourceOf(&cursor), cursor.row, length);
        return Advance(&cursor, length);
      }
    }
    const RowRef record{SourceOf(&cursor), static_cast<uint32_t>(cursor.row)};
    const SortKeys* keys = cursor.keys.get();
    ARROW_RETURN_NOT_OK(Advance(&cursor, 1));
    // Of the runs with the same key one has lost against this run and wins now.
    if (!output_->options().only_interleave && !winner().exhausted() &&
        winner().keys->Compare(winner().row, *keys, record.row) == 0) {
      return TakeGroup(record, cursor.keys.get() == keys ? cursor.keys : cursor.last_keys);
    }
    output_->AddRows(record.source, record.row, 1);
    return arrow::Status::OK();
  }

  /// How many rows from the winner's head lie below all other heads and fit the output. Doubling, then binary search.
  int64_t Gallop(const Cursor& cursor) {
    const int64_t limit = std::min(cursor.num_rows - cursor.row, left());
    const int runner_up = tree_->RunnerUp();
    if (runner_up < 0 || cursors_[runner_up].exhausted()) return limit;
    const Cursor& next = cursors_[runner_up];
    const auto below = [&](int64_t i) { return cursor.keys->Compare(cursor.row + i, *next.keys, next.row) < 0; };
    int64_t low = 0, high = 1;  // rows before `low` lie below
    while (high <= limit && below(high - 1)) {
      low = high;
      high *= 2;
    }
    high = std::min(high - 1, limit);  // the first that may not
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (below(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  arrow::Status TakeGroup(const RowRef& first, const SharedKeys& shared_keys) {
    const SharedKeys keys = shared_keys;  // the cursor that held it may move on
    group_.assign(1, first);
    while (!winner().exhausted() && winner().keys->Compare(winner().row, *keys, first.row) == 0) {
      Cursor& cursor = winner();
      group_.push_back({SourceOf(&cursor), static_cast<uint32_t>(cursor.row)});
      ARROW_RETURN_NOT_OK(Advance(&cursor, 1));
    }
    output_->AddGroup(group_);
    return arrow::Status::OK();
  }

  static constexpr int kWinsToGallop = 4;

  const std::unique_ptr<MergedRows> output_;
  std::vector<SortColumn> key_order_, sequence_order_;
  std::vector<Cursor> cursors_;
  std::optional<LoserTree<TieLess>> tree_;
  int last_winner_ = -1, wins_ = 0;
  std::vector<RowRef> group_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MergeRuns(const KeyValueLayout& layout, std::vector<SortedRun> runs,
                                                                   std::unique_ptr<MergeFunction> function,
                                                                   MergeOptions options) {
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<MergedRows> output, MergedRows::Make(layout, std::move(function), std::move(options)));
  auto reader = std::make_shared<MergeReader>(std::move(output));
  ARROW_RETURN_NOT_OK(reader->Init(std::move(runs)));
  return reader;
}

}  // namespace bactrian
