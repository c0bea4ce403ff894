// Comparisons of fixed-width values. Every such type maps to an integer key in the order of the type (value.h: Java's order for
// floats), so that =, <, <=, >, >= are all one test: whether the key lies in a closed range.
#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bactrian/expr/bound_leaf.h"
#include "bactrian/expr/compare.h"

namespace bactrian {
namespace {

using Int128 = __int128;

template <typename Key>
constexpr Key kLowest = std::numeric_limits<Key>::min();
template <typename Key>
constexpr Key kHighest = std::numeric_limits<Key>::max();
// Strict C++20 leaves numeric_limits<__int128> out. No decimal of 38 digits comes near these.
template <>
constexpr Int128 kHighest<Int128> = static_cast<Int128>(~static_cast<unsigned __int128>(0) >> 1);
template <>
constexpr Int128 kLowest<Int128> = -kHighest<Int128> - 1;

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
  if (low == kLowest<Key> && high == kHighest<Key>) return {KeyCondition<Key>::kAlways};
  return {KeyCondition<Key>::kBetween, low, high};
}

template <typename Key>
KeyCondition<Key> AtMost(const Place<Key>& place, bool strict) {
  if (place.side == Place<Key>::kAbove) return {KeyCondition<Key>::kAlways};
  const bool step = strict && place.exact;
  const bool empty = place.side == Place<Key>::kBelow || (step && place.floor == kLowest<Key>);
  return Range<Key>(empty, kLowest<Key>, empty || !step ? place.floor : place.floor - 1);
}

template <typename Key>
KeyCondition<Key> AtLeast(const Place<Key>& place, bool strict) {
  if (place.side == Place<Key>::kBelow) return {KeyCondition<Key>::kAlways};
  const bool step = strict || !place.exact;
  const bool empty = place.side == Place<Key>::kAbove || (step && place.floor == kHighest<Key>);
  return Range<Key>(empty, empty || !step ? place.floor : place.floor + 1, kHighest<Key>);
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

/// Up to this many keys, a pass for each beats searching.
constexpr size_t kPassesLimit = 8;
/// Rows of a pass: their values stay in the first-level cache for the next one.
constexpr int64_t kRowsOfAPass = 1024;

/// One pass over the rows for each key.
template <typename Key, typename Load>
void FillByPasses(const std::vector<Key>& keys, int64_t length, Load load, uint8_t* __restrict mask) {
  for (int64_t start = 0; start < length; start += kRowsOfAPass) {
    const int64_t end = std::min(length, start + kRowsOfAPass);
    const Key first = keys.front();
    for (int64_t i = start; i < end; ++i) mask[i] = load(i) == first;
    for (size_t k = 1; k < keys.size(); ++k) {
      const Key key = keys[k];
      for (int64_t i = start; i < end; ++i) mask[i] |= load(i) == key;
    }
  }
}

template <typename Key, typename Load>
void FillBySearch(const KeyCondition<Key>& condition, int64_t length, Load load, uint8_t* __restrict mask) {
  for (int64_t i = 0; i < length; ++i) {
    const Key key = load(i);
    mask[i] =
        key >= condition.low && key <= condition.high && std::binary_search(condition.keys.begin(), condition.keys.end(), key);
  }
}

/// `load(i)` is the key of row i. `mask` must not be the memory that `load` reads: without __restrict a byte store could change
/// the values and nothing would be kept in registers.
template <typename Key, typename Load>
void FillKeys(const KeyCondition<Key>& condition, int64_t length, Load load, uint8_t* __restrict mask) {
  using Condition = KeyCondition<Key>;
  const Key low = condition.low, high = condition.high;
  switch (condition.kind) {
    case Condition::kNever:
      std::memset(mask, 0, static_cast<size_t>(length));
      break;
    case Condition::kAlways:
      std::memset(mask, 1, static_cast<size_t>(length));
      break;
    case Condition::kBetween:
      for (int64_t i = 0; i < length; ++i) mask[i] = (load(i) >= low) & (load(i) <= high);
      break;
    case Condition::kOutside:
      for (int64_t i = 0; i < length; ++i) mask[i] = (load(i) < low) | (load(i) > high);
      break;
    case Condition::kIn:
    case Condition::kNotIn:
      if (condition.keys.size() <= kPassesLimit) {
        FillByPasses(condition.keys, length, load, mask);
      } else {
        FillBySearch(condition, length, load, mask);
      }
      if (condition.kind == Condition::kIn) break;
      for (int64_t i = 0; i < length; ++i) mask[i] ^= 1;
      break;
  }
}

template <typename Key, typename Float>
Key OrderedKey(Float value) {
  if (std::isnan(value)) value = std::numeric_limits<Float>::quiet_NaN();
  const Key bits = std::bit_cast<Key>(value);
  return bits ^ ((bits >> (8 * sizeof(Key) - 1)) & kHighest<Key>);  // the more negative, the greater the raw bits
}

Int128 ToInt128(const arrow::Decimal128& value) {
  return (static_cast<Int128>(value.high_bits()) << 64) | static_cast<Int128>(value.low_bits());
}

template <typename Key>
Place<Key> PlaceOf(Int128 value, Int128 unit) {
  Int128 floor = value / unit;
  const bool exact = floor * unit == value;
  if (!exact && value < 0) --floor;
  if (floor > kHighest<Key>) return {Place<Key>::kAbove};
  if (floor < kLowest<Key>) return {Place<Key>::kBelow};
  return {Place<Key>::kInside, static_cast<Key>(floor), exact};
}

// How each kind of column stores values, and the keys of its values and literals.

template <typename Integer>
struct IntegerColumn {
  using Key = Integer;
  arrow::Type::type id;

  bool Accepts(const arrow::DataType& type) const { return type.id() == id; }
  Place<Key> PlaceOf(const Value& literal) const { return bactrian::PlaceOf<Key>(std::get<int64_t>(literal), 1); }
  void Fill(const arrow::ArrayData& data, const KeyCondition<Key>& condition, uint8_t* mask) const {
    const Integer* values = data.GetValues<Integer>(1);
    FillKeys(
        condition, data.length, [=](int64_t i) { return values[i]; }, mask);
  }
};

template <typename Float, typename KeyType>
struct FloatColumn {
  using Key = KeyType;
  arrow::Type::type id;

  bool Accepts(const arrow::DataType& type) const { return type.id() == id; }
  Place<Key> PlaceOf(const Value& literal) const {
    return {Place<Key>::kInside, OrderedKey<Key>(std::get<Float>(literal)), true};
  }
  void Fill(const arrow::ArrayData& data, const KeyCondition<Key>& condition, uint8_t* mask) const {
    const Float* values = data.GetValues<Float>(1);
    FillKeys(
        condition, data.length, [=](int64_t i) { return OrderedKey<Key>(values[i]); }, mask);
  }
};

struct TimestampColumn {
  using Key = int64_t;
  arrow::TimeUnit::type unit;

  bool Accepts(const arrow::DataType& type) const {
    return type.id() == arrow::Type::TIMESTAMP && static_cast<const arrow::TimestampType&>(type).unit() == unit;
  }
  Place<Key> PlaceOf(const Value& literal) const {
    constexpr Int128 kNanosPerMilli = 1'000'000;
    const auto& timestamp = std::get<TimestampValue>(literal);
    const Int128 nanos_per_unit = unit == arrow::TimeUnit::NANO ? 1 : unit == arrow::TimeUnit::MICRO ? 1'000 : kNanosPerMilli;
    return bactrian::PlaceOf<Key>(timestamp.millis * kNanosPerMilli + timestamp.nanos, nanos_per_unit);
  }
  void Fill(const arrow::ArrayData& data, const KeyCondition<Key>& condition, uint8_t* mask) const {
    const int64_t* values = data.GetValues<int64_t>(1);
    FillKeys(
        condition, data.length, [=](int64_t i) { return values[i]; }, mask);
  }
};

struct DecimalColumn {
  using Key = Int128;
  int32_t scale;

  bool Accepts(const arrow::DataType& type) const {
    return type.id() == arrow::Type::DECIMAL128 && static_cast<const arrow::Decimal128Type&>(type).scale() == scale;
  }
  Place<Key> PlaceOf(const Value& literal) const {
    return {Place<Key>::kInside, ToInt128(std::get<arrow::Decimal128>(literal)), true};
  }
  void Fill(const arrow::ArrayData& data, const KeyCondition<Key>& condition, uint8_t* mask) const {
    const uint8_t* values = data.GetValues<uint8_t>(1, 0) + data.offset * static_cast<int64_t>(sizeof(Key));
    auto load = [=](int64_t i) {
      Key key;  // values need not be aligned to 16 bytes
      std::memcpy(&key, values + i * static_cast<int64_t>(sizeof(Key)), sizeof(Key));
      return key;
    };
    FillKeys(condition, data.length, load, mask);
  }
};

template <typename Column>
class KeyLeaf final : public BoundLeaf {
 public:
  KeyLeaf(const Comparison& comparison, const Field& field, int position, Column column)
      : BoundLeaf(position, field.name), column_(column) {
    std::vector<Place<typename Column::Key>> places;
    for (const Value& literal : comparison.literals) places.push_back(column_.PlaceOf(literal));
    condition_ = MakeCondition(comparison.op, places);
  }

 protected:
  bool Accepts(const arrow::DataType& type) const override { return column_.Accepts(type); }
  void Fill(const arrow::Array& values, uint8_t* mask) const override { column_.Fill(*values.data(), condition_, mask); }

 private:
  Column column_;
  KeyCondition<typename Column::Key> condition_;
};

class BooleanLeaf final : public BoundLeaf {
 public:
  BooleanLeaf(const Comparison& comparison, const Field& field, int position) : BoundLeaf(position, field.name) {
    const PredicatePtr leaf = Predicate::Compare(comparison.op, field.name, comparison.literals);
    for (bool value : {false, true}) answers_[value] = EvaluateLeaf(*leaf, Value{value}).value_or(false);
  }

 protected:
  bool Accepts(const arrow::DataType& type) const override { return type.id() == arrow::Type::BOOL; }
  void Fill(const arrow::Array& values, uint8_t* mask) const override {
    const uint8_t* bits = values.data()->GetValues<uint8_t>(1, 0);
    for (int64_t i = 0; i < values.length(); ++i) mask[i] = answers_[arrow::bit_util::GetBit(bits, values.offset() + i)];
  }

 private:
  uint8_t answers_[2];  ///< for false and for true
};

template <typename Column>
std::shared_ptr<const BoundPredicate> MakeLeaf(const Comparison& comparison, const Field& field, int position, Column column) {
  return std::make_shared<KeyLeaf<Column>>(comparison, field, position, column);
}

arrow::TimeUnit::type UnitOf(const DataType& type) {
  if (type.precision() <= 3) return arrow::TimeUnit::MILLI;
  return type.precision() <= 6 ? arrow::TimeUnit::MICRO : arrow::TimeUnit::NANO;
}

}  // namespace

std::shared_ptr<const BoundPredicate> BindKeyLeaf(const Comparison& comparison, const Field& field, int position) {
  switch (field.type->root()) {
    case TypeRoot::kBoolean:
      return std::make_shared<BooleanLeaf>(comparison, field, position);
    case TypeRoot::kTinyint:
      return MakeLeaf(comparison, field, position, IntegerColumn<int8_t>{arrow::Type::INT8});
    case TypeRoot::kSmallint:
      return MakeLeaf(comparison, field, position, IntegerColumn<int16_t>{arrow::Type::INT16});
    case TypeRoot::kInt:
      return MakeLeaf(comparison, field, position, IntegerColumn<int32_t>{arrow::Type::INT32});
    case TypeRoot::kBigint:
      return MakeLeaf(comparison, field, position, IntegerColumn<int64_t>{arrow::Type::INT64});
    case TypeRoot::kDate:
      return MakeLeaf(comparison, field, position, IntegerColumn<int32_t>{arrow::Type::DATE32});
    case TypeRoot::kTime:
      return MakeLeaf(comparison, field, position, IntegerColumn<int32_t>{arrow::Type::TIME32});
    case TypeRoot::kFloat:
      return MakeLeaf(comparison, field, position, FloatColumn<float, int32_t>{arrow::Type::FLOAT});
    case TypeRoot::kDouble:
      return MakeLeaf(comparison, field, position, FloatColumn<double, int64_t>{arrow::Type::DOUBLE});
    case TypeRoot::kDecimal:
      return MakeLeaf(comparison, field, position, DecimalColumn{field.type->scale()});
    default:
      return MakeLeaf(comparison, field, position, TimestampColumn{UnitOf(*field.type)});
  }
}

}  // namespace bactrian
