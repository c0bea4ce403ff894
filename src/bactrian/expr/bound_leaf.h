/// Comparisons bound to a column: one typed loop over an array, chosen when the predicate is bound.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/expr/evaluate.h"

namespace bactrian {

/// A comparison that is never true for null. Takes care of nulls and of dictionaries; a subclass loops over plain values.
class BoundLeaf : public BoundPredicate {
 public:
  BoundLeaf(int position, std::string column) : position_(position), column_(std::move(column)) {}
  arrow::Status Evaluate(const arrow::RecordBatch& batch, uint8_t* mask) const final;

 protected:
  /// Whether Fill understands arrays of `type`.
  virtual bool Accepts(const arrow::DataType& type) const = 0;
  /// One byte, 0 or 1, for each of `values`; what it says of nulls does not matter.
  virtual void Fill(const arrow::Array& values, uint8_t* mask) const = 0;

 private:
  arrow::Status EvaluateArray(const arrow::Array& values, uint8_t* mask) const;
  arrow::Status EvaluateDictionary(const arrow::DictionaryArray& values, uint8_t* mask) const;

  int position_;
  std::string column_;
};

/// The operator and the non-null literals of a comparison whose answer depends on the value.
struct Comparison {
  PredicateOp op;
  std::vector<Value> literals;
};

/// For BOOLEAN, numbers, DATE, TIME and timestamps.
std::shared_ptr<const BoundPredicate> BindKeyLeaf(const Comparison& comparison, const Field& field, int position);

/// For CHAR, VARCHAR, BINARY and VARBINARY.
std::shared_ptr<const BoundPredicate> BindTextLeaf(const Comparison& comparison, const Field& field, int position);

/// Sets the bytes of null rows to 0. Dictionaries: of rows whose index is null.
void ClearNulls(const arrow::Array& values, uint8_t* mask);

}  // namespace bactrian
