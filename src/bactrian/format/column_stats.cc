#include "bactrian/format/column_stats.h"

#include <arrow/array.h>
#include <arrow/util/bit_run_reader.h>
#include <arrow/util/decimal.h>

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "bactrian/expr/array_value.h"
#include "bactrian/types/timestamp.h"

namespace bactrian {
namespace {

class NoStats final : public ColumnStatsCollector {
 public:
  void Update(const arrow::Array&) override {}
  ColumnStats Finish() const override { return {}; }
};

class NullCount : public ColumnStatsCollector {
 public:
  void Update(const arrow::Array& array) override { null_count_ += array.null_count(); }
  ColumnStats Finish() const override { return {.min = {}, .max = {}, .null_count = null_count_}; }

 private:
  int64_t null_count_ = 0;
};

/// Maps floats to integers in Java's order: -0.0 below 0.0, NaN (any) above all.
template <typename Bits, typename Float>
Bits OrderedBits(Float value) {
  if (value != value) return std::numeric_limits<Bits>::max();
  const Bits bits = std::bit_cast<Bits>(value);
  return bits < 0 ? bits ^ std::numeric_limits<Bits>::max() : bits;
}

template <typename T>
bool Less(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, float>) {
    return OrderedBits<int32_t>(a) < OrderedBits<int32_t>(b);
  } else if constexpr (std::is_same_v<T, double>) {
    return OrderedBits<int64_t>(a) < OrderedBits<int64_t>(b);
  } else {
    return a < b;  // bytes as unsigned: std::string_view compares so
  }
}

/// `ArrayT`'s values are compared as `T` and reported through `ToValue`.
template <typename ArrayT, typename T, typename ToValue>
class Bounds final : public NullCount {
 public:
  explicit Bounds(ToValue to_value) : to_value_(to_value) {}

  void Update(const arrow::Array& array) override {
    NullCount::Update(array);
    const auto& typed = static_cast<const ArrayT&>(array);
    std::optional<T> min, max;
    for (int64_t i = 0; i < typed.length(); ++i) {
      if (typed.IsNull(i)) continue;
      const T value = Get(typed, i);
      if (!min) {
        min = max = value;
      } else if (Less(value, *min)) {
        min = value;
      } else if (Less(*max, value)) {
        max = value;
      }
    }
    if (!min) return;
    if (!min_ || Less(*min, T(*min_))) min_ = Stored(*min);
    if (!max_ || Less(T(*max_), *max)) max_ = Stored(*max);
  }

  ColumnStats Finish() const override {
    ColumnStats stats = NullCount::Finish();
    if (min_) stats.min = to_value_(*min_);
    if (max_) stats.max = to_value_(*max_);
    return stats;
  }

 private:
  using Stored = std::conditional_t<std::is_same_v<T, std::string_view>, std::string, T>;

  static T Get(const ArrayT& array, int64_t i) {
    if constexpr (std::is_same_v<T, arrow::Decimal128>) {
      return T(array.GetValue(i));
    } else {
      return array.GetView(i);
    }
  }

  ToValue to_value_;
  std::optional<Stored> min_, max_;
};

/// Integers, which need no branch: `stride` is the distance of values in memory, of which the low bytes are read.
template <typename T, typename ToValue>
class IntegerBounds final : public NullCount {
 public:
  IntegerBounds(int64_t stride, ToValue to_value) : stride_(stride), to_value_(to_value) {}

  void Update(const arrow::Array& array) override {
    NullCount::Update(array);
    const int64_t length = array.length();
    if (array.null_count() == length) return;
    seen_ = true;
    const uint8_t* values = array.data()->buffers[1]->data() + array.offset() * stride_;
    if (array.null_count() == 0) return AddRun(values, length);
    arrow::internal::VisitSetBitRunsVoid(array.null_bitmap_data(), array.offset(), length,
                                         [&](int64_t begin, int64_t count) { AddRun(values + begin * stride_, count); });
  }

  ColumnStats Finish() const override {
    ColumnStats stats = NullCount::Finish();
    if (seen_) stats.min = to_value_(min_), stats.max = to_value_(max_);
    return stats;
  }

 private:
  void AddRun(const uint8_t* values, int64_t count) {
    T min = min_, max = max_;
    for (int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, values + i * stride_, sizeof(T));
      min = value < min ? value : min;
      max = value > max ? value : max;
    }
    min_ = min, max_ = max;
  }

  const int64_t stride_;
  ToValue to_value_;
  bool seen_ = false;
  T min_ = std::numeric_limits<T>::max(), max_ = std::numeric_limits<T>::min();
};

template <typename ArrayT, typename T, typename ToValue>
std::unique_ptr<ColumnStatsCollector> MakeBounds(ToValue to_value) {
  return std::make_unique<Bounds<ArrayT, T, ToValue>>(to_value);
}

template <typename T>
Value UnscaledValue(T unscaled) {
  return Value(arrow::Decimal128(unscaled));
}

template <typename T, typename ToValue>
std::unique_ptr<ColumnStatsCollector> MakeIntegers(ToValue to_value, int64_t stride = sizeof(T)) {
  return std::make_unique<IntegerBounds<T, ToValue>>(stride, to_value);
}

}  // namespace

std::unique_ptr<ColumnStatsCollector> ColumnStatsCollector::Make(const DataType& type) {
  const auto as_is = [](const auto& value) { return Value(value); };
  const auto as_long = [](auto value) { return Value(static_cast<int64_t>(value)); };
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return MakeBounds<arrow::BooleanArray, bool>(as_is);
    case TypeRoot::kTinyint:
      return MakeIntegers<int8_t>(as_long);
    case TypeRoot::kSmallint:
      return MakeIntegers<int16_t>(as_long);
    case TypeRoot::kInt:
      return MakeIntegers<int32_t>(as_long);
    case TypeRoot::kBigint:
      return MakeIntegers<int64_t>(as_long);
    case TypeRoot::kDate:
      return MakeIntegers<int32_t>(as_long);
    case TypeRoot::kTime:
      return MakeIntegers<int32_t>(as_long);
    case TypeRoot::kFloat:
      return MakeBounds<arrow::FloatArray, float>(as_is);
    case TypeRoot::kDouble:
      return MakeBounds<arrow::DoubleArray, double>(as_is);
    case TypeRoot::kDecimal:
      // 18 digits lie in the low half of the 16 bytes.
      if (type.precision() <= 18) {
        return MakeIntegers<int64_t>(UnscaledValue<int64_t>, sizeof(arrow::Decimal128));
      }
      return MakeBounds<arrow::Decimal128Array, arrow::Decimal128>(as_is);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const int32_t units = UnitsPerMilli(type);
      return MakeIntegers<int64_t>([units](int64_t t) { return Value(TimestampFromUnits(t, units)); });
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return MakeBounds<arrow::BinaryArray, std::string_view>(as_is);
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      return std::make_unique<NullCount>();
    default:
      return std::make_unique<NoStats>();
  }
}

std::unique_ptr<ColumnStatsCollector> ColumnStatsCollector::MakeOfUnscaled(const DataType& decimal) {
  if (decimal.precision() <= 9) return MakeIntegers<int32_t>(UnscaledValue<int32_t>);
  return MakeIntegers<int64_t>(UnscaledValue<int64_t>);
}

}  // namespace bactrian
