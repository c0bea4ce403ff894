#include "type_mapping.h"

#include "duckdb/common/types/hugeint.hpp"

namespace bactrian::sql {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

namespace {

constexpr int32_t kMicrosecondDigits = 6;
constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kNanosPerMilli = 1000000;

/// Of an element or a field.
arrow::Result<LogicalType> ToInnerType(const DataType& type) {
  if (type.root() == TypeRoot::kVariant) return Unsupported("a VARIANT within another type cannot be used in SQL yet");
  return ToLogicalType(type);
}

arrow::Result<TypePtr> FromInnerType(const LogicalType& type, bool nullable) {
  if (type.id() == LogicalTypeId::VARIANT) {
    return Unsupported("a Paimon table that SQL makes cannot hold a VARIANT within another type yet");
  }
  return FromLogicalType(type, nullable);
}

arrow::Result<LogicalType> ToStruct(const DataType& type) {
  if (type.fields().empty()) return Unsupported("SQL cannot hold a ROW without fields");
  duckdb::child_list_t<LogicalType> children;
  for (const Field& field : type.fields()) {
    ARROW_ASSIGN_OR_RAISE(LogicalType child, ToInnerType(*field.type));
    children.emplace_back(field.name, std::move(child));
  }
  return LogicalType::STRUCT(std::move(children));
}

arrow::Result<TypePtr> FromStruct(const LogicalType& type, bool nullable) {
  std::vector<Field> fields;
  for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
    ARROW_ASSIGN_OR_RAISE(TypePtr child_type, FromInnerType(child, true));
    fields.push_back({.name = NameText(name), .type = std::move(child_type)});
  }
  return DataType::Row(std::move(fields), nullable);
}

/// Microseconds since the epoch; nullopt when the value is finer than that or does not fit.
std::optional<int64_t> ToMicros(const TimestampValue& value) {
  int64_t micros;
  if (value.nanos % kMicrosPerMilli != 0 || __builtin_mul_overflow(value.millis, kMicrosPerMilli, &micros)) return std::nullopt;
  return micros + value.nanos / kMicrosPerMilli;
}

TimestampValue FromEpoch(int64_t ticks, int64_t ticks_per_milli) {
  int64_t millis = ticks / ticks_per_milli;
  int64_t rest = ticks % ticks_per_milli;
  if (rest < 0) {
    --millis;
    rest += ticks_per_milli;
  }
  return {millis, static_cast<int32_t>(rest * (kNanosPerMilli / ticks_per_milli))};
}

arrow::Decimal128 ToDecimal(duckdb::hugeint_t value) { return arrow::Decimal128(value.upper, value.lower); }

}  // namespace

arrow::Result<LogicalType> ToLogicalType(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return LogicalType::VARCHAR;
    case TypeRoot::kBoolean:
      return LogicalType::BOOLEAN;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return LogicalType::BLOB;
    case TypeRoot::kDecimal:
      return LogicalType::DECIMAL(static_cast<uint8_t>(type.precision()), static_cast<uint8_t>(type.scale()));
    case TypeRoot::kTinyint:
      return LogicalType::TINYINT;
    case TypeRoot::kSmallint:
      return LogicalType::SMALLINT;
    case TypeRoot::kInt:
      return LogicalType::INTEGER;
    case TypeRoot::kBigint:
      return LogicalType::BIGINT;
    case TypeRoot::kFloat:
      return LogicalType::FLOAT;
    case TypeRoot::kDouble:
      return LogicalType::DOUBLE;
    case TypeRoot::kDate:
      return LogicalType::DATE;
    case TypeRoot::kTime:
      return LogicalType::TIME;
    case TypeRoot::kTimestamp:
      return type.precision() <= kMicrosecondDigits ? LogicalType::TIMESTAMP : LogicalType::TIMESTAMP_NS;
    case TypeRoot::kTimestampLtz:
      return LogicalType::TIMESTAMP_TZ;
    case TypeRoot::kArray: {
      ARROW_ASSIGN_OR_RAISE(LogicalType element, ToInnerType(*type.children()[0]));
      return LogicalType::LIST(std::move(element));
    }
    case TypeRoot::kVector: {
      ARROW_ASSIGN_OR_RAISE(LogicalType element, ToInnerType(*type.children()[0]));
      return LogicalType::ARRAY(std::move(element), static_cast<duckdb::idx_t>(type.length()));
    }
    case TypeRoot::kMultiset: {
      ARROW_ASSIGN_OR_RAISE(LogicalType element, ToInnerType(*type.children()[0]));
      return LogicalType::MAP(std::move(element), LogicalType::INTEGER);
    }
    case TypeRoot::kMap: {
      ARROW_ASSIGN_OR_RAISE(LogicalType key, ToInnerType(*type.children()[0]));
      ARROW_ASSIGN_OR_RAISE(LogicalType value, ToInnerType(*type.children()[1]));
      return LogicalType::MAP(std::move(key), std::move(value));
    }
    case TypeRoot::kRow:
      return ToStruct(type);
    case TypeRoot::kVariant:
      return LogicalType::VARIANT();
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      break;
  }
  return Unsupported("type ", type.ToSqlString(), " cannot be used in SQL yet");
}

arrow::Result<TypePtr> FromLogicalType(const LogicalType& type, bool nullable) {
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return DataType::Make(TypeRoot::kBoolean, nullable);
    case LogicalTypeId::TINYINT:
      return DataType::Make(TypeRoot::kTinyint, nullable);
    case LogicalTypeId::UTINYINT:
    case LogicalTypeId::SMALLINT:
      return DataType::Make(TypeRoot::kSmallint, nullable);
    case LogicalTypeId::USMALLINT:
    case LogicalTypeId::INTEGER:
      return DataType::Int(nullable);
    case LogicalTypeId::UINTEGER:
    case LogicalTypeId::BIGINT:
      return DataType::Bigint(nullable);
    case LogicalTypeId::UBIGINT:
      return DataType::Decimal(20, 0, nullable);
    case LogicalTypeId::HUGEINT:  // what sum() of integers gives; beyond 38 digits the insert fails
      return DataType::Decimal(38, 0, nullable);
    case LogicalTypeId::FLOAT:
      return DataType::Make(TypeRoot::kFloat, nullable);
    case LogicalTypeId::DOUBLE:
      return DataType::Make(TypeRoot::kDouble, nullable);
    case LogicalTypeId::DECIMAL:
      return DataType::Decimal(duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type), nullable);
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::UUID:
    case LogicalTypeId::ENUM:
      return DataType::String(nullable);
    case LogicalTypeId::BLOB:
      return DataType::Bytes(nullable);
    case LogicalTypeId::DATE:
      return DataType::Make(TypeRoot::kDate, nullable);
    case LogicalTypeId::TIME:
      return DataType::WithPrecision(TypeRoot::kTime, 3, nullable);
    case LogicalTypeId::TIMESTAMP_SEC:
      return DataType::WithPrecision(TypeRoot::kTimestamp, 0, nullable);
    case LogicalTypeId::TIMESTAMP_MS:
      return DataType::WithPrecision(TypeRoot::kTimestamp, 3, nullable);
    case LogicalTypeId::TIMESTAMP:
      return DataType::WithPrecision(TypeRoot::kTimestamp, 6, nullable);
    case LogicalTypeId::TIMESTAMP_NS:
      return DataType::WithPrecision(TypeRoot::kTimestamp, 9, nullable);
    case LogicalTypeId::TIMESTAMP_TZ:
      return DataType::WithPrecision(TypeRoot::kTimestampLtz, 6, nullable);
    case LogicalTypeId::LIST: {
      ARROW_ASSIGN_OR_RAISE(TypePtr element, FromInnerType(duckdb::ListType::GetChildType(type), true));
      return DataType::Array(std::move(element), nullable);
    }
    case LogicalTypeId::ARRAY: {
      ARROW_ASSIGN_OR_RAISE(TypePtr element, FromInnerType(duckdb::ArrayType::GetChildType(type), true));
      return DataType::Vector(std::move(element), static_cast<int32_t>(duckdb::ArrayType::GetSize(type)), nullable);
    }
    case LogicalTypeId::MAP: {
      ARROW_ASSIGN_OR_RAISE(TypePtr key, FromInnerType(duckdb::MapType::KeyType(type), false));
      ARROW_ASSIGN_OR_RAISE(TypePtr value, FromInnerType(duckdb::MapType::ValueType(type), true));
      return DataType::Map(std::move(key), std::move(value), nullable);
    }
    case LogicalTypeId::STRUCT:
      return FromStruct(type, nullable);
    case LogicalTypeId::VARIANT:
      return DataType::Make(TypeRoot::kVariant, nullable);
    default:
      return Unsupported("a Paimon table cannot hold the type ", type.ToString());
  }
}

std::optional<Value> ToPaimonValue(const duckdb::Value& constant, const DataType& type) {
  if (constant.IsNull()) return Value{};
  arrow::Result<LogicalType> logical_type = ToLogicalType(type);
  if (!logical_type.ok() || constant.type().id() != logical_type->id()) return std::nullopt;
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Value{constant.GetValue<bool>()};
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
      return Value{constant.GetValue<int64_t>()};
    case TypeRoot::kFloat:
      return Value{constant.GetValue<float>()};
    case TypeRoot::kDouble:
      return Value{constant.GetValue<double>()};
    case TypeRoot::kDate: {
      const duckdb::date_t date = duckdb::DateValue::Get(constant);
      if (!duckdb::Value::IsFinite(date)) return std::nullopt;
      return Value{static_cast<int64_t>(date.days)};
    }
    case TypeRoot::kTime: {
      const int64_t micros = MicrosOf(duckdb::TimeValue::Get(constant));
      if (micros % kMicrosPerMilli != 0) return std::nullopt;
      return Value{micros / kMicrosPerMilli};
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      if (constant.type().id() == LogicalTypeId::TIMESTAMP_NS) {
        return Value{FromEpoch(duckdb::TimestampNSValue::Get(constant).value, kNanosPerMilli)};
      }
      const duckdb::timestamp_t timestamp = constant.GetValueUnsafe<duckdb::timestamp_t>();
      if (!duckdb::Value::IsFinite(timestamp)) return std::nullopt;
      return Value{FromEpoch(timestamp.value, kMicrosPerMilli)};
    }
    case TypeRoot::kDecimal:
      if (constant.type() != *logical_type) return std::nullopt;
      return Value{ToDecimal(duckdb::IntegralValue::Get(constant))};
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return Value{duckdb::StringValue::Get(constant)};
    default:
      return std::nullopt;
  }
}

arrow::Result<duckdb::Value> FromPaimonValue(const Value& value, const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(LogicalType logical_type, ToLogicalType(type));
  if (IsNull(value)) return duckdb::Value(logical_type);
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return duckdb::Value::BOOLEAN(std::get<bool>(value));
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
      return duckdb::Value::Numeric(logical_type, std::get<int64_t>(value));
    case TypeRoot::kFloat:
      return duckdb::Value::FLOAT(std::get<float>(value));
    case TypeRoot::kDouble:
      return duckdb::Value::DOUBLE(std::get<double>(value));
    case TypeRoot::kDate:
      return duckdb::Value::DATE(duckdb::date_t(static_cast<int32_t>(std::get<int64_t>(value))));
    case TypeRoot::kTime:
      return duckdb::Value::TIME(duckdb::dtime_t(std::get<int64_t>(value) * kMicrosPerMilli));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto& timestamp = std::get<TimestampValue>(value);
      if (logical_type.id() == LogicalTypeId::TIMESTAMP_NS) {
        int64_t nanos;
        if (__builtin_mul_overflow(timestamp.millis, kNanosPerMilli, &nanos)) break;
        return duckdb::Value::TIMESTAMPNS(duckdb::timestamp_ns_t(nanos + timestamp.nanos));
      }
      const std::optional<int64_t> micros = ToMicros(timestamp);
      if (!micros) break;
      return type.root() == TypeRoot::kTimestamp ? duckdb::Value::TIMESTAMP(duckdb::timestamp_t(*micros))
                                                 : duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(*micros));
    }
    case TypeRoot::kDecimal: {
      const auto& decimal = std::get<arrow::Decimal128>(value);
      const auto width = static_cast<uint8_t>(type.precision()), scale = static_cast<uint8_t>(type.scale());
      if (type.precision() > 18) {
        return duckdb::Value::DECIMAL(duckdb::hugeint_t(decimal.high_bits(), decimal.low_bits()), width, scale);
      }
      return duckdb::Value::DECIMAL(static_cast<int64_t>(decimal.low_bits()), width, scale);
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return duckdb::Value(std::get<std::string>(value));
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return duckdb::Value::BLOB_RAW(std::get<std::string>(value));
    default:
      break;
  }
  return Unsupported("SQL cannot hold the ", type.ToSqlString(), " value ", FormatValue(value, type));
}

}  // namespace bactrian::sql
