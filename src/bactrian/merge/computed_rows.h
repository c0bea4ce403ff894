#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <vector>

#include "bactrian/merge/aggregator.h"
#include "bactrian/merge/merge_function.h"

namespace bactrian {

/// Column `index` of every source.
std::vector<std::shared_ptr<arrow::Array>> ColumnOf(const Groups& groups, int index);

/// A batch in the layout with one row a group: key and sequence number of the group's last record, `kinds`, and value column i
/// as aggregators[i] makes it from *steps[i].
arrow::Result<std::shared_ptr<arrow::RecordBatch>> BuildComputedRows(
    const KeyValueLayout& layout, const Groups& groups, const std::vector<int8_t>& kinds,
    std::span<const std::shared_ptr<const Aggregator>> aggregators, std::span<const AggregateSteps* const> steps,
    arrow::MemoryPool* pool);

}  // namespace bactrian
