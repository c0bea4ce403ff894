/// Typed looks at the columns of a metadata batch whose schema is known.
#pragma once

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bactrian {

/// A fixed-width column, null or not. The array must outlive it.
template <typename ArrayType>
class NumberColumn {
 public:
  explicit NumberColumn(const arrow::Array& array) : array_(static_cast<const ArrayType&>(array)) {}
  auto operator[](int64_t row) const { return array_.Value(row); }
  auto Get(int64_t row) const {
    using T = decltype(array_.Value(row));
    return array_.IsNull(row) ? std::optional<T>() : std::optional<T>(array_.Value(row));
  }

 private:
  const ArrayType& array_;
};

/// STRING and BYTES.
class BytesColumn {
 public:
  explicit BytesColumn(const arrow::Array& array) : array_(static_cast<const arrow::BinaryArray&>(array)) {}
  std::string_view operator[](int64_t row) const { return array_.GetView(row); }
  std::optional<std::string> Get(int64_t row) const {
    return array_.IsNull(row) ? std::optional<std::string>() : std::optional<std::string>(array_.GetView(row));
  }

 private:
  const arrow::BinaryArray& array_;
};

/// A list whose elements are looked at by an Element column.
template <typename Element>
class ListColumn {
 public:
  explicit ListColumn(const arrow::Array& array)
      : array_(static_cast<const arrow::ListArray&>(array)), elements_(*array_.values()) {}
  bool IsNull(int64_t row) const { return array_.IsNull(row); }
  /// Each element by `add(element column, position)`; none for null.
  template <typename Add>
  void ForEach(int64_t row, Add add) const {
    if (array_.IsNull(row)) return;
    for (int64_t i = array_.value_offset(row), end = i + array_.value_length(row); i < end; ++i) add(elements_, i);
  }
  int64_t size(int64_t row) const { return array_.IsNull(row) ? 0 : array_.value_length(row); }

 private:
  const arrow::ListArray& array_;
  Element elements_;
};

inline const arrow::Array& Child(const arrow::Array& struct_array, int i) {
  return *static_cast<const arrow::StructArray&>(struct_array).field(i);
}

}  // namespace bactrian
