/// A comparison of one value with literals, the row-wise meaning that every other evaluation must agree with.
#pragma once

#include <optional>

#include "bactrian/predicate.h"

namespace bactrian {

inline bool IsStringOp(PredicateOp op) { return op >= PredicateOp::kStartsWith && op <= PredicateOp::kLike; }
inline bool IsListOp(PredicateOp op) { return op == PredicateOp::kIn || op == PredicateOp::kNotIn; }
inline bool IsNullOp(PredicateOp op) { return op == PredicateOp::kIsNull || op == PredicateOp::kIsNotNull; }

/// Whether two values may be handed to CompareValues: neither is null, both are of the same kind.
inline bool AreComparable(const Value& a, const Value& b) { return !IsNull(a) && a.index() == b.index(); }

/// kInvalid when `leaf` has another number or kind of literals than its operator takes, or a malformed LIKE pattern.
arrow::Status ValidateLeaf(const Predicate& leaf);

/// What a valid leaf (no AND, OR) gives for `value` of its column; nullopt is null, also for literals of another kind.
std::optional<bool> EvaluateLeaf(const Predicate& leaf, const Value& value);

}  // namespace bactrian
