/// Filters as trees of comparisons between a column and literals.
///
///   auto p = Predicate::And({Predicate::Compare(PredicateOp::kGreaterOrEqual, "price", {Value{int64_t{10}}}),
///                            Predicate::Compare(PredicateOp::kIsNotNull, "name")});
///
/// Three-valued logic as in SQL: a row passes when the predicate is true, not when it is null. Immutable, shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bactrian/value.h"

namespace bactrian {

enum class PredicateOp : uint8_t {
  // Of children.
  kAnd,
  kOr,
  // Without a literal.
  kIsNull,
  kIsNotNull,
  // With one literal.
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  // With any number of literals; a null literal makes NOT IN null for every row.
  kIn,
  kNotIn,
  // With one string literal. LIKE has % and _ as wildcards, \ before them and before itself.
  kStartsWith,
  kEndsWith,
  kContains,
  kLike,
  // Constants.
  kTrue,
  kFalse,
};

class Predicate;
using PredicatePtr = std::shared_ptr<const Predicate>;

class BACTRIAN_EXPORT Predicate {
 public:
  /// Flatten nested ones of the same kind, fold constants and skip null pointers; one child is that child itself.
  static PredicatePtr And(std::vector<PredicatePtr> children);  ///< empty is kTrue
  static PredicatePtr Or(std::vector<PredicatePtr> children);   ///< empty is kFalse
  static PredicatePtr Compare(PredicateOp op, std::string column, std::vector<Value> literals = {});
  static PredicatePtr True();
  static PredicatePtr False();

  PredicateOp op() const { return op_; }
  const std::vector<PredicatePtr>& children() const { return children_; }
  const std::string& column() const { return column_; }             ///< top-level column name
  const std::vector<Value>& literals() const { return literals_; }  ///< of the column's type

  std::string ToString() const;

 private:
  Predicate() = default;
  static PredicatePtr Constant(PredicateOp op);
  static PredicatePtr Join(PredicateOp op, std::vector<PredicatePtr> children);

  PredicateOp op_ = PredicateOp::kTrue;
  std::vector<PredicatePtr> children_;
  std::string column_;
  std::vector<Value> literals_;
};

/// The conjuncts of `predicate` (itself if it is no AND; none for null and kTrue).
BACTRIAN_EXPORT std::vector<PredicatePtr> SplitConjuncts(const PredicatePtr& predicate);

/// Names of the columns it reads, each once, in order of appearance.
BACTRIAN_EXPORT std::vector<std::string> ColumnsOf(const PredicatePtr& predicate);

}  // namespace bactrian
