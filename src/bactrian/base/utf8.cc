#include "bactrian/base/utf8.h"

namespace bactrian {

uint32_t NextCodePoint(std::string_view text, size_t* position) {
  const auto first = static_cast<unsigned char>(text[*position]);
  ++*position;
  if (first < 0x80) return first;
  const int length = first >= 0xf0 && first <= 0xf4  ? 4
                     : first >= 0xe0 && first < 0xf0 ? 3
                     : first >= 0xc2 && first < 0xe0 ? 2
                                                     : 0;
  if (length == 0 || *position + static_cast<size_t>(length) - 1 > text.size()) return kReplacementCharacter;
  uint32_t code_point = first & (0x7fU >> length);
  for (int i = 0; i < length - 1; ++i) {
    const auto next = static_cast<unsigned char>(text[*position + static_cast<size_t>(i)]);
    if ((next & 0xc0) != 0x80) return kReplacementCharacter;
    code_point = (code_point << 6) | (next & 0x3fU);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
  if (code_point < kSmallest[length] || surrogate || code_point > 0x10ffff) return kReplacementCharacter;
  *position += static_cast<size_t>(length) - 1;
  return code_point;
}

}  // namespace bactrian
