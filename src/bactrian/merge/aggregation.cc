#include "bactrian/merge/aggregation.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "bactrian/merge/computed_rows.h"

namespace bactrian {
namespace {

class Aggregation : public MergeFunction {
 public:
  Aggregation(const KeyValueLayout& layout, std::vector<std::shared_ptr<const Aggregator>> aggregators,
              bool remove_record_on_delete)
      : layout_(layout), aggregators_(std::move(aggregators)), remove_record_on_delete_(remove_record_on_delete) {}

  bool selects() const override { return false; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Compute(const Groups& groups, arrow::MemoryPool* pool) const override {
    std::vector<const int8_t*> kinds_of;
    for (const auto& source : groups.sources) {
      kinds_of.push_back(source->column_data(layout_.kind_index())->GetValues<int8_t>(1));
    }
    AggregateSteps steps;
    steps.steps.reserve(groups.rows.size());
    std::vector<int8_t> kinds;
    kinds.reserve(groups.num_groups());
    for (int64_t g = 0; g < groups.num_groups(); ++g) {
      bool deleted = false;
      for (uint32_t r = groups.offsets[g]; r < groups.offsets[g + 1]; ++r) {
        const RowRef& row = groups.rows[r];
        const RowKind kind{kinds_of[row.source][row.row]};
        deleted = remove_record_on_delete_ && kind == RowKind::kDelete;
        steps.steps.push_back({row, deleted           ? AggregateOp::kSet
                                    : IsRetract(kind) ? AggregateOp::kRetract
                                                      : AggregateOp::kAggregate});
      }
      steps.CloseGroup();
      kinds.push_back(static_cast<int8_t>(deleted ? RowKind::kDelete : RowKind::kInsert));
    }
    const std::vector<const AggregateSteps*> same(aggregators_.size(), &steps);
    return BuildComputedRows(layout_, groups, kinds, aggregators_, same, pool);
  }

 private:
  const KeyValueLayout layout_;
  const std::vector<std::shared_ptr<const Aggregator>> aggregators_;
  const bool remove_record_on_delete_;
};

}  // namespace

std::unique_ptr<MergeFunction> MakeAggregation(const KeyValueLayout& layout,
                                               std::vector<std::shared_ptr<const Aggregator>> aggregators,
                                               bool remove_record_on_delete) {
  return std::make_unique<Aggregation>(layout, std::move(aggregators), remove_record_on_delete);
}

}  // namespace bactrian
