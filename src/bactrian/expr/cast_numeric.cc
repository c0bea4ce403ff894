// Casts among numbers and booleans, with Java's results.
#include <arrow/util/decimal.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "bactrian/expr/cast_kernels.h"

namespace bactrian {
namespace {

using Int128 = __int128;
using UInt128 = unsigned __int128;

constexpr int kMaxDecimalDigits = 38;
/// Up to this many digits the reference keeps a decimal in a long.
constexpr int kMaxCompactDigits = 18;

struct PowersOfTen {
  Int128 value[kMaxDecimalDigits + 1];
  constexpr PowersOfTen() : value{} {
    value[0] = 1;
    for (int i = 1; i <= kMaxDecimalDigits; ++i) value[i] = value[i - 1] * 10;
  }
};
constexpr PowersOfTen kPowers;

UInt128 Magnitude(Int128 value) { return value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value); }

/// The conversion of a Java primitive: integers lose their upper bits, floats stop at the ends of the integer's range (NaN is
/// 0); byte and short are reached through int.
template <typename Out, typename In>
Out JavaConvert(In value) {
  if constexpr (std::is_floating_point_v<In> && std::is_integral_v<Out>) {
    using Wide = std::conditional_t<(sizeof(Out) < sizeof(int32_t)), int32_t, Out>;
    constexpr auto kLimit = static_cast<In>(std::numeric_limits<Wide>::max());  // rounds up to a power of two or is exact
    if (std::isnan(value)) return 0;
    if (value >= kLimit) return static_cast<Out>(std::numeric_limits<Wide>::max());
    if (value <= static_cast<In>(std::numeric_limits<Wide>::min())) return static_cast<Out>(std::numeric_limits<Wide>::min());
    return static_cast<Out>(static_cast<Wide>(value));
  } else {
    return static_cast<Out>(value);
  }
}

/// Rounds half away from zero to `to_scale` digits; nullopt for more than `to_precision` digits, of which to_scale are part.
std::optional<Int128> Rescale(Int128 value, int from_scale, int to_precision, int to_scale) {
  const int shift = to_scale - from_scale;
  if (shift >= 0) {
    if (Magnitude(value) >= static_cast<UInt128>(kPowers.value[to_precision - shift])) return std::nullopt;
    return value * kPowers.value[shift];
  }
  const Int128 divisor = kPowers.value[-shift];
  Int128 quotient = value / divisor;
  const UInt128 rest = Magnitude(value % divisor);
  if (rest >= static_cast<UInt128>(divisor) - rest) quotient += value < 0 ? -1 : 1;
  if (Magnitude(quotient) >= static_cast<UInt128>(kPowers.value[to_precision])) return std::nullopt;
  return quotient;
}

/// The nearest double. Like the reference, short decimals are divided as doubles, which may round twice.
double DecimalToDouble(Int128 value, int precision, int scale) {
  if (precision <= kMaxCompactDigits) {
    return static_cast<double>(static_cast<int64_t>(value)) / static_cast<double>(kPowers.value[scale]);
  }
  const std::string text =
      arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value)).ToIntegerString() + "e-" +
      std::to_string(scale);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

template <typename Visitor>
CastPtr VisitPrimitive(TypeRoot root, Visitor&& visitor) {
  switch (root) {
    case TypeRoot::kTinyint:
      return visitor(std::type_identity<int8_t>());
    case TypeRoot::kSmallint:
      return visitor(std::type_identity<int16_t>());
    case TypeRoot::kInt:
      return visitor(std::type_identity<int32_t>());
    case TypeRoot::kBigint:
      return visitor(std::type_identity<int64_t>());
    case TypeRoot::kFloat:
      return visitor(std::type_identity<float>());
    default:
      return visitor(std::type_identity<double>());
  }
}

template <typename In, typename Out, typename Fn>
CastPtr MakeMap(const ArrowTypePtr& type, Fn fn) {
  return MakeFunctionCast([type, fn](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) {
    return MapValues<Out>(*array, type, pool, FixedValues<In>(*array), fn);
  });
}

CastPtr MakePrimitiveToPrimitive(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  return VisitPrimitive(from.root(), [&]<typename In>(std::type_identity<In>) {
    return VisitPrimitive(to.root(), [&]<typename Out>(std::type_identity<Out>) {
      return MakeMap<In, Out>(type, [](In value) { return JavaConvert<Out>(value); });
    });
  });
}

CastPtr MakeDecimalToPrimitive(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  const int precision = from.precision(), scale = from.scale();
  return VisitPrimitive(to.root(), [&]<typename Out>(std::type_identity<Out>) {
    return MakeMap<Int128, Out>(type, [precision, scale](Int128 value) -> Out {
      if constexpr (std::is_integral_v<Out>) {
        return static_cast<Out>(value / kPowers.value[scale]);
      } else {
        return static_cast<Out>(DecimalToDouble(value, precision, scale));
      }
    });
  });
}

template <typename In>
CastPtr MakeToDecimal(int from_scale, const DataType& to, const ArrowTypePtr& type) {
  const int precision = to.precision(), scale = to.scale();
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) {
    return MapOrNull<Int128>(*array, type, pool, FixedValues<In>(*array),
                             [=](In value) { return Rescale(value, from_scale, precision, scale); });
  });
}

CastPtr MakeIntegerToDecimal(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  switch (from.root()) {
    case TypeRoot::kTinyint:
      return MakeToDecimal<int8_t>(0, to, type);
    case TypeRoot::kSmallint:
      return MakeToDecimal<int16_t>(0, to, type);
    case TypeRoot::kInt:
      return MakeToDecimal<int32_t>(0, to, type);
    default:
      return MakeToDecimal<int64_t>(0, to, type);
  }
}

struct BooleanValues {
  const arrow::BooleanArray& array;
  bool operator()(int64_t i) const { return array.Value(i); }
};

CastPtr MakeBooleanToNumeric(const DataType& to, const ArrowTypePtr& type) {
  if (to.root() == TypeRoot::kDecimal) {
    const std::optional<Int128> one = Rescale(1, 0, to.precision(), to.scale());
    return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) {
      return MapOrNull<Int128>(*array, type, pool, BooleanValues{static_cast<const arrow::BooleanArray&>(*array)},
                               [=](bool value) { return value ? one : std::optional<Int128>(0); });
    });
  }
  return VisitPrimitive(to.root(), [&]<typename Out>(std::type_identity<Out>) {
    return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) {
      return MapValues<Out>(*array, type, pool, BooleanValues{static_cast<const arrow::BooleanArray&>(*array)},
                            [](bool value) { return static_cast<Out>(value); });
    });
  });
}

template <typename In>
ArrayResult CompareWithZero(const arrow::Array& array, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, ValidityOf(array, pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, arrow::AllocateEmptyBitmap(array.length(), pool));
  const FixedValues<In> values(array);
  for (int64_t i = 0; i < array.length(); ++i) arrow::bit_util::SetBitTo(bits->mutable_data(), i, values(i) != 0);
  return std::make_shared<arrow::BooleanArray>(array.length(), std::move(bits), std::move(validity));
}

CastPtr MakeIntegerToBoolean(const DataType& from) {
  return VisitPrimitive(from.root(), []<typename In>(std::type_identity<In>) {
    return MakeFunctionCast(
        [](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) { return CompareWithZero<In>(*array, pool); });
  });
}

}  // namespace

CastPtr MakeNumericCast(CastRule rule, const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  switch (rule) {
    case CastRule::kNumericToNumeric:
      return MakePrimitiveToPrimitive(from, to, type);
    case CastRule::kNumericToDecimal:
      return MakeIntegerToDecimal(from, to, type);
    case CastRule::kDecimalToDecimal:
      return MakeToDecimal<Int128>(from.scale(), to, type);
    case CastRule::kDecimalToNumeric:
      return MakeDecimalToPrimitive(from, to, type);
    case CastRule::kBooleanToNumeric:
      return MakeBooleanToNumeric(to, type);
    default:
      return MakeIntegerToBoolean(from);
  }
}

}  // namespace bactrian
