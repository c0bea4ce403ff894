#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bactrian {

template <std::unsigned_integral T>
constexpr T ReverseBytes(T value) {
  T reversed = 0;
  for (size_t i = 0; i < sizeof(T); ++i) reversed = static_cast<T>(reversed << 8) | static_cast<uint8_t>(value >> (8 * i));
  return reversed;
}

/// The first sizeof(T) bytes of `bytes`, which must hold so many, as a number of that byte order.
template <std::unsigned_integral T>
T LoadLittleEndian(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return std::endian::native == std::endian::little ? value : ReverseBytes(value);
}
template <std::unsigned_integral T>
T LoadBigEndian(std::string_view bytes) {
  return ReverseBytes(LoadLittleEndian<T>(bytes));
}

template <std::unsigned_integral T>
void AppendLittleEndian(T value, std::string* out) {
  if constexpr (std::endian::native != std::endian::little) value = ReverseBytes(value);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}
template <std::unsigned_integral T>
void AppendBigEndian(T value, std::string* out) {
  AppendLittleEndian(ReverseBytes(value), out);
}

}  // namespace bactrian
