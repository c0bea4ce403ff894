#include "bactrian/types/binary_layout.h"

namespace bactrian {

size_t MinimalBigEndian(const arrow::Decimal128& value, char* bytes) {
  char all[kDecimalBytes];
  const auto high = static_cast<uint64_t>(value.high_bits());
  for (size_t i = 0; i < 8; ++i) {
    all[i] = static_cast<char>(high >> (56 - 8 * i));
    all[8 + i] = static_cast<char>(value.low_bits() >> (56 - 8 * i));
  }
  const char sign = value.high_bits() < 0 ? '\xff' : '\0';
  size_t begin = 0;
  while (begin + 1 < kDecimalBytes && all[begin] == sign && ((all[begin + 1] ^ sign) & 0x80) == 0) ++begin;
  std::memcpy(bytes, all + begin, kDecimalBytes - begin);
  return kDecimalBytes - begin;
}

arrow::Result<std::string_view> SlotNested(std::string_view bytes, const char* slot) {
  const auto reference = LoadAs<uint64_t>(slot);
  const uint64_t offset = reference >> 32, length = reference & 0xffffffffU;
  if (offset + length > bytes.size()) {
    return Corrupt("binary row: ", length, " bytes at ", offset, " lie outside of its ", bytes.size(), " bytes");
  }
  return bytes.substr(offset, length);
}

arrow::Result<std::string_view> SlotBytes(std::string_view bytes, const char* slot) {
  const auto mark = static_cast<uint8_t>(slot[kSlotBytes - 1]);
  if ((mark & kInlineMark) == 0) return SlotNested(bytes, slot);
  const size_t length = mark & 0x7fU;
  if (length > kMaxInlineBytes) return Corrupt("binary row: ", length, " bytes in a slot");
  return std::string_view(slot, length);
}

arrow::Result<arrow::Decimal128> SlotDecimal(std::string_view bytes, const char* slot, bool compact) {
  if (compact) return arrow::Decimal128(LoadAs<int64_t>(slot));
  ARROW_ASSIGN_OR_RAISE(const std::string_view unscaled, SlotNested(bytes, slot));
  if (unscaled.empty() || unscaled.size() > kDecimalBytes) {
    return Corrupt("binary row: a decimal of ", unscaled.size(), " bytes");
  }
  return arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(unscaled.data()),
                                          static_cast<int32_t>(unscaled.size()));
}

arrow::Result<TimestampValue> SlotTimestamp(std::string_view bytes, const char* slot, bool millis) {
  if (millis) return TimestampValue{LoadAs<int64_t>(slot), 0};
  const auto reference = LoadAs<uint64_t>(slot);
  const uint64_t offset = reference >> 32, nanos = reference & 0xffffffffU;
  if (offset + kTimestampBytes > bytes.size()) return Corrupt("binary row: a timestamp at ", offset, " lies outside");
  if (nanos > 999999) return Corrupt("binary row: ", nanos, " nanoseconds of a millisecond");
  return TimestampValue{LoadAs<int64_t>(bytes.data() + offset), static_cast<int32_t>(nanos)};
}

}  // namespace bactrian
