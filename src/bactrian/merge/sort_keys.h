/// Sort keys of a batch's rows as bytes that compare with memcmp, so that a merge never looks at types (after the normalised
/// keys of DuckDB and Velox; order: format reference, merge.md §1 and §3).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

struct SortColumn {
  TypePtr type;
  bool descending = false;  ///< nulls stay lowest either way
};

/// Keys of one batch. Immutable, movable; holds no reference to the batch.
class SortKeys {
 public:
  /// `columns` are arrays of ToArrowType(types), all of one length. kUnsupported for a type without order.
  static arrow::Result<SortKeys> Make(std::span<const SortColumn> order,
                                      std::span<const std::shared_ptr<arrow::Array>> columns);

  int64_t num_rows() const { return static_cast<int64_t>(prefixes_.size()); }
  int64_t memory_bytes() const {
    return static_cast<int64_t>(sizeof(*this) + prefixes_.capacity() * 8 + offsets_.capacity() * 4 + bytes_.capacity());
  }

  /// The first 8 bytes of row i's key, as a number that orders like them.
  uint64_t prefix(int64_t i) const { return prefixes_[i]; }

  /// Negative, zero or positive. Both were made with the same order.
  int Compare(int64_t i, const SortKeys& other, int64_t j) const {
    const uint64_t a = prefixes_[i], b = other.prefixes_[j];
    if (a != b) return a < b ? -1 : 1;
    return offsets_.empty() && other.offsets_.empty() ? 0 : CompareBytes(i, other, j);
  }

 private:
  int CompareBytes(int64_t i, const SortKeys& other, int64_t j) const;

  std::vector<uint64_t> prefixes_;  ///< the first 8 bytes, big-endian; the whole key when there are no offsets
  std::vector<uint32_t> offsets_;   ///< num_rows + 1, into bytes_; empty when every key fits its prefix
  std::vector<uint8_t> bytes_;
};

}  // namespace bactrian
