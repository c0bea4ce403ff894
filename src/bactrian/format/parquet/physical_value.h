/// How single physical values are read, shared by the decoding of columns and of their bounds.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace bactrian {

/// Of an INT64 timestamp column; one without annotation has the unit that is asked for.
inline arrow::TimeUnit::type UnitOf(const parquet::ColumnDescriptor& column, arrow::TimeUnit::type otherwise) {
  const auto* type = dynamic_cast<const parquet::TimestampLogicalType*>(column.logical_type().get());
  if (!type) return otherwise;
  switch (type->time_unit()) {
    case parquet::LogicalType::TimeUnit::MILLIS:
      return arrow::TimeUnit::MILLI;
    case parquet::LogicalType::TimeUnit::MICROS:
      return arrow::TimeUnit::MICRO;
    default:
      return arrow::TimeUnit::NANO;
  }
}

inline int64_t TimeTicksPerMilli(const parquet::ColumnDescriptor& column) {
  const auto* type = dynamic_cast<const parquet::TimeLogicalType*>(column.logical_type().get());
  if (!type || type->time_unit() == parquet::LogicalType::TimeUnit::MILLIS) return 1;
  return type->time_unit() == parquet::LogicalType::TimeUnit::MICROS ? 1000 : 1000000;
}

/// Big-endian two's complement of any width; false where more than 16 bytes are more than sign.
inline bool DecimalFromBigEndian(std::string_view bytes, arrow::Decimal128* out) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint8_t sign = !bytes.empty() && data[0] >= 0x80 ? 0xff : 0;
  size_t size = bytes.size();
  for (; size > 16; --size, ++data) {
    if (*data != sign || (data[1] >= 0x80) != (sign != 0)) return false;
  }
  uint64_t words[2];
  std::memset(words, sign, sizeof(words));
  if (size > 0) std::memcpy(reinterpret_cast<uint8_t*>(words) + sizeof(words) - size, data, size);
  *out = arrow::Decimal128(static_cast<int64_t>(__builtin_bswap64(words[0])), __builtin_bswap64(words[1]));
  return true;
}

}  // namespace bactrian
