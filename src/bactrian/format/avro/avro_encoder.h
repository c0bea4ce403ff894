#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"
#include "bactrian/status.h"

namespace bactrian {

/// Grows by Avro's binary encoding.
class AvroOutput {
 public:
  void WriteLong(int64_t value) {
    uint64_t bits = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    for (; bits >= 0x80; bits >>= 7) bytes_ += static_cast<char>(bits | 0x80);
    bytes_ += static_cast<char>(bits);
  }
  void WriteBoolean(bool value) { bytes_ += value ? '\1' : '\0'; }
  template <typename T>
  void WriteFixedWidth(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  void WriteRaw(std::string_view bytes) { bytes_ += bytes; }
  void WriteBytes(std::string_view bytes) {
    WriteLong(static_cast<int64_t>(bytes.size()));
    bytes_ += bytes;
  }

  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

/// Encodes the values of one array after another, of ToArrowType(type). Not thread-safe.
class AvroEncoder {
 public:
  virtual ~AvroEncoder() = default;
  /// kUnsupported for types that Avro files do not hold.
  static arrow::Result<std::unique_ptr<AvroEncoder>> Make(const DataType& type);

  /// Takes the array whose values are encoded next; it must outlive them.
  virtual arrow::Status Bind(const arrow::Array& array) = 0;
  /// kInvalid for null where the type is NOT NULL.
  arrow::Status Encode(int64_t row, AvroOutput& out) {
    const bool null = IsNull(row);
    if (nullable_) {
      out.WriteLong(null ? 0 : 1);
      return null ? arrow::Status::OK() : EncodeValue(row, out);
    }
    return null ? Invalid("null in a NOT NULL column") : EncodeValue(row, out);
  }

 protected:
  virtual bool IsNull(int64_t row) const = 0;
  virtual arrow::Status EncodeValue(int64_t row, AvroOutput& out) = 0;

 private:
  bool nullable_ = false;
};

/// Encodes rows of columns as records.
class AvroRecordEncoder {
 public:
  static arrow::Result<std::unique_ptr<AvroRecordEncoder>> Make(const std::vector<Field>& fields);
  arrow::Status Bind(const std::vector<std::shared_ptr<arrow::Array>>& columns);
  arrow::Status Encode(int64_t row, AvroOutput& out);

 private:
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<AvroEncoder>> encoders_;
};

}  // namespace bactrian
