/// What happens to records of one key (format reference: merge.md §6). The merge finds groups of records with equal keys; a
/// function turns each into one row or none. A lone record never reaches a function: it is passed on as it is.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bactrian/data_type.h"
#include "bactrian/merge/gather.h"

namespace bactrian {

enum class RowKind : int8_t { kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3 };
inline bool IsRetract(RowKind kind) { return kind == RowKind::kUpdateBefore || kind == RowKind::kDelete; }

/// How the batches of a merge are laid out: the key's columns, _SEQUENCE_NUMBER (int64), _VALUE_KIND (int8), then the values.
struct KeyValueLayout {
  std::vector<Field> keys;
  std::vector<Field> values;

  int sequence_index() const { return static_cast<int>(keys.size()); }
  int kind_index() const { return sequence_index() + 1; }
  int value_index(int value) const { return kind_index() + 1 + value; }
  int num_columns() const { return value_index(static_cast<int>(values.size())); }
  /// ToArrowSchema of it; key columns keep their names.
  arrow::Result<std::shared_ptr<arrow::Schema>> ArrowSchema() const;
};

/// A row of one of the input batches of a Groups.
struct RowRef {
  uint32_t source = 0;
  uint32_t row = 0;
};

/// Groups of two or more records with equal keys, each in merge order: user sequence, then sequence number, then retract before
/// add.
struct Groups {
  std::span<const std::shared_ptr<arrow::RecordBatch>> sources;  ///< in the layout; stays valid during the call
  std::vector<RowRef> rows;
  std::vector<uint32_t> offsets{0};  ///< num_groups + 1, into rows
  std::vector<int32_t> levels;       ///< of each source

  int64_t num_groups() const { return static_cast<int64_t>(offsets.size()) - 1; }
};

/// Stateless between calls, used by one merge at a time.
class MergeFunction {
 public:
  virtual ~MergeFunction() = default;

  /// True: Select picks one of a group's records. False: Compute makes new rows.
  virtual bool selects() const = 0;
  /// `winners` has num_groups() elements: the index into groups.rows, or -1 for no row.
  virtual arrow::Status Select(const Groups& groups, int32_t* winners) const;
  /// A batch in the layout with num_groups() rows (kinds included); a row of kind -D counts as deleted.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> Compute(const Groups& groups, arrow::MemoryPool* pool) const;
};

/// The last record wins, deletes included; with ignore_delete the last one that is no retract (merge.md §6, deduplicate).
std::unique_ptr<MergeFunction> MakeDeduplicate(const KeyValueLayout& layout, bool ignore_delete);
/// The first record wins; a retract is kInvalid unless ignore_delete (merge.md §6, first-row).
std::unique_ptr<MergeFunction> MakeFirstRow(const KeyValueLayout& layout, bool ignore_delete);

}  // namespace bactrian
