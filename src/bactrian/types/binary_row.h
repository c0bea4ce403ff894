/// BinaryRow: the reference's row bytes, used in manifests and for bucket hashing (format reference: binaryrow.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/value.h"

namespace bactrian {

/// Row bytes (without arity prefix) of atomic values. `types` and `values` have the same length.
arrow::Result<std::string> EncodeBinaryRow(std::span<const TypePtr> types, std::span<const Value> values);

/// A checked view of row bytes; the bytes must outlive it. Nothing is read outside of them.
class BinaryRowView {
 public:
  BinaryRowView() = default;
  /// kCorrupt if `bytes` cannot hold `arity` fields.
  static arrow::Result<BinaryRowView> Make(std::string_view bytes, int arity);
  int arity() const { return arity_; }
  bool IsNullAt(int i) const;
  arrow::Result<Value> Get(int i, const DataType& type) const;  ///< atomic types
  arrow::Result<std::string_view> GetBytes(int i) const;        ///< string, binary: no copy
  const char* Slot(int i) const;                                ///< the 8 bytes of field i (binary_layout.h)
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  int arity_ = 0;
};

/// With the big-endian arity prefix, as in manifest columns (binaryrow.md §4).
std::string SerializeRow(std::string_view row_bytes, int arity);
struct SerializedRow {
  int arity;
  std::string_view row_bytes;
};
arrow::Result<SerializedRow> ParseSerializedRow(std::string_view bytes);
/// All values of a serialised row; fewer fields than types (older or empty rows) give nulls for the rest.
arrow::Result<std::vector<Value>> DecodeSerializedRow(std::string_view bytes, std::span<const TypePtr> types);
arrow::Result<std::string> EncodeSerializedRow(std::span<const TypePtr> types, std::span<const Value> values);
/// The 12 bytes of a row without fields.
std::string_view EmptySerializedRow();

/// Murmur3 with seed 42 over whole rows (binaryrow.md §5); `row_bytes` is a multiple of 4 long.
int32_t HashBinaryRow(std::string_view row_bytes);

}  // namespace bactrian
