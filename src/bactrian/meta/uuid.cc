#include <random>

#include "bactrian/meta/manifest.h"

namespace bactrian {

std::string NewUuid() {
  std::random_device source;
  unsigned char bytes[16];
  for (int i = 0; i < 16; i += 4) {
    const uint32_t word = source();
    for (int k = 0; k < 4; ++k) bytes[i + k] = static_cast<unsigned char>(word >> (8 * k));
  }
  bytes[6] = (bytes[6] & 0x0f) | 0x40;  // version 4
  bytes[8] = (bytes[8] & 0x3f) | 0x80;  // RFC 4122
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    text.push_back(kHex[bytes[i] >> 4]);
    text.push_back(kHex[bytes[i] & 15]);
  }
  return text;
}

}  // namespace bactrian
