/// BinaryArray, BinaryMap and nested rows between their bytes and Arrow (format reference: binaryrow.md §2, §3).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "bactrian/types/binary_row.h"

namespace bactrian {

/// The bytes of value `i`, not null, of an array of ToArrowType(type), where `type` is ARRAY, VECTOR, MULTISET, MAP, ROW or
/// VARIANT. kInvalid for another type or array.
arrow::Result<std::string> EncodeNested(const arrow::Array& array, int64_t i, const DataType& type);

/// Appends one nested value to a builder of ToArrowType(type). kCorrupt for bytes that contradict the type: lengths and
/// offsets are checked, and references that overlap so that the value would grow beyond its bytes are refused.
arrow::Status AppendNested(std::string_view bytes, const DataType& type, arrow::ArrayBuilder* builder);

/// Appends field `i` of a row, of any type, null or not.
arrow::Status AppendRowField(const BinaryRowView& row, int i, const DataType& type, arrow::ArrayBuilder* builder);

}  // namespace bactrian
