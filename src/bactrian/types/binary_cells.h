/// Values of Arrow arrays as the slots of BinaryRows and BinaryArrays; shared by the columnar row encoder and the nested one.
#pragma once

#include <arrow/array.h>

#include <limits>

#include "bactrian/types/binary_layout.h"
#include "bactrian/types/timestamp.h"

namespace bactrian {

/// kInvalid unless arrays of `arrow_type` hold values of `type` as ToArrowType says (names and nullability aside).
arrow::Status CheckArrowType(const DataType& type, const arrow::DataType& arrow_type);

/// Width of an element in a BinaryArray: 1, 2, 4 or 8 bytes.
size_t ElementWidth(const DataType& type);

/// Bytes of the variable part that the cells [begin, begin + length) take, padding included.
enum class Container : uint8_t { kRow, kArray };
size_t VariableBytes(const DataType& type, const arrow::Array& array, int64_t begin, int64_t length, Container container);

/// Writes one nested value (ARRAY, VECTOR, MULTISET, MAP, ROW, VARIANT) to zeroed memory; returns its size. There must be
/// room for NestedBytes().
size_t NestedBytes(const DataType& type, const arrow::Array& array, int64_t i);
size_t WriteNested(const DataType& type, const arrow::Array& array, int64_t i, char* base);

/// Calls `use` with a function (int64_t i, char* slot, SlotWriter*) that writes the non-null cell i of `array`. The type is
/// looked at once, so that `use` may loop. CheckArrowType() must have passed.
template <typename Use>
void WithCellWriter(const DataType& type, const arrow::Array& array, Container container, const Use& use) {
  const auto primitive = [&](const auto& typed) {
    use([&typed](int64_t i, char* slot, SlotWriter*) { Store(slot, typed.Value(i)); });
  };
  // The reference's array writer knows one NaN only, its row writer keeps the bits.
  const auto floating = [&](const auto& typed) {
    using T = std::decay_t<decltype(typed.Value(0))>;
    const bool one_nan = container == Container::kArray;
    use([&typed, one_nan](int64_t i, char* slot, SlotWriter*) {
      const T value = typed.Value(i);
      Store(slot, one_nan && value != value ? std::numeric_limits<T>::quiet_NaN() : value);
    });
  };
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return primitive(static_cast<const arrow::BooleanArray&>(array));
    case TypeRoot::kTinyint:
      return primitive(static_cast<const arrow::Int8Array&>(array));
    case TypeRoot::kSmallint:
      return primitive(static_cast<const arrow::Int16Array&>(array));
    case TypeRoot::kInt:
      return primitive(static_cast<const arrow::Int32Array&>(array));
    case TypeRoot::kBigint:
      return primitive(static_cast<const arrow::Int64Array&>(array));
    case TypeRoot::kDate:
      return primitive(static_cast<const arrow::Date32Array&>(array));
    case TypeRoot::kTime:
      return primitive(static_cast<const arrow::Time32Array&>(array));
    case TypeRoot::kFloat:
      return floating(static_cast<const arrow::FloatArray&>(array));
    case TypeRoot::kDouble:
      return floating(static_cast<const arrow::DoubleArray&>(array));
    case TypeRoot::kDecimal: {
      const auto& typed = static_cast<const arrow::Decimal128Array&>(array);
      const bool compact = IsCompact(type);
      return use([&typed, compact](int64_t i, char* slot, SlotWriter* writer) {
        writer->PutDecimal(slot, arrow::Decimal128(typed.GetValue(i)), compact);
      });
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto& typed = static_cast<const arrow::TimestampArray&>(array);
      const bool millis = IsMillis(type);
      const int32_t units = UnitsPerMilli(type);
      return use([&typed, millis, units](int64_t i, char* slot, SlotWriter* writer) {
        writer->PutTimestamp(slot, TimestampFromUnits(typed.Value(i), units), millis);
      });
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography: {
      const auto& typed = static_cast<const arrow::BinaryArray&>(array);
      return use([&typed](int64_t i, char* slot, SlotWriter* writer) { writer->PutBytes(slot, typed.GetView(i)); });
    }
    case TypeRoot::kArray:
    case TypeRoot::kVector:
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
    case TypeRoot::kVariant:
      return use([&](int64_t i, char* slot, SlotWriter* writer) {
        writer->PutNested(slot, [&](char* base) { return WriteNested(type, array, i, base); });
      });
  }
}

}  // namespace bactrian
