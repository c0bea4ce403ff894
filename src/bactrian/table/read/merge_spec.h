#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "bactrian/expr/evaluate.h"
#include "bactrian/merge/merge_runs.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// What merging a scan's files by key needs (merge.md §10). Immutable, shared by readers.
struct MergeSpec {
  std::shared_ptr<const ReadSpec> scan;
  /// Of files that overlap others: the layout's values, keys that are none of them, sequence number and kind; filtered by key
  /// only.
  std::shared_ptr<const ReadSpec> overlapping;
  /// Of files that overlap none, with the whole filter: the scan's fields, and after them the kind where `alone_adds_kind`.
  std::shared_ptr<const ReadSpec> alone;
  bool alone_adds_kind = false;
  KeyValueLayout layout;
  std::shared_ptr<arrow::Schema> layout_schema;
  std::vector<int> key_columns;  ///< of the layout: where they are in a file's batch, which begins with the layout's values
  MergeOptions options;
  std::vector<Field> output;                          ///< what options.output_columns gives: the scan's fields come first
  std::shared_ptr<const BoundPredicate> residual;     ///< over `output`; may be null
  bool sequence_of_file = false;                      ///< option sequence.snapshot-ordering
  bool shows_sequences = false, shows_kinds = false;  ///< `output` has them
};

arrow::Result<std::shared_ptr<const MergeSpec>> MakeMergeSpec(std::shared_ptr<const ReadSpec> scan);

/// A file's batches in the merge's layout: `source` reads the fields of spec->overlapping. Where it lacks the sequence number
/// that is `file_sequence`, where it lacks the kind that is +I.
std::shared_ptr<arrow::RecordBatchReader> MakeLayoutReader(std::shared_ptr<const MergeSpec> spec,
                                                           std::shared_ptr<arrow::RecordBatchReader> source,
                                                           int64_t file_sequence);

}  // namespace bactrian
