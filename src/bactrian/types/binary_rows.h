/// Columns to BinaryRows and back, column by column (format reference: binaryrow.md §1–3).
///
///   EncodedRows keys;
///   ARROW_RETURN_NOT_OK(EncodeBinaryRows(key_types, key_columns, batch.num_rows(), &keys));
///   HashBinaryRow(keys.Row(7));
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

/// Rows without arity prefix, one after the other. Reused from batch to batch it keeps its memory.
struct EncodedRows {
  std::string bytes;
  std::vector<size_t> offsets;  ///< rows + 1

  int64_t num_rows() const { return offsets.empty() ? 0 : static_cast<int64_t>(offsets.size()) - 1; }
  std::string_view Row(int64_t i) const {
    const auto k = static_cast<size_t>(i);
    return std::string_view(bytes).substr(offsets[k], offsets[k + 1] - offsets[k]);
  }
};

/// Encodes `num_rows` rows of arrays of ToArrowType(types[i]), nested types included; kInvalid for other arrays, and for a
/// row of 2 GiB or more. No columns give empty rows (8 bytes).
arrow::Status EncodeBinaryRows(std::span<const TypePtr> types, std::span<const std::shared_ptr<arrow::Array>> columns,
                               int64_t num_rows, EncodedRows* rows);

/// Arrays of ToArrowType(types[i]) from rows without arity prefix, each of types.size() fields. kCorrupt for rows that
/// contradict the types; nothing is allocated for a length that the bytes do not have.
arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> DecodeBinaryRows(std::span<const std::string_view> rows,
                                                                           std::span<const TypePtr> types,
                                                                           arrow::MemoryPool* pool);

}  // namespace bactrian
