#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "bactrian/status.h"

namespace bactrian {

/// Reads Avro's binary encoding from bytes nobody vouched for. Every method checks the end; errors are kCorrupt. The bytes must
/// outlive the cursor and the views it returns.
class AvroCursor {
 public:
  AvroCursor() = default;
  explicit AvroCursor(std::string_view bytes)
      : next_(reinterpret_cast<const uint8_t*>(bytes.data())), end_(next_ + bytes.size()) {}

  int64_t remaining() const { return end_ - next_; }
  bool at_end() const { return next_ == end_; }

  /// A zigzag variable-length integer of at most 64 bits.
  arrow::Status ReadLong(int64_t* value) {
    if (next_ != end_ && *next_ < 0x80) {
      *value = Unzigzag(*next_++);
      return arrow::Status::OK();
    }
    uint64_t bits = 0;
    for (int shift = 0; shift < 64 && next_ != end_; shift += 7) {
      const uint8_t byte = *next_++;
      if (shift == 63 && byte > 1) return Corrupt("a number of more than 64 bits");
      bits |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        *value = Unzigzag(bits);
        return arrow::Status::OK();
      }
    }
    return next_ == end_ ? CutOff() : Corrupt("a number of more than 64 bits");
  }

  arrow::Status SkipLong() {
    int64_t ignored;
    return ReadLong(&ignored);
  }

  arrow::Status ReadBoolean(bool* value) {
    if (next_ == end_) return CutOff();
    if (*next_ > 1) return Corrupt("a boolean of value ", static_cast<int>(*next_));
    *value = *next_++ != 0;
    return arrow::Status::OK();
  }

  /// float and double: little-endian bytes.
  template <typename T>
  arrow::Status ReadFixedWidth(T* value) {
    if (remaining() < static_cast<int64_t>(sizeof(T))) return CutOff();
    std::memcpy(value, next_, sizeof(T));
    next_ += sizeof(T);
    return arrow::Status::OK();
  }

  /// bytes and string: a length, then as many bytes.
  arrow::Status ReadBytes(std::string_view* value) {
    int64_t length = 0;
    ARROW_RETURN_NOT_OK(ReadLong(&length));
    return ReadRaw(length, value);
  }

  arrow::Status ReadRaw(int64_t length, std::string_view* value) {
    if (length < 0 || length > remaining()) return Corrupt("a length of ", length, " where ", remaining(), " bytes are left");
    *value = std::string_view(reinterpret_cast<const char*>(next_), static_cast<size_t>(length));
    next_ += length;
    return arrow::Status::OK();
  }

  arrow::Status Skip(int64_t length) {
    std::string_view ignored;
    return ReadRaw(length, &ignored);
  }

  /// The head of the next block of an array or map: its number of items (0: the end), and its size in bytes or -1 where it is
  /// not told. The count is checked against the bytes left, with at least `item_bytes` an item (at least 1 is assumed).
  arrow::Status ReadItemCount(int64_t item_bytes, int64_t* count, int64_t* block_bytes) {
    ARROW_RETURN_NOT_OK(ReadLong(count));
    *block_bytes = -1;
    if (*count < 0) {
      if (*count == INT64_MIN) return Corrupt("an array block of ", *count, " items");
      *count = -*count;
      ARROW_RETURN_NOT_OK(ReadLong(block_bytes));
      if (*block_bytes < 0 || *block_bytes > remaining()) return Corrupt("an array block of ", *block_bytes, " bytes");
    }
    if (*count > remaining() / (item_bytes > 0 ? item_bytes : 1)) {
      return Corrupt("an array block of ", *count, " items where ", remaining(), " bytes are left");
    }
    return arrow::Status::OK();
  }

 private:
  static int64_t Unzigzag(uint64_t bits) { return static_cast<int64_t>((bits >> 1) ^ (~(bits & 1) + 1)); }
  static arrow::Status CutOff() { return Corrupt("the data ends within a value"); }

  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
};

}  // namespace bactrian
