/// Where things lie in BinaryRow and BinaryArray bytes, and the 8-byte slots they share (format reference: binaryrow.md §1,
/// §2).
#pragma once

#include <arrow/util/decimal.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bactrian/data_type.h"
#include "bactrian/value.h"

namespace bactrian {

static_assert(std::endian::native == std::endian::little, "rows are little-endian and are copied as they are");

inline constexpr size_t kSlotBytes = 8;
inline constexpr size_t kMaxInlineBytes = 7;         ///< longer strings go to the variable part
inline constexpr int32_t kMaxCompactPrecision = 18;  ///< decimals of more digits go to the variable part
inline constexpr int32_t kMaxMillisPrecision = 3;    ///< timestamps of more digits go to the variable part
inline constexpr size_t kDecimalBytes = 16;
inline constexpr size_t kTimestampBytes = 8;
inline constexpr size_t kMaxRowBytes = 0x7fffffff;  ///< the reference's offsets are Java ints
inline constexpr uint8_t kInlineMark = 0x80;

inline size_t PaddedTo8(size_t bytes) { return (bytes + 7) & ~size_t{7}; }
inline size_t RowNullBytes(size_t arity) { return (arity + 63 + 8) / 64 * 8; }
inline size_t RowFixedBytes(size_t arity) { return RowNullBytes(arity) + kSlotBytes * arity; }
inline size_t ArrayHeaderBytes(size_t length) { return 4 + (length + 31) / 32 * 4; }

/// Bit 8 of a row is its first field's, since byte 0 is the row kind.
inline bool RowBit(const char* row, size_t field) { return (row[(field + 8) / 8] >> ((field + 8) % 8)) & 1; }
inline void SetRowBit(char* row, size_t field) {
  row[(field + 8) / 8] = static_cast<char>(row[(field + 8) / 8] | 1 << ((field + 8) % 8));
}

template <typename T>
T LoadAs(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}
template <typename T>
void Store(char* bytes, T value) {
  std::memcpy(bytes, &value, sizeof(T));
}

inline bool IsCompact(const DataType& decimal) { return decimal.precision() <= kMaxCompactPrecision; }
inline bool IsMillis(const DataType& timestamp) { return timestamp.precision() <= kMaxMillisPrecision; }

/// Bytes of the variable part that a field takes whatever its value, null included.
inline size_t ReservedBytes(const DataType& type) {
  if (type.root() == TypeRoot::kDecimal && !IsCompact(type)) return kDecimalBytes;
  if (type.is_timestamp() && !IsMillis(type)) return kTimestampBytes;
  return 0;
}

/// Java's BigInteger.toByteArray(): big-endian two's complement without needless leading bytes, into `bytes` (16 of them).
/// Returns the length.
size_t MinimalBigEndian(const arrow::Decimal128& value, char* bytes);

/// Writes values into the slots of one row or array. The fixed part must be there, zeroed; variable parts go to
/// `variable` bytes from the start of the row, and are padded with the zeros that are there. The caller has made room.
class SlotWriter {
 public:
  SlotWriter(char* base, size_t variable) : base_(base), variable_(variable) {}

  void PutDecimal(char* slot, const arrow::Decimal128& value, bool compact) {
    if (compact) {
      Store(slot, static_cast<int64_t>(value.low_bits()));
      return;
    }
    const size_t length = MinimalBigEndian(value, base_ + variable_);
    PutReference(slot, length);
    variable_ += kDecimalBytes;
  }
  void PutTimestamp(char* slot, TimestampValue value, bool millis) {
    if (millis) {
      Store(slot, value.millis);
      return;
    }
    Store(base_ + variable_, value.millis);
    PutReference(slot, static_cast<uint32_t>(value.nanos));
    variable_ += kTimestampBytes;
  }
  void PutBytes(char* slot, std::string_view bytes) {
    if (bytes.size() <= kMaxInlineBytes) {
      if (!bytes.empty()) std::memcpy(slot, bytes.data(), bytes.size());
      slot[kSlotBytes - 1] = static_cast<char>(kInlineMark | bytes.size());
      return;
    }
    PutNested(slot, [bytes](char* base) {
      std::memcpy(base, bytes.data(), bytes.size());
      return bytes.size();
    });
  }
  /// Rows, arrays and maps, which are never inlined: `write` puts the bytes at the address it gets and returns their number.
  template <typename Write>
  void PutNested(char* slot, const Write& write) {
    const size_t length = write(base_ + variable_);
    PutReference(slot, length);
    variable_ += PaddedTo8(length);
  }
  /// What a null of such a type leaves behind in a row (not in an array).
  void PutReserved(char* slot, size_t reserved) {
    if (reserved == 0) return;
    PutReference(slot, 0);
    variable_ += reserved;
  }
  size_t end() const { return variable_; }

 private:
  void PutReference(char* slot, uint64_t low) { Store(slot, static_cast<uint64_t>(variable_) << 32 | low); }

  char* base_;
  size_t variable_;
};

/// Checked reading of slots. `bytes` is the whole row or array; `slot` lies inside. Errors are kCorrupt.
arrow::Result<std::string_view> SlotBytes(std::string_view bytes, const char* slot);
arrow::Result<std::string_view> SlotNested(std::string_view bytes, const char* slot);
arrow::Result<arrow::Decimal128> SlotDecimal(std::string_view bytes, const char* slot, bool compact);
arrow::Result<TimestampValue> SlotTimestamp(std::string_view bytes, const char* slot, bool millis);

}  // namespace bactrian
