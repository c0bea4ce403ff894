#include "bactrian/merge/number_aggregators.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/decimal.h>

#include <limits>
#include <optional>
#include <type_traits>

namespace bactrian {
namespace {

using Sources = std::span<const std::shared_ptr<arrow::Array>>;

/// Runs a fold over the groups: `Fold` has Aggregate(acc, input) and Retract(acc, input) over non-null values, giving a result
/// that may be null, and RetractFromNull(input). Null on one side gives the other side.
template <typename ArrowType, typename Value, typename Fold>
class FoldingAggregator : public Aggregator {
 public:
  FoldingAggregator(Field field, Fold fold) : field_(std::move(field)), fold_(std::move(fold)) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(Sources sources, const AggregateSteps& steps,
                                                   arrow::MemoryPool* pool) const override {
    ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field_.type));
    typename arrow::TypeTraits<ArrowType>::BuilderType builder(type, pool);
    ARROW_RETURN_NOT_OK(builder.Reserve(steps.num_groups()));
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      std::optional<Value> acc;
      for (uint32_t s = steps.offsets[g]; s < steps.offsets[g + 1]; ++s) {
        auto next = Apply(acc, Read(sources, steps.steps[s].input), steps.steps[s].op);
        if (!next.ok()) return next.status().WithMessage(next.status().message(), " (column ", field_.name, ")");
        acc = *next;
      }
      if (acc) {
        builder.UnsafeAppend(*acc);
      } else {
        builder.UnsafeAppendNull();
      }
    }
    return builder.Finish();
  }

 private:
  using Array = typename arrow::TypeTraits<ArrowType>::ArrayType;

  static std::optional<Value> Read(Sources sources, RowRef ref) {
    const auto& array = static_cast<const Array&>(*sources[ref.source]);
    if (array.IsNull(ref.row)) return std::nullopt;
    if constexpr (std::is_same_v<Value, arrow::Decimal128>) {
      return arrow::Decimal128(array.GetValue(ref.row));
    } else {
      return array.Value(ref.row);
    }
  }

  arrow::Result<std::optional<Value>> Apply(std::optional<Value> acc, std::optional<Value> input, AggregateOp op) const {
    switch (op) {
      case AggregateOp::kSet:
        return input;
      case AggregateOp::kClear:
        return std::nullopt;
      case AggregateOp::kRetract:
        if (!input) return acc;
        return acc ? fold_.Retract(*acc, *input) : fold_.RetractFromNull(*input);
      case AggregateOp::kAggregate:
      case AggregateOp::kAggregateReversed:
        break;
    }
    if (!acc || !input) return acc ? acc : input;
    return op == AggregateOp::kAggregate ? fold_.Aggregate(*acc, *input) : fold_.Aggregate(*input, *acc);
  }

  const Field field_;
  const Fold fold_;
};

template <typename T>
arrow::Status Overflow(std::string_view function) {
  return Invalid("aggregate function ", function, " overflows ", arrow::CTypeTraits<T>::type_singleton()->ToString());
}

/// Integers overflow with an error, floats as IEEE says.
template <typename T>
struct Sum {
  using Out = arrow::Result<std::optional<T>>;
  static Out Aggregate(T acc, T input) {
    if constexpr (std::is_floating_point_v<T>) {
      return acc + input;
    } else {
      T out;
      if (__builtin_add_overflow(acc, input, &out)) return Overflow<T>("sum");
      return out;
    }
  }
  static Out Retract(T acc, T input) {
    if constexpr (std::is_floating_point_v<T>) {
      return acc - input;
    } else {
      T out;
      if (__builtin_sub_overflow(acc, input, &out)) return Overflow<T>("sum");
      return out;
    }
  }
  static Out RetractFromNull(T input) { return Retract(T{0}, input); }
};

template <typename T>
struct Product {
  using Out = arrow::Result<std::optional<T>>;
  static Out Aggregate(T acc, T input) {
    if constexpr (std::is_floating_point_v<T>) {
      return acc * input;
    } else {
      T out;
      if (__builtin_mul_overflow(acc, input, &out)) return Overflow<T>("product");
      return out;
    }
  }
  static Out Retract(T acc, T input) {
    if constexpr (!std::is_floating_point_v<T>) {
      if (input == 0) return Invalid("aggregate function product cannot retract 0");
      if (input == -1 && acc == std::numeric_limits<T>::min()) return Overflow<T>("product");
    }
    return static_cast<T>(acc / input);
  }
  static Out RetractFromNull(T) { return std::nullopt; }
};

/// Up to 18 digits the reference adds 64-bit numbers without a check, so that a merge may give a value of more digits; beyond
/// that a result that does not fit is null.
struct DecimalSum {
  using Out = arrow::Result<std::optional<arrow::Decimal128>>;
  int32_t precision;

  Out Checked(const arrow::Decimal128& value) const {
    if (precision > 18 && !value.FitsInPrecision(precision)) return std::nullopt;
    return value;
  }
  Out Aggregate(const arrow::Decimal128& acc, const arrow::Decimal128& input) const { return Checked(acc + input); }
  Out Retract(const arrow::Decimal128& acc, const arrow::Decimal128& input) const { return Checked(acc - input); }
  Out RetractFromNull(const arrow::Decimal128& input) const { return -input; }
};

/// Rounded half up to the column's scale; null when it does not fit.
struct DecimalProduct {
  using Out = arrow::Result<std::optional<arrow::Decimal128>>;
  int32_t precision, scale;

  Out Rounded(const arrow::Decimal256& numerator, const arrow::Decimal256& denominator) const {
    auto divided = numerator.Divide(denominator);
    if (!divided.ok()) return divided.status();
    auto [quotient, remainder] = *divided;
    if (arrow::Decimal256::Abs(remainder) * 2 >= arrow::Decimal256::Abs(denominator)) {
      const bool negative = (numerator.Sign() < 0) != (denominator.Sign() < 0);
      quotient = quotient + arrow::Decimal256(negative ? -1 : 1);
    }
    if (!quotient.FitsInPrecision(precision)) return std::nullopt;
    return arrow::Decimal128(static_cast<int64_t>(quotient.little_endian_array()[1]), quotient.little_endian_array()[0]);
  }
  Out Aggregate(const arrow::Decimal128& acc, const arrow::Decimal128& input) const {
    return Rounded(arrow::Decimal256(acc) * arrow::Decimal256(input), arrow::Decimal256::GetScaleMultiplier(scale));
  }
  Out Retract(const arrow::Decimal128& acc, const arrow::Decimal128& input) const {
    if (input == 0) return Invalid("aggregate function product cannot retract 0");
    return Rounded(arrow::Decimal256(acc) * arrow::Decimal256::GetScaleMultiplier(scale), arrow::Decimal256(input));
  }
  Out RetractFromNull(const arrow::Decimal128&) const { return std::nullopt; }
};

template <bool kAnd>
struct Logical {
  using Out = arrow::Result<std::optional<bool>>;
  static Out Aggregate(bool acc, bool input) { return kAnd ? acc && input : acc || input; }
  static Out Retract(bool, bool) { return Invalid("aggregate function ", kAnd ? "bool_and" : "bool_or", " cannot retract"); }
  static Out RetractFromNull(bool input) { return Retract(input, input); }
};

template <template <typename> typename Fold>
std::shared_ptr<const Aggregator> MakeNumeric(const Field& field) {
  switch (field.type->root()) {
    case TypeRoot::kTinyint:
      return std::make_shared<FoldingAggregator<arrow::Int8Type, int8_t, Fold<int8_t>>>(field, Fold<int8_t>());
    case TypeRoot::kSmallint:
      return std::make_shared<FoldingAggregator<arrow::Int16Type, int16_t, Fold<int16_t>>>(field, Fold<int16_t>());
    case TypeRoot::kInt:
      return std::make_shared<FoldingAggregator<arrow::Int32Type, int32_t, Fold<int32_t>>>(field, Fold<int32_t>());
    case TypeRoot::kBigint:
      return std::make_shared<FoldingAggregator<arrow::Int64Type, int64_t, Fold<int64_t>>>(field, Fold<int64_t>());
    case TypeRoot::kFloat:
      return std::make_shared<FoldingAggregator<arrow::FloatType, float, Fold<float>>>(field, Fold<float>());
    case TypeRoot::kDouble:
      return std::make_shared<FoldingAggregator<arrow::DoubleType, double, Fold<double>>>(field, Fold<double>());
    default:
      return nullptr;
  }
}

template <typename Fold>
std::shared_ptr<const Aggregator> MakeDecimal(const Field& field, Fold fold) {
  return std::make_shared<FoldingAggregator<arrow::Decimal128Type, arrow::Decimal128, Fold>>(field, std::move(fold));
}

std::shared_ptr<const Aggregator> MakeForType(std::string_view name, const Field& field) {
  const DataType& type = *field.type;
  if (name == "sum") {
    return type.root() == TypeRoot::kDecimal ? MakeDecimal(field, DecimalSum{type.precision()}) : MakeNumeric<Sum>(field);
  }
  if (name == "product") {
    return type.root() == TypeRoot::kDecimal ? MakeDecimal(field, DecimalProduct{type.precision(), type.scale()})
                                             : MakeNumeric<Product>(field);
  }
  if (type.root() != TypeRoot::kBoolean) return nullptr;
  if (name == "bool_and") {
    return std::make_shared<FoldingAggregator<arrow::BooleanType, bool, Logical<true>>>(field, Logical<true>());
  }
  return std::make_shared<FoldingAggregator<arrow::BooleanType, bool, Logical<false>>>(field, Logical<false>());
}

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> MakeNumberAggregator(std::string_view name, const Field& field) {
  if (name != "sum" && name != "product" && name != "bool_and" && name != "bool_or") return nullptr;
  auto made = MakeForType(name, field);
  if (made == nullptr) {
    return Invalid("aggregate function ", name, " does not take column ", field.name, " of type ", field.type->ToSqlString());
  }
  return made;
}

}  // namespace bactrian
