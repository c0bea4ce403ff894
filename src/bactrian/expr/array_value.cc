#include "bactrian/expr/array_value.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include "bactrian/types/timestamp.h"

namespace bactrian {
namespace {

template <typename Array>
std::string BytesAt(const arrow::Array& array, int64_t i) {
  return std::string(static_cast<const Array&>(array).GetView(i));
}

template <typename CType>
CType NumberAt(const arrow::Array& array, int64_t i) {
  return array.data()->GetValues<CType>(1)[i];
}

template <typename Builder, typename T>
arrow::Status AppendTo(arrow::ArrayBuilder* builder, T value) {
  return static_cast<Builder*>(builder)->Append(static_cast<typename Builder::value_type>(value));
}

arrow::Status AppendInteger(int64_t value, TypeRoot root, arrow::ArrayBuilder* builder) {
  switch (root) {
    case TypeRoot::kTinyint:
      return AppendTo<arrow::Int8Builder>(builder, value);
    case TypeRoot::kSmallint:
      return AppendTo<arrow::Int16Builder>(builder, value);
    case TypeRoot::kInt:
      return AppendTo<arrow::Int32Builder>(builder, value);
    case TypeRoot::kDate:
      return AppendTo<arrow::Date32Builder>(builder, value);
    case TypeRoot::kTime:
      return AppendTo<arrow::Time32Builder>(builder, value);
    default:
      return AppendTo<arrow::Int64Builder>(builder, value);
  }
}

}  // namespace

Value ValueAt(const arrow::Array& array, int64_t i, const DataType& type) {
  if (array.IsNull(i)) return {};
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return static_cast<const arrow::BooleanArray&>(array).Value(i);
    case TypeRoot::kTinyint:
      return int64_t{NumberAt<int8_t>(array, i)};
    case TypeRoot::kSmallint:
      return int64_t{NumberAt<int16_t>(array, i)};
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return int64_t{NumberAt<int32_t>(array, i)};
    case TypeRoot::kBigint:
      return NumberAt<int64_t>(array, i);
    case TypeRoot::kFloat:
      return NumberAt<float>(array, i);
    case TypeRoot::kDouble:
      return NumberAt<double>(array, i);
    case TypeRoot::kDecimal:
      return arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(array).GetValue(i));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return TimestampFromUnits(NumberAt<int64_t>(array, i), UnitsPerMilli(type));
    default:
      return BytesAt<arrow::BinaryArray>(array, i);
  }
}

arrow::Status AppendValue(const Value& value, const DataType& type, arrow::ArrayBuilder* builder) {
  if (IsNull(value)) return builder->AppendNull();
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return static_cast<arrow::BooleanBuilder*>(builder)->Append(std::get<bool>(value));
    case TypeRoot::kFloat:
      return static_cast<arrow::FloatBuilder*>(builder)->Append(std::get<float>(value));
    case TypeRoot::kDouble:
      return static_cast<arrow::DoubleBuilder*>(builder)->Append(std::get<double>(value));
    case TypeRoot::kDecimal:
      return static_cast<arrow::Decimal128Builder*>(builder)->Append(std::get<arrow::Decimal128>(value));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      ARROW_ASSIGN_OR_RAISE(int64_t units, TimestampToUnits(std::get<TimestampValue>(value), UnitsPerMilli(type)));
      return static_cast<arrow::TimestampBuilder*>(builder)->Append(units);
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return static_cast<arrow::BinaryBuilder*>(builder)->Append(std::get<std::string>(value));
    default:
      return AppendInteger(std::get<int64_t>(value), type.root(), builder);
  }
}

}  // namespace bactrian
