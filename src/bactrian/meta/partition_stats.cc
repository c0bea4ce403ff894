#include "bactrian/meta/partition_stats.h"

#include "bactrian/types/binary_row.h"
#include "bactrian/value.h"

namespace bactrian {

void PartitionStatsCollector::Add(std::string_view partition) { ++entries_[std::string(partition)]; }

arrow::Result<SimpleStats> PartitionStatsCollector::Finish() const {
  std::vector<Value> min(types_.size()), max(types_.size());
  std::vector<std::optional<int64_t>> null_counts(types_.size(), 0);
  for (const auto& [partition, count] : entries_) {
    ARROW_ASSIGN_OR_RAISE(const std::vector<Value> values, DecodeSerializedRow(partition, types_));
    for (size_t i = 0; i < types_.size(); ++i) {
      if (IsNull(values[i])) {
        *null_counts[i] += count;
        continue;
      }
      if (IsNull(min[i]) || CompareValues(values[i], min[i]) < 0) min[i] = values[i];
      if (IsNull(max[i]) || CompareValues(values[i], max[i]) > 0) max[i] = values[i];
    }
  }
  SimpleStats stats;
  ARROW_ASSIGN_OR_RAISE(stats.min_values, EncodeSerializedRow(types_, min));
  ARROW_ASSIGN_OR_RAISE(stats.max_values, EncodeSerializedRow(types_, max));
  stats.null_counts = std::move(null_counts);
  return stats;
}

SimpleStats SimpleStats::Empty() { return {std::string(EmptySerializedRow()), std::string(EmptySerializedRow()), {}}; }

}  // namespace bactrian
