/// The parts of a VARIANT's bytes (Parquet's "Variant Binary Encoding").
#pragma once

#include <cstdint>
#include <string_view>

#include "bactrian/status.h"

namespace bactrian {

/// VARIANTs nested deeper are refused: what reads them recurses.
inline constexpr int kMaxVariantDepth = 1000;

enum class VariantBasicType : uint8_t { kPrimitive = 0, kShortString = 1, kObject = 2, kArray = 3 };

/// Ids of primitive values.
enum class VariantPrimitive : uint8_t {
  kNull = 0,
  kTrue = 1,
  kFalse = 2,
  kInt8 = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kDecimal4 = 8,
  kDecimal8 = 9,
  kDecimal16 = 10,
  kDate = 11,
  kTimestamp = 12,
  kTimestampNtz = 13,
  kFloat = 14,
  kBinary = 15,
  kString = 16,
  kTimeNtz = 17,
  kTimestampNanos = 18,
  kTimestampNtzNanos = 19,
  kUuid = 20,
};

/// The dictionary of field names.
class VariantMetadata {
 public:
  static arrow::Result<VariantMetadata> Parse(std::string_view bytes);
  arrow::Result<std::string_view> Name(uint32_t id) const;

 private:
  std::string_view offsets_, names_;
  int offset_size_ = 1;
  uint32_t size_ = 0;
};

/// One value, borrowed; children are found through it.
class VariantNode {
 public:
  /// `bytes` begins with the value and may go on behind it.
  static arrow::Result<VariantNode> Parse(std::string_view bytes);

  VariantBasicType basic_type() const { return basic_type_; }
  VariantPrimitive primitive() const { return primitive_; }  ///< kPrimitive only
  std::string_view bytes() const { return bytes_; }          ///< the whole of it; of primitives and short strings exactly
  std::string_view payload() const { return payload_; }      ///< a primitive's bytes, or those of a string or binary value

  uint32_t size() const { return size_; }  ///< children of an object or array
  arrow::Result<VariantNode> Child(uint32_t i) const;
  uint32_t FieldId(uint32_t i) const;  ///< objects: the id of the i-th field's name

 private:
  arrow::Status ParseContainer(uint8_t info);
  arrow::Status ParsePrimitive(uint8_t info);

  VariantBasicType basic_type_ = VariantBasicType::kPrimitive;
  VariantPrimitive primitive_ = VariantPrimitive::kNull;
  std::string_view bytes_, payload_, ids_, offsets_;
  int id_size_ = 0, offset_size_ = 0;
  uint32_t size_ = 0;
};

/// Little-endian, sign extended; `bytes` has at most 8.
int64_t ReadVariantInteger(std::string_view bytes);

}  // namespace bactrian
