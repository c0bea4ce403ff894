/// Hash functions of the reference's JVM and of its murmur variant (format reference: binaryrow.md §5).
#pragma once

#include <cstdint>
#include <string_view>

namespace bactrian {

/// Murmur3 x86-32 with seed 42 over 4-byte little-endian words. A trailing byte counts as a sign-extended word of its
/// own, unlike in the canonical function.
int32_t MurmurHash(std::string_view bytes);

/// java.lang.String.hashCode() of UTF-8 text: over UTF-16 code units. Malformed bytes count as U+FFFD.
int32_t JavaStringHash(std::string_view utf8);

}  // namespace bactrian
