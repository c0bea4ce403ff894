#pragma once

#include <memory>
#include <vector>

#include "bactrian/merge/aggregator.h"
#include "bactrian/merge/merge_function.h"

namespace bactrian {

/// Merge engine aggregation: each value column by its own function. With `remove_record_on_delete` a -D record starts the row
/// over from its values and marks it deleted until the next record (merge.md §6, aggregation).
std::unique_ptr<MergeFunction> MakeAggregation(const KeyValueLayout& layout,
                                               std::vector<std::shared_ptr<const Aggregator>> aggregators,
                                               bool remove_record_on_delete);

}  // namespace bactrian
