#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bactrian/status.h"
#include "bactrian/variant.h"

namespace arrow {
class Decimal128;
}

namespace bactrian {

/// Puts one VARIANT together, byte for byte as the reference does: values in the order they come, the smallest integers and
/// offsets that do, field names in the order of their first use. Not thread-safe.
class VariantBuilder {
 public:
  static constexpr size_t kMaxSize = size_t{128} << 20;  ///< the reference's limit to a value

  explicit VariantBuilder(size_t max_size = kMaxSize) : max_size_(max_size) {}

  struct FieldEntry {
    std::string name;
    uint32_t id = 0;
    size_t offset = 0;  ///< of the value, from the object's start
  };

  void AppendBoolean(bool value);
  void AppendLong(int64_t value);
  void AppendDouble(double value);
  void AppendFloat(float value);
  void AppendDecimal(const arrow::Decimal128& unscaled, int32_t scale);
  void AppendDate(int32_t days);
  void AppendTimestamp(int64_t micros, bool with_time_zone);
  void AppendString(std::string_view text);
  void AppendBinary(std::string_view bytes);
  /// A value of another VARIANT, its field names taken over. kCorrupt for malformed bytes.
  arrow::Status AppendVariant(VariantView variant);

  /// An object or array begins here; its values are appended, then it is finished.
  size_t position() const { return value_.size(); }
  uint32_t AddName(std::string_view name);
  /// kCorrupt where a name comes twice.
  arrow::Status FinishObject(size_t start, std::vector<FieldEntry> fields);
  void FinishArray(size_t start, const std::vector<size_t>& offsets);

  const std::string& value() const { return value_; }
  std::string Metadata() const;
  void Clear();

 private:
  class Copier;

  size_t max_size_;
  std::string value_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> ids_;
};

}  // namespace bactrian
