/// Casts with the reference's results, for reading files of an older schema and for defaults (format reference: schema.md §6).
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>

#include "bactrian/data_type.h"
#include "bactrian/value.h"

namespace bactrian {

/// Whether ALTER TYPE allows the change.
bool SupportsCast(const DataType& from, const DataType& to, bool allow_explicit);

/// A compiled cast. Immutable, shared by threads.
class Cast {
 public:
  /// kUnsupported when there is no executor. Nullability is ignored. Nested types are matched by field id.
  static arrow::Result<std::shared_ptr<const Cast>> Make(const TypePtr& from, const TypePtr& to);
  virtual ~Cast() = default;
  /// An array of ToArrowType(to) from one of ToArrowType(from). Text that does not parse is kInvalid, as in the reference.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Apply(const std::shared_ptr<arrow::Array>& array,
                                                             arrow::MemoryPool* pool) const = 0;
};

/// The literal of the query's type as one of the file's older type such that comparing in the file's type gives the same
/// answer; nullopt when there is none (then the predicate is not pushed).
std::optional<Value> CastLiteralToDataType(const Value& literal, const DataType& query_type, const DataType& data_type);

/// Whether bounds in `from` stay bounds after the cast to `to` (the cast keeps order).
bool CastKeepsOrder(const DataType& from, const DataType& to);

}  // namespace bactrian
