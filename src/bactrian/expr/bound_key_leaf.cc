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
#include "bactrian/expr/key_condition.h"

namespace bactrian {
namespace {

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
  return bits ^ ((bits >> (8 * sizeof(Key) - 1)) & kHighestKey<Key>);  // the more negative, the greater the raw bits
}

Int128 ToInt128(const arrow::Decimal128& value) {
  return (static_cast<Int128>(value.high_bits()) << 64) | static_cast<Int128>(value.low_bits());
}

// How each kind of column stores values, and the keys of its values and literals.

template <typename Integer>
struct IntegerColumn {
  using Key = Integer;
  arrow::Type::type id;

  bool Accepts(const arrow::DataType& type) const { return type.id() == id; }
  Place<Key> PlaceOf(const Value& literal) const { return LocateKey<Key>(std::get<int64_t>(literal), 1); }
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
    return LocateKey<Key>(timestamp.millis * kNanosPerMilli + timestamp.nanos, nanos_per_unit);
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
