#pragma once

#include <memory>
#include <vector>

#include "bactrian/merge/aggregator.h"
#include "bactrian/merge/merge_function.h"

namespace bactrian {

/// Columns that move together, ordered by their own sequence fields. Indices of value columns.
struct SequenceGroup {
  std::vector<int> sequence_fields;
  std::vector<int> fields;
  bool removes_record = false;  ///< option partial-update.remove-record-on-sequence-group names one of its sequence fields
};

struct PartialUpdateOptions {
  bool ignore_delete = false;
  bool remove_record_on_delete = false;
  std::vector<SequenceGroup> groups = {};  ///< those of which a column is read
  bool has_groups = false;                 ///< the table has groups, read or not, so that retracts are no error
  /// One a value column; null where the column has none, so that a non-null value overwrites.
  std::vector<std::shared_ptr<const Aggregator>> aggregators = {};
  std::vector<bool> is_primary_key = {};  ///< one a value column
};

/// Merge engine partial-update (merge.md §6, partial-update).
arrow::Result<std::unique_ptr<MergeFunction>> MakePartialUpdate(const KeyValueLayout& layout, PartialUpdateOptions options);

}  // namespace bactrian
