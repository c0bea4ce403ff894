/// Between Arrow scalars and values.
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "bactrian/types/timestamp.h"
#include "bactrian/value.h"

namespace bactrian {
namespace {

template <typename ScalarType>
auto ValueOf(const arrow::Scalar& scalar) {
  return static_cast<const ScalarType&>(scalar).value;
}

arrow::Status WrongKind(const DataType& type) { return Invalid("the value is none of ", type.ToSqlString()); }

template <typename T>
arrow::Result<T> Get(const Value& value, const DataType& type) {
  const T* held = std::get_if<T>(&value);
  if (held == nullptr) return WrongKind(type);
  return *held;
}

template <typename Int, typename ScalarType>
arrow::Result<std::shared_ptr<arrow::Scalar>> IntegerScalar(const Value& value, const DataType& type,
                                                            const std::shared_ptr<arrow::DataType>& arrow_type) {
  ARROW_ASSIGN_OR_RAISE(const int64_t integer, Get<int64_t>(value, type));
  if (integer != static_cast<Int>(integer)) return Invalid(integer, " is out of range for ", type.ToSqlString());
  return std::make_shared<ScalarType>(static_cast<Int>(integer), arrow_type);
}

}  // namespace

arrow::Result<Value> FromScalar(const arrow::Scalar& scalar, const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(const auto arrow_type, ToArrowType(type));
  if (!scalar.type->Equals(*arrow_type)) return Invalid(type.ToSqlString(), " cannot come from ", scalar.type->ToString());
  if (!scalar.is_valid) return Value();
  switch (scalar.type->id()) {
    case arrow::Type::BOOL:
      return Value(ValueOf<arrow::BooleanScalar>(scalar));
    case arrow::Type::INT8:
      return Value(int64_t{ValueOf<arrow::Int8Scalar>(scalar)});
    case arrow::Type::INT16:
      return Value(int64_t{ValueOf<arrow::Int16Scalar>(scalar)});
    case arrow::Type::INT32:
      return Value(int64_t{ValueOf<arrow::Int32Scalar>(scalar)});
    case arrow::Type::DATE32:
      return Value(int64_t{ValueOf<arrow::Date32Scalar>(scalar)});
    case arrow::Type::TIME32:
      return Value(int64_t{ValueOf<arrow::Time32Scalar>(scalar)});
    case arrow::Type::INT64:
      return Value(int64_t{ValueOf<arrow::Int64Scalar>(scalar)});
    case arrow::Type::FLOAT:
      return Value(ValueOf<arrow::FloatScalar>(scalar));
    case arrow::Type::DOUBLE:
      return Value(ValueOf<arrow::DoubleScalar>(scalar));
    case arrow::Type::DECIMAL128:
      return Value(ValueOf<arrow::Decimal128Scalar>(scalar));
    case arrow::Type::TIMESTAMP:
      return Value(TimestampFromUnits(ValueOf<arrow::TimestampScalar>(scalar), UnitsPerMilli(type)));
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return Value(std::string(static_cast<const arrow::BaseBinaryScalar&>(scalar).view()));
    default:
      return Unsupported("a value of ", type.ToSqlString());
  }
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ToScalar(const Value& value, const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(const auto arrow_type, ToArrowType(type));
  if (IsNull(value)) return arrow::MakeNullScalar(arrow_type);
  switch (arrow_type->id()) {
    case arrow::Type::BOOL: {
      ARROW_ASSIGN_OR_RAISE(const bool held, Get<bool>(value, type));
      return std::make_shared<arrow::BooleanScalar>(held);
    }
    case arrow::Type::INT8:
      return IntegerScalar<int8_t, arrow::Int8Scalar>(value, type, arrow_type);
    case arrow::Type::INT16:
      return IntegerScalar<int16_t, arrow::Int16Scalar>(value, type, arrow_type);
    case arrow::Type::INT32:
      return IntegerScalar<int32_t, arrow::Int32Scalar>(value, type, arrow_type);
    case arrow::Type::DATE32:
      return IntegerScalar<int32_t, arrow::Date32Scalar>(value, type, arrow_type);
    case arrow::Type::TIME32:
      return IntegerScalar<int32_t, arrow::Time32Scalar>(value, type, arrow_type);
    case arrow::Type::INT64:
      return IntegerScalar<int64_t, arrow::Int64Scalar>(value, type, arrow_type);
    case arrow::Type::FLOAT: {
      ARROW_ASSIGN_OR_RAISE(const float held, Get<float>(value, type));
      return std::make_shared<arrow::FloatScalar>(held);
    }
    case arrow::Type::DOUBLE: {
      ARROW_ASSIGN_OR_RAISE(const double held, Get<double>(value, type));
      return std::make_shared<arrow::DoubleScalar>(held);
    }
    case arrow::Type::DECIMAL128: {
      ARROW_ASSIGN_OR_RAISE(const arrow::Decimal128 held, Get<arrow::Decimal128>(value, type));
      return std::make_shared<arrow::Decimal128Scalar>(held, arrow_type);
    }
    case arrow::Type::TIMESTAMP: {
      ARROW_ASSIGN_OR_RAISE(const TimestampValue held, Get<TimestampValue>(value, type));
      ARROW_ASSIGN_OR_RAISE(const int64_t units, TimestampToUnits(held, UnitsPerMilli(type)));
      return std::make_shared<arrow::TimestampScalar>(units, arrow_type);
    }
    case arrow::Type::STRING: {
      ARROW_ASSIGN_OR_RAISE(std::string held, Get<std::string>(value, type));
      return std::make_shared<arrow::StringScalar>(std::move(held));
    }
    case arrow::Type::BINARY: {
      ARROW_ASSIGN_OR_RAISE(std::string held, Get<std::string>(value, type));
      return std::make_shared<arrow::BinaryScalar>(std::move(held));
    }
    default:
      return Unsupported("a value of ", type.ToSqlString());
  }
}

}  // namespace bactrian
