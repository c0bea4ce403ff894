#include "bactrian/format/parquet/value_bounds.h"

#include <parquet/bloom_filter.h>
#include <parquet/types.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "bactrian/expr/array_value.h"
#include "bactrian/format/parquet/physical_value.h"
#include "bactrian/types/timestamp.h"

namespace bactrian {
namespace {

template <typename T>
std::optional<T> Plain(std::string_view bytes) {
  T value;
  if (bytes.size() != sizeof(value)) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

std::optional<int64_t> PlainInteger(parquet::Type::type physical, std::string_view bytes) {
  if (physical == parquet::Type::INT32) return Plain<int32_t>(bytes);
  if (physical == parquet::Type::INT64) return Plain<int64_t>(bytes);
  return std::nullopt;
}

std::optional<Value> DecimalBound(const parquet::ColumnDescriptor& column, const DataType& type, std::string_view bytes) {
  const auto* logical = dynamic_cast<const parquet::DecimalLogicalType*>(column.logical_type().get());
  if (!logical || logical->scale() != type.scale()) return std::nullopt;
  if (const auto integer = PlainInteger(column.physical_type(), bytes)) return Value(arrow::Decimal128(*integer));
  arrow::Decimal128 value;
  if (bytes.empty() || !DecimalFromBigEndian(bytes, &value)) return std::nullopt;
  return Value(value);
}

/// The stored integer that is read as `literal`; nullopt where there is not exactly one.
std::optional<int64_t> StoredInteger(const parquet::ColumnDescriptor& column, const DataType& type, const Value& literal) {
  if (const auto* integer = std::get_if<int64_t>(&literal)) {
    return type.root() == TypeRoot::kTime && TimeTicksPerMilli(column) != 1 ? std::nullopt : std::optional(*integer);
  }
  if (const auto* decimal = std::get_if<arrow::Decimal128>(&literal)) {
    const auto* logical = dynamic_cast<const parquet::DecimalLogicalType*>(column.logical_type().get());
    const auto unscaled = decimal->ToInteger<int64_t>();
    return logical && logical->scale() == type.scale() && unscaled.ok() ? std::optional(*unscaled) : std::nullopt;
  }
  if (const auto* time = std::get_if<TimestampValue>(&literal)) {
    const auto unit = UnitOf(column, UnitOfPrecision(type.precision()));
    if (unit > UnitOfPrecision(type.precision())) return std::nullopt;  // several are read as one
    const auto ticks = TimestampToUnits(*time, UnitsPerMilli(unit));
    return ticks.ok() ? std::optional(*ticks) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool HasTrustedOrder(const parquet::ColumnDescriptor& column, const DataType& type) {
  if (column.column_order().get_order() != parquet::ColumnOrder::TYPE_DEFINED_ORDER) return false;
  switch (column.sort_order()) {
    case parquet::SortOrder::SIGNED:
      return column.physical_type() != parquet::Type::INT96;
    case parquet::SortOrder::UNSIGNED:
      return type.is_string() || type.is_binary() || type.root() == TypeRoot::kBoolean;
    default:
      return false;
  }
}

std::optional<Value> DecodeBound(const parquet::ColumnDescriptor& column, const DataType& type, std::string_view bytes) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      if (column.physical_type() != parquet::Type::BOOLEAN || bytes.size() != 1) return std::nullopt;
      return Value(bytes[0] != 0);
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
    case TypeRoot::kDate:
      if (const auto integer = PlainInteger(column.physical_type(), bytes)) return Value(*integer);
      return std::nullopt;
    case TypeRoot::kTime:
      if (const auto time = PlainInteger(column.physical_type(), bytes)) return Value(*time / TimeTicksPerMilli(column));
      return std::nullopt;
    case TypeRoot::kFloat:
      if (column.physical_type() != parquet::Type::FLOAT) return std::nullopt;
      if (const auto number = Plain<float>(bytes)) return Value(*number);
      return std::nullopt;
    case TypeRoot::kDouble:
      if (column.physical_type() != parquet::Type::DOUBLE) return std::nullopt;
      if (const auto number = Plain<double>(bytes)) return Value(*number);
      return std::nullopt;
    case TypeRoot::kDecimal:
      return DecimalBound(column, type, bytes);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto unit = UnitOf(column, UnitOfPrecision(type.precision()));
      const auto ticks = PlainInteger(column.physical_type(), bytes);
      // A finer unit than is read would be cut off.
      if (column.physical_type() != parquet::Type::INT64 || !ticks || unit > UnitOfPrecision(type.precision())) {
        return std::nullopt;
      }
      return Value(TimestampFromUnits(*ticks, UnitsPerMilli(unit)));
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      if (column.physical_type() != parquet::Type::BYTE_ARRAY) return std::nullopt;
      return Value(std::string(bytes));
    default:
      return std::nullopt;
  }
}

bool BloomMayContain(const parquet::BloomFilter& filter, const parquet::ColumnDescriptor& column, const DataType& type,
                     const Value& literal) {
  switch (column.physical_type()) {
    case parquet::Type::INT32:
    case parquet::Type::INT64: {
      if (column.sort_order() == parquet::SortOrder::UNSIGNED) return true;
      const auto stored = StoredInteger(column, type, literal);
      if (!stored) return true;
      if (column.physical_type() == parquet::Type::INT64) return filter.FindHash(filter.Hash(*stored));
      return !std::in_range<int32_t>(*stored) || filter.FindHash(filter.Hash(static_cast<int32_t>(*stored)));
    }
    case parquet::Type::FLOAT: {  // zeros and NaN have several encodings
      const auto* number = std::get_if<float>(&literal);
      return !number || *number == 0 || std::isnan(*number) || filter.FindHash(filter.Hash(*number));
    }
    case parquet::Type::DOUBLE: {
      const auto* number = std::get_if<double>(&literal);
      return !number || *number == 0 || std::isnan(*number) || filter.FindHash(filter.Hash(*number));
    }
    case parquet::Type::BYTE_ARRAY: {
      const auto* bytes = std::get_if<std::string>(&literal);
      return !bytes || filter.FindHash(filter.Hash(std::string_view(*bytes)));
    }
    default:
      return true;
  }
}

}  // namespace bactrian
