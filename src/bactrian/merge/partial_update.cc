#include "bactrian/merge/partial_update.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <optional>

#include "bactrian/merge/computed_rows.h"
#include "bactrian/merge/sort_keys.h"

namespace bactrian {
namespace {

/// Turns records into steps of every column, group by group. Each column's value is either overwritten (kSet, kClear),
/// overwritten where not null (kAggregate of last_non_null_value, the default aggregator), or aggregated.
class StepMaker {
 public:
  StepMaker(const KeyValueLayout& layout, const PartialUpdateOptions& options, const Groups& groups)
      : layout_(layout), options_(options), groups_(groups), steps_(layout.values.size()), current_(options.groups.size()) {
    for (size_t v = 0; v < layout.values.size(); ++v)
      columns_.push_back(ColumnOf(groups, layout.value_index(static_cast<int>(v))));
    grouped_.resize(layout.values.size(), false);
    for (const SequenceGroup& group : options.groups) {
      for (const int v : group.sequence_fields) grouped_[v] = true;
      for (const int v : group.fields) grouped_[v] = true;
    }
  }

  arrow::Status Run() {
    ARROW_RETURN_NOT_OK(MakeSequenceKeys());
    for (int64_t g = 0; g < groups_.num_groups(); ++g) {
      std::fill(current_.begin(), current_.end(), std::nullopt);
      filled_ = added_ = deleted_ = false;
      for (uint32_t r = groups_.offsets[g]; r < groups_.offsets[g + 1]; ++r) {
        const RowRef& record = groups_.rows[r];
        const RowKind kind{groups_.sources[record.source]->column_data(layout_.kind_index())->GetValues<int8_t>(1)[record.row]};
        if (IsRetract(kind)) {
          ARROW_RETURN_NOT_OK(Retract(record, kind));
        } else {
          Add(record);
        }
      }
      for (AggregateSteps& steps : steps_) steps.CloseGroup();
      kinds_.push_back(static_cast<int8_t>(added_ && !deleted_ ? RowKind::kInsert : RowKind::kDelete));
    }
    return arrow::Status::OK();
  }

  const std::vector<AggregateSteps>& steps() const { return steps_; }
  const std::vector<int8_t>& kinds() const { return kinds_; }

 private:
  arrow::Status MakeSequenceKeys() {
    keys_.resize(options_.groups.size());
    for (size_t g = 0; g < options_.groups.size(); ++g) {
      std::vector<SortColumn> order;
      for (const int v : options_.groups[g].sequence_fields)
        order.push_back({layout_.values[v].type->WithNullable(true), false});
      for (const auto& source : groups_.sources) {
        std::vector<std::shared_ptr<arrow::Array>> columns;
        for (const int v : options_.groups[g].sequence_fields) columns.push_back(source->column(layout_.value_index(v)));
        ARROW_ASSIGN_OR_RAISE(keys_[g].emplace_back(), SortKeys::Make(order, columns));
      }
    }
    return arrow::Status::OK();
  }

  void Step(int value, const RowRef& record, AggregateOp op) { steps_[value].steps.push_back({record, op}); }

  void SetRow(const RowRef& record) {
    for (size_t v = 0; v < steps_.size(); ++v) Step(static_cast<int>(v), record, AggregateOp::kSet);
    for (size_t g = 0; g < current_.size(); ++g) current_[g] = record;
  }

  bool AllSequencesNull(const SequenceGroup& group, const RowRef& record) const {
    return std::all_of(group.sequence_fields.begin(), group.sequence_fields.end(),
                       [&](int v) { return columns_[v][record.source]->IsNull(record.row); });
  }

  /// Whether the record's sequence is at or above the one that the row stands at.
  bool AtOrAbove(size_t g, const RowRef& record) const {
    if (!current_[g]) return true;
    return keys_[g][record.source].Compare(record.row, keys_[g][current_[g]->source], current_[g]->row) >= 0;
  }

  void MoveSequence(size_t g, const RowRef& record) {
    current_[g] = record;
    for (const int v : options_.groups[g].sequence_fields) Step(v, record, AggregateOp::kSet);
  }

  void Add(const RowRef& record) {
    added_ = filled_ = true;
    deleted_ = false;
    for (size_t v = 0; v < steps_.size(); ++v) {
      if (options_.is_primary_key[v]) {
        Step(static_cast<int>(v), record, AggregateOp::kSet);
      } else if (!grouped_[v]) {
        Step(static_cast<int>(v), record, AggregateOp::kAggregate);
      }
    }
    for (size_t g = 0; g < options_.groups.size(); ++g) {
      const SequenceGroup& group = options_.groups[g];
      if (AllSequencesNull(group, record)) continue;
      const bool newer = AtOrAbove(g, record);
      if (newer) MoveSequence(g, record);
      for (const int v : group.fields) {
        if (options_.aggregators[v] != nullptr) {
          Step(v, record, newer ? AggregateOp::kAggregate : AggregateOp::kAggregateReversed);
        } else if (newer) {
          Step(v, record, AggregateOp::kSet);
        }
      }
    }
  }

  arrow::Status Retract(const RowRef& record, RowKind kind) {
    if (!filled_) SetRow(record);
    filled_ = true;
    if (options_.ignore_delete) return arrow::Status::OK();
    if (options_.has_groups || !options_.groups.empty()) {
      RetractGroups(record, kind);
      return arrow::Status::OK();
    }
    if (!options_.remove_record_on_delete) {
      return Invalid(
          "merge engine partial-update takes no -U or -D records: set ignore-delete, "
          "partial-update.remove-record-on-delete or a sequence group");
    }
    if (kind == RowKind::kDelete) {
      SetRow(record);
      deleted_ = true;
    }
    return arrow::Status::OK();
  }

  void RetractGroups(const RowRef& record, RowKind kind) {
    for (size_t g = 0; g < options_.groups.size(); ++g) {
      const SequenceGroup& group = options_.groups[g];
      if (AllSequencesNull(group, record)) continue;
      const bool newer = AtOrAbove(g, record);
      if (newer && kind == RowKind::kDelete && group.removes_record) {
        SetRow(record);
        deleted_ = true;
        return;
      }
      if (newer) MoveSequence(g, record);
      for (const int v : group.fields) {
        if (options_.aggregators[v] != nullptr) {
          Step(v, record, AggregateOp::kRetract);
        } else if (newer) {
          Step(v, record, AggregateOp::kClear);
        }
      }
    }
  }

  const KeyValueLayout& layout_;
  const PartialUpdateOptions& options_;
  const Groups& groups_;
  std::vector<std::vector<std::shared_ptr<arrow::Array>>> columns_;  ///< [value][source]
  std::vector<bool> grouped_;
  std::vector<std::vector<SortKeys>> keys_;  ///< [sequence group][source]
  std::vector<AggregateSteps> steps_;        ///< of each value column
  std::vector<int8_t> kinds_;

  // Of the group of records at hand.
  std::vector<std::optional<RowRef>> current_;  ///< the record whose sequence each sequence group stands at
  bool filled_ = false, added_ = false, deleted_ = false;
};

class PartialUpdate : public MergeFunction {
 public:
  PartialUpdate(const KeyValueLayout& layout, PartialUpdateOptions options,
                std::vector<std::shared_ptr<const Aggregator>> column_aggregators)
      : layout_(layout), options_(std::move(options)), column_aggregators_(std::move(column_aggregators)) {}

  bool selects() const override { return false; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Compute(const Groups& groups, arrow::MemoryPool* pool) const override {
    StepMaker maker(layout_, options_, groups);
    ARROW_RETURN_NOT_OK(maker.Run());
    std::vector<const AggregateSteps*> steps;
    for (const AggregateSteps& column : maker.steps()) steps.push_back(&column);
    return BuildComputedRows(layout_, groups, maker.kinds(), column_aggregators_, steps, pool);
  }

 private:
  const KeyValueLayout layout_;
  const PartialUpdateOptions options_;
  const std::vector<std::shared_ptr<const Aggregator>> column_aggregators_;  ///< options_.aggregators without gaps
};

}  // namespace

arrow::Result<std::unique_ptr<MergeFunction>> MakePartialUpdate(const KeyValueLayout& layout, PartialUpdateOptions options) {
  std::vector<std::shared_ptr<const Aggregator>> column_aggregators = options.aggregators;
  for (size_t v = 0; v < column_aggregators.size(); ++v) {
    if (column_aggregators[v] != nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(column_aggregators[v], Aggregator::Make("last_non_null_value", layout.values[v], {}));
  }
  return std::make_unique<PartialUpdate>(layout, std::move(options), std::move(column_aggregators));
}

}  // namespace bactrian
