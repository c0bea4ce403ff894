/// Exact evaluation of predicates over Arrow batches, and what bounds can tell.
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "bactrian/data_type.h"
#include "bactrian/predicate.h"

namespace bactrian {

/// A predicate bound to columns by position, ready for many batches. Immutable; threads may share it. Columns may be
/// plain, view, large or dictionary arrays of the Paimon type's Arrow type.
class BoundPredicate {
 public:
  /// kInvalid for an unknown column, kUnsupported for one of a type without order or equality.
  static arrow::Result<std::shared_ptr<const BoundPredicate>> Bind(const PredicatePtr& predicate,
                                                                   std::span<const Field> fields);
  virtual ~BoundPredicate() = default;
  /// One byte a row, 1 where the predicate is true. `mask` has batch.num_rows() bytes.
  virtual arrow::Status Evaluate(const arrow::RecordBatch& batch, uint8_t* mask) const = 0;
};

/// The rows for which `mask` is 1, zero-copy where all or none are.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> FilterByMask(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                                const uint8_t* mask, arrow::MemoryPool* pool);

/// What is known of a column in a file, page, manifest or partition.
struct ColumnBounds {
  std::optional<Value> min, max;      ///< absent: unknown. Never null inside.
  std::optional<int64_t> null_count;  ///< absent: unknown
};

/// Can a row group with these bounds hold a row for which the predicate is true? Conservative: true when in doubt (a bound
/// that is NaN, an unknown null count, a column not in `bounds_of`). `bounds_of` returns nullopt for an unknown column.
bool MayMatch(const Predicate& predicate, int64_t num_rows,
              const std::function<std::optional<ColumnBounds>(std::string_view column)>& bounds_of);

/// The predicate's value for one row of constants (partition values). nullopt: null.
std::optional<bool> EvaluateRow(const Predicate& predicate,
                                const std::function<const Value*(std::string_view column)>& value_of);

}  // namespace bactrian
