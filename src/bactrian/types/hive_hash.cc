#include "bactrian/types/hive_hash.h"

#include <arrow/array.h>

#include <bit>

namespace bactrian {
namespace {

uint32_t HashOf(bool value) { return value ? 1 : 0; }
uint32_t HashOf(int8_t value) { return static_cast<uint32_t>(value); }
uint32_t HashOf(int16_t value) { return static_cast<uint32_t>(value); }
uint32_t HashOf(int32_t value) { return static_cast<uint32_t>(value); }
uint32_t HashOf(int64_t value) {
  return static_cast<uint32_t>(value ^ static_cast<int64_t>(static_cast<uint64_t>(value) >> 32));
}

/// Java's floatToIntBits and doubleToLongBits know one NaN; Hive hashes -0.0 as 0.0.
uint32_t HashOf(float value) {
  if (value != value) return 0x7fc00000U;
  return std::bit_cast<uint32_t>(value == 0 ? 0.0F : value);
}
uint32_t HashOf(double value) {
  if (value != value) return HashOf(int64_t{0x7ff8000000000000});
  return HashOf(std::bit_cast<int64_t>(value == 0 ? 0.0 : value));
}

uint32_t HashOf(std::string_view bytes) {
  uint32_t hash = 0;
  for (char c : bytes) hash = hash * 31 + static_cast<uint32_t>(static_cast<int8_t>(c));
  return hash;
}

/// BigDecimal.hashCode() of the value without trailing zeros: 31 * hash of the unscaled number + scale.
uint32_t HashOf(arrow::Decimal128 value, int32_t scale) {
  if (value == 0) return 0;
  for (; scale > 0; --scale) {
    const auto [quotient, remainder] = value.Divide(10).ValueOrDie();
    if (remainder != 0) break;
    value = quotient;
  }
  const bool negative = value.high_bits() < 0;
  if (negative) value.Negate();
  uint32_t hash = 0;
  for (const uint64_t word : {static_cast<uint64_t>(value.high_bits()), value.low_bits()}) {
    hash = hash * 31 + static_cast<uint32_t>(word >> 32);
    hash = hash * 31 + static_cast<uint32_t>(word);
  }
  return (negative ? 0 - hash : hash) * 31 + static_cast<uint32_t>(scale);
}

template <typename ArrayType>
void Combine(const arrow::Array& column, std::span<uint32_t> hashes) {
  const auto& typed = static_cast<const ArrayType&>(column);
  for (int64_t i = 0; i < column.length(); ++i) {
    uint32_t& hash = hashes[static_cast<size_t>(i)];
    hash = hash * 31 + (column.IsNull(i) ? 0 : HashOf(typed.GetView(i)));
  }
}

}  // namespace

bool HasHiveHash(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kDecimal:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return true;
    default:
      return false;
  }
}

uint32_t HiveHash(const Value& value, const DataType& type) {
  if (const auto* v = std::get_if<bool>(&value)) return HashOf(*v);
  if (const auto* v = std::get_if<int64_t>(&value)) {
    return type.root() == TypeRoot::kBigint ? HashOf(*v) : HashOf(static_cast<int32_t>(*v));
  }
  if (const auto* v = std::get_if<float>(&value)) return HashOf(*v);
  if (const auto* v = std::get_if<double>(&value)) return HashOf(*v);
  if (const auto* v = std::get_if<std::string>(&value)) return HashOf(std::string_view(*v));
  if (const auto* v = std::get_if<arrow::Decimal128>(&value)) return HashOf(*v, type.scale());
  return 0;
}

void CombineHiveHashes(const DataType& type, const arrow::Array& column, std::span<uint32_t> hashes) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Combine<arrow::BooleanArray>(column, hashes);
    case TypeRoot::kTinyint:
      return Combine<arrow::Int8Array>(column, hashes);
    case TypeRoot::kSmallint:
      return Combine<arrow::Int16Array>(column, hashes);
    case TypeRoot::kInt:
      return Combine<arrow::Int32Array>(column, hashes);
    case TypeRoot::kDate:
      return Combine<arrow::Date32Array>(column, hashes);
    case TypeRoot::kTime:
      return Combine<arrow::Time32Array>(column, hashes);
    case TypeRoot::kBigint:
      return Combine<arrow::Int64Array>(column, hashes);
    case TypeRoot::kFloat:
      return Combine<arrow::FloatArray>(column, hashes);
    case TypeRoot::kDouble:
      return Combine<arrow::DoubleArray>(column, hashes);
    case TypeRoot::kDecimal: {
      const auto& typed = static_cast<const arrow::Decimal128Array&>(column);
      for (int64_t i = 0; i < column.length(); ++i) {
        uint32_t& hash = hashes[static_cast<size_t>(i)];
        hash = hash * 31 + (column.IsNull(i) ? 0 : HashOf(arrow::Decimal128(typed.GetValue(i)), type.scale()));
      }
      return;
    }
    default:
      return Combine<arrow::BinaryArray>(column, hashes);
  }
}

}  // namespace bactrian
