/// Roaring bitmaps from bytes nobody vouched for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bactrian/base/row_ranges.h"
#include "bactrian/status.h"

namespace bactrian {

/// A set of 64-bit row positions. Serialised as indexes.md says (RB32: portable 32-bit roaring; RB64P: Roaring64 portable).
/// Movable; const methods may be called from any thread.
class RoaringBitmap {
 public:
  RoaringBitmap();
  ~RoaringBitmap();
  RoaringBitmap(RoaringBitmap&&) noexcept;
  RoaringBitmap& operator=(RoaringBitmap&&) noexcept;

  /// Containers are validated (order, cardinalities, lengths) before the library sees them. `consumed` gets the bytes used.
  static arrow::Result<RoaringBitmap> ParseRb32(std::string_view bytes, size_t* consumed = nullptr);
  static arrow::Result<RoaringBitmap> ParseRb64Portable(std::string_view bytes, size_t* consumed = nullptr);
  /// Run-optimised first. kInvalid if a value is 2^32 or more.
  arrow::Result<std::string> ToRb32() const;
  std::string ToRb64Portable() const;

  void Add(uint64_t value);
  void AddRange(uint64_t begin, uint64_t end);  ///< [begin, end)
  bool Contains(uint64_t value) const;
  uint64_t Cardinality() const;
  void UnionWith(const RoaringBitmap& other);
  void IntersectWith(const RoaringBitmap& other);
  /// The set's values below num_rows as ranges.
  RowRanges ToRanges(int64_t num_rows) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bactrian
