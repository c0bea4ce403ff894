#include "bactrian/table/plan/table_plan.h"

#include "bactrian/table/plan/plan_statistics.h"
#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/split_reader.h"

namespace bactrian {

const PlanStatistics& TablePlan::statistics() const {
  std::call_once(statistics_once_, [this] { statistics_ = ComputeStatistics(*spec_, splits_, filtered_); });
  return statistics_;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> TablePlan::Read(const Split& split) const {
  const auto* data_split = dynamic_cast<const DataSplit*>(&split);
  if (!data_split) return Invalid("the split is not one of this plan");
  return MakeSplitReader(spec_, *data_split);
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> TablePlan::ReadAll() const {
  auto open = [spec = spec_, splits = splits_](size_t i) -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
    if (i == splits.size()) return nullptr;
    return MakeSplitReader(spec, static_cast<const DataSplit&>(*splits[i]));
  };
  return std::make_shared<ChainedReader>(spec_->schema, std::move(open), spec_->limit);
}

}  // namespace bactrian
