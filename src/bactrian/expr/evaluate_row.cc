#include "bactrian/expr/compare.h"
#include "bactrian/expr/evaluate.h"

namespace bactrian {

std::optional<bool> EvaluateRow(const Predicate& predicate,
                                const std::function<const Value*(std::string_view column)>& value_of) {
  if (predicate.op() != PredicateOp::kAnd && predicate.op() != PredicateOp::kOr) {
    static const Value null;
    const Value* value = predicate.column().empty() ? nullptr : value_of(predicate.column());
    return EvaluateLeaf(predicate, value == nullptr ? null : *value);
  }
  const bool dominant = predicate.op() == PredicateOp::kOr;
  bool unknown = false;
  for (const PredicatePtr& child : predicate.children()) {
    const std::optional<bool> value = EvaluateRow(*child, value_of);
    if (value == dominant) return dominant;
    unknown |= !value.has_value();
  }
  if (unknown) return std::nullopt;
  return !dominant;
}

}  // namespace bactrian
