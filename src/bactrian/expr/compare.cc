#include "bactrian/expr/compare.h"

#include <algorithm>

#include "bactrian/expr/like_pattern.h"

namespace bactrian {
namespace {

bool Holds(PredicateOp op, std::strong_ordering order) {
  switch (op) {
    case PredicateOp::kEqual:
      return order == 0;
    case PredicateOp::kNotEqual:
      return order != 0;
    case PredicateOp::kLess:
      return order < 0;
    case PredicateOp::kLessOrEqual:
      return order <= 0;
    case PredicateOp::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

std::optional<bool> EvaluateString(PredicateOp op, const std::string& text, const std::string& literal) {
  switch (op) {
    case PredicateOp::kStartsWith:
      return text.starts_with(literal);
    case PredicateOp::kEndsWith:
      return text.ends_with(literal);
    case PredicateOp::kContains:
      return text.find(literal) != std::string::npos;
    default:
      break;
  }
  arrow::Result<LikePattern> pattern = LikePattern::Parse(literal);
  if (!pattern.ok()) return std::nullopt;
  return pattern->Matches(text);
}

/// x IN (a, b) is x = a OR x = b, NOT IN its negation: null when nothing is equal and a literal is null.
std::optional<bool> EvaluateIn(const Predicate& leaf, const Value& value) {
  bool unknown = false;
  for (const Value& literal : leaf.literals()) {
    if (!AreComparable(value, literal)) {
      unknown = true;
    } else if (CompareValues(value, literal) == 0) {
      return leaf.op() == PredicateOp::kIn;
    }
  }
  if (unknown) return std::nullopt;
  return leaf.op() == PredicateOp::kNotIn;
}

}  // namespace

arrow::Status ValidateLeaf(const Predicate& leaf) {
  const size_t count = leaf.literals().size();
  if (IsListOp(leaf.op())) return arrow::Status::OK();
  const bool takes_none = IsNullOp(leaf.op()) || leaf.op() == PredicateOp::kTrue || leaf.op() == PredicateOp::kFalse;
  if (count != (takes_none ? 0 : 1)) {
    return Invalid("predicate '", leaf.ToString(), "' has ", count, " literals instead of ", takes_none ? 0 : 1);
  }
  if (!IsStringOp(leaf.op()) || IsNull(leaf.literals().front())) return arrow::Status::OK();
  const auto* text = std::get_if<std::string>(&leaf.literals().front());
  if (text == nullptr) return Invalid("predicate '", leaf.ToString(), "' needs a string literal");
  return leaf.op() == PredicateOp::kLike ? LikePattern::Parse(*text).status() : arrow::Status::OK();
}

std::optional<bool> EvaluateLeaf(const Predicate& leaf, const Value& value) {
  switch (leaf.op()) {
    case PredicateOp::kTrue:
      return true;
    case PredicateOp::kFalse:
      return false;
    case PredicateOp::kIsNull:
      return IsNull(value);
    case PredicateOp::kIsNotNull:
      return !IsNull(value);
    default:
      break;
  }
  if (IsNull(value)) return std::nullopt;
  if (IsListOp(leaf.op())) return EvaluateIn(leaf, value);
  if (leaf.literals().size() != 1 || !AreComparable(value, leaf.literals().front())) return std::nullopt;
  const Value& literal = leaf.literals().front();
  if (!IsStringOp(leaf.op())) return Holds(leaf.op(), CompareValues(value, literal));
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::nullopt : EvaluateString(leaf.op(), *text, std::get<std::string>(literal));
}

}  // namespace bactrian
