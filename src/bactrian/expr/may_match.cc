#include <algorithm>
#include <cmath>

#include "bactrian/expr/compare.h"
#include "bactrian/expr/evaluate.h"
#include "bactrian/expr/like_pattern.h"

namespace bactrian {
namespace {

using BoundsOf = std::function<std::optional<ColumnBounds>(std::string_view column)>;

template <typename Float>
void WidenZero(std::optional<Value>* bound, Float replacement) {
  const Float* value = bound->has_value() ? std::get_if<Float>(&**bound) : nullptr;
  if (value == nullptr) return;
  if (std::isnan(*value)) {
    bound->reset();
  } else if (*value == 0) {
    *bound = replacement;
  }
}

/// What bounds promise of the non-null values of a column, after dropping what cannot be trusted: NaN bounds, bounds that
/// contradict each other, impossible null counts. A zero bound covers both zeros: writers differ in which one they record.
struct KnownRange {
  std::optional<Value> min, max;
  bool may_hold_nan = false;  ///< writers leave NaN out of the bounds, and NaN is above them all
  std::optional<int64_t> null_count;

  KnownRange(ColumnBounds bounds, int64_t num_rows) : min(std::move(bounds.min)), max(std::move(bounds.max)) {
    if (bounds.null_count.has_value() && *bounds.null_count >= 0 && *bounds.null_count <= num_rows) {
      null_count = bounds.null_count;
    }
    may_hold_nan = IsFloating(min) || IsFloating(max);
    WidenZero(&min, -0.0F);
    WidenZero(&min, -0.0);
    WidenZero(&max, 0.0F);
    WidenZero(&max, 0.0);
    if (min.has_value() && max.has_value() && (!AreComparable(*min, *max) || CompareValues(*min, *max) > 0)) {
      min.reset();
      max.reset();
    }
  }

  bool is_of_other_kind(const Value& literal) const {
    return (min.has_value() && !AreComparable(*min, literal)) || (max.has_value() && !AreComparable(*max, literal));
  }
  bool holds_one_value() const { return min.has_value() && max.has_value() && !may_hold_nan && CompareValues(*min, *max) == 0; }
  // No value can be on the other side of the literal, which is of the bounds' kind.
  bool all_at_least(const Value& literal) const { return min.has_value() && CompareValues(*min, literal) >= 0; }
  bool all_above(const Value& literal) const { return min.has_value() && CompareValues(*min, literal) > 0; }
  bool all_at_most(const Value& literal) const { return max.has_value() && !may_hold_nan && CompareValues(*max, literal) <= 0; }
  bool all_below(const Value& literal) const { return max.has_value() && !may_hold_nan && CompareValues(*max, literal) < 0; }
  bool may_equal(const Value& literal) const {
    if (all_above(literal) || all_below(literal)) return false;
    // A number above the bound is not there even where NaN may be.
    if (!may_hold_nan || IsNan(literal) || !max.has_value()) return true;
    return CompareValues(*max, literal) >= 0;
  }

 private:
  static bool IsFloating(const std::optional<Value>& bound) {
    return bound.has_value() && (std::holds_alternative<float>(*bound) || std::holds_alternative<double>(*bound));
  }
  static bool IsNan(const Value& value) {
    if (const auto* number = std::get_if<float>(&value)) return std::isnan(*number);
    if (const auto* number = std::get_if<double>(&value)) return std::isnan(*number);
    return false;
  }
};

/// Some text between the bounds starts with `prefix`: the maximum is not below it, and the minimum not above all that start
/// with it. Holds for shortened bounds too, as they still enclose the values.
bool MayStartWith(const KnownRange& range, const std::string& prefix) {
  const Value literal = prefix;
  if (range.all_below(literal)) return false;
  const auto* min = range.min.has_value() ? std::get_if<std::string>(&*range.min) : nullptr;
  return min == nullptr || std::string_view(*min).substr(0, prefix.size()) <= prefix;
}

bool MayBeLike(const KnownRange& range, const Value& literal) {
  const auto* text = std::get_if<std::string>(&literal);
  arrow::Result<LikePattern> pattern = text == nullptr ? Invalid("no string") : LikePattern::Parse(*text);
  if (!pattern.ok()) return true;
  return pattern->is_exact() ? range.may_equal(pattern->prefix()) : MayStartWith(range, pattern->prefix());
}

bool MayBeIn(const KnownRange& range, const std::vector<Value>& literals) {
  for (const Value& literal : literals) {
    if (!IsNull(literal) && range.may_equal(literal)) return true;
  }
  return false;
}

/// For a leaf that no null satisfies, over at least one non-null value.
bool MayCompare(const Predicate& leaf, const KnownRange& range) {
  for (const Value& literal : leaf.literals()) {
    if (!IsNull(literal) && range.is_of_other_kind(literal)) return true;
  }
  if (range.holds_one_value()) return EvaluateLeaf(leaf, *range.min).value_or(false);
  if (leaf.op() == PredicateOp::kIn) return MayBeIn(range, leaf.literals());
  if (leaf.op() == PredicateOp::kNotIn) return true;
  const Value& literal = leaf.literals().front();
  switch (leaf.op()) {
    case PredicateOp::kEqual:
      return range.may_equal(literal);
    case PredicateOp::kLess:
      return !range.all_at_least(literal);
    case PredicateOp::kLessOrEqual:
      return !range.all_above(literal);
    case PredicateOp::kGreater:
      return !range.all_at_most(literal);
    case PredicateOp::kGreaterOrEqual:
      return !range.all_below(literal);
    case PredicateOp::kStartsWith: {
      const auto* prefix = std::get_if<std::string>(&literal);
      return prefix == nullptr || MayStartWith(range, *prefix);
    }
    case PredicateOp::kLike:
      return MayBeLike(range, literal);
    default:
      return true;  // NOT EQUAL, ENDS WITH, CONTAINS: only a single value decides
  }
}

/// A comparison with null is null for every row; so is NOT IN with a null in the list, and IN with nothing else.
bool IsNeverTrue(const Predicate& leaf) {
  const auto& literals = leaf.literals();
  auto is_null = [](const Value& value) { return IsNull(value); };
  switch (leaf.op()) {
    case PredicateOp::kIn:
      return std::all_of(literals.begin(), literals.end(), is_null);
    default:
      return std::any_of(literals.begin(), literals.end(), is_null);
  }
}

bool LeafMayMatch(const Predicate& leaf, int64_t num_rows, const BoundsOf& bounds_of) {
  if (leaf.op() == PredicateOp::kTrue) return true;
  if (leaf.op() == PredicateOp::kFalse) return false;
  if (!ValidateLeaf(leaf).ok()) return true;
  if (!IsNullOp(leaf.op()) && IsNeverTrue(leaf)) return false;
  std::optional<ColumnBounds> bounds = bounds_of(leaf.column());
  if (!bounds.has_value()) return true;
  const KnownRange range(*std::move(bounds), num_rows);
  if (leaf.op() == PredicateOp::kIsNull) return range.null_count != 0;
  if (num_rows > 0 && range.null_count == num_rows) return false;
  return leaf.op() == PredicateOp::kIsNotNull || MayCompare(leaf, range);
}

}  // namespace

bool MayMatch(const Predicate& predicate, int64_t num_rows, const BoundsOf& bounds_of) {
  switch (predicate.op()) {
    case PredicateOp::kAnd:
      for (const PredicatePtr& child : predicate.children()) {
        if (!MayMatch(*child, num_rows, bounds_of)) return false;
      }
      return true;
    case PredicateOp::kOr:
      for (const PredicatePtr& child : predicate.children()) {
        if (MayMatch(*child, num_rows, bounds_of)) return true;
      }
      return false;
    default:
      return LeafMayMatch(predicate, num_rows, bounds_of);
  }
}

}  // namespace bactrian
