/// What a comparison asks of the integer keys of a column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "bactrian/predicate.h"

namespace bactrian {

using Int128 = __int128;

template <typename Key>
inline constexpr Key kLowestKey = std::numeric_limits<Key>::min();
template <typename Key>
inline constexpr Key kHighestKey = std::numeric_limits<Key>::max();
// Strict C++20 leaves numeric_limits<__int128> out. No decimal of 38 digits comes near these.
template <>
inline constexpr Int128 kHighestKey<Int128> = static_cast<Int128>(~static_cast<unsigned __int128>(0) >> 1);
template <>
inline constexpr Int128 kLowestKey<Int128> = -kHighestKey<Int128> - 1;

template <typename Key>
struct KeyCondition {
  enum Kind : uint8_t { kNever, kAlways, kBetween, kOutside, kIn, kNotIn } kind = kNever;
  Key low = 0, high = 0;    ///< kBetween, kOutside: both inclusive
  std::vector<Key> keys{};  ///< kIn, kNotIn: sorted
};

/// Where a literal lies among the keys of a column: the greatest key not above it, whether it is that key, and whether it is
/// outside of all keys (a timestamp with more digits than the column has, or beyond its years).
template <typename Key>
struct Place {
  enum Side : uint8_t { kBelow, kInside, kAbove } side = kInside;
  Key floor = 0;
  bool exact = true;
};

template <typename Key>
KeyCondition<Key> Range(bool empty, Key low, Key high) {
  if (empty || low > high) return {};
  if (low == kLowestKey<Key> && high == kHighestKey<Key>) return {KeyCondition<Key>::kAlways};
  return {KeyCondition<Key>::kBetween, low, high};
}

template <typename Key>
KeyCondition<Key> AtMost(const Place<Key>& place, bool strict) {
  if (place.side == Place<Key>::kAbove) return {KeyCondition<Key>::kAlways};
  const bool step = strict && place.exact;
  const bool empty = place.side == Place<Key>::kBelow || (step && place.floor == kLowestKey<Key>);
  return Range<Key>(empty, kLowestKey<Key>, empty || !step ? place.floor : place.floor - 1);
}

template <typename Key>
KeyCondition<Key> AtLeast(const Place<Key>& place, bool strict) {
  if (place.side == Place<Key>::kBelow) return {KeyCondition<Key>::kAlways};
  const bool step = strict || !place.exact;
  const bool empty = place.side == Place<Key>::kAbove || (step && place.floor == kHighestKey<Key>);
  return Range<Key>(empty, empty || !step ? place.floor : place.floor + 1, kHighestKey<Key>);
}

template <typename Key>
KeyCondition<Key> AnyOf(const std::vector<Place<Key>>& places, bool negated) {
  using Condition = KeyCondition<Key>;
  Condition condition;
  for (const Place<Key>& place : places) {
    if (place.side == Place<Key>::kInside && place.exact) condition.keys.push_back(place.floor);
  }
  std::sort(condition.keys.begin(), condition.keys.end());
  condition.keys.erase(std::unique(condition.keys.begin(), condition.keys.end()), condition.keys.end());
  if (condition.keys.empty()) {
    condition.kind = negated ? Condition::kAlways : Condition::kNever;
    return condition;
  }
  condition.low = condition.keys.front();
  condition.high = condition.keys.back();
  // Keys without a gap are a range; the difference of two keys fits their unsigned type.
  using Wide = unsigned __int128;
  const bool dense = static_cast<Wide>(condition.high) - static_cast<Wide>(condition.low) == condition.keys.size() - 1;
  if (dense) {
    condition.kind = negated ? Condition::kOutside : Condition::kBetween;
  } else {
    condition.kind = negated ? Condition::kNotIn : Condition::kIn;
  }
  return condition;
}

/// `op` is one of the six comparisons, IN or NOT IN; `places` are of its literals, at least one.
template <typename Key>
KeyCondition<Key> MakeCondition(PredicateOp op, const std::vector<Place<Key>>& places) {
  switch (op) {
    case PredicateOp::kLess:
      return AtMost(places.front(), true);
    case PredicateOp::kLessOrEqual:
      return AtMost(places.front(), false);
    case PredicateOp::kGreater:
      return AtLeast(places.front(), true);
    case PredicateOp::kGreaterOrEqual:
      return AtLeast(places.front(), false);
    case PredicateOp::kEqual:
    case PredicateOp::kIn:
      return AnyOf(places, false);
    default:
      return AnyOf(places, true);
  }
}

/// Where value / unit lies.
template <typename Key>
Place<Key> LocateKey(Int128 value, Int128 unit) {
  Int128 floor = value / unit;
  const bool exact = floor * unit == value;
  if (!exact && value < 0) --floor;
  if (floor > kHighestKey<Key>) return {Place<Key>::kAbove};
  if (floor < kLowestKey<Key>) return {Place<Key>::kBelow};
  return {Place<Key>::kInside, static_cast<Key>(floor), exact};
}

}  // namespace bactrian
