#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bactrian {

inline constexpr uint32_t kReplacementCharacter = 0xfffd;

/// The code point at `*position`, which moves behind it. A byte that begins no well-formed sequence is consumed alone and
/// gives kReplacementCharacter. Requires *position < text.size().
uint32_t NextCodePoint(std::string_view text, size_t* position);

}  // namespace bactrian
