/// Hash functions of the reference's JVM and of its murmur variant (format reference: binaryrow.md §5).
#pragma once

#include <cstdint>
#include <string_view>

namespace bactrian {

/// Murmur3 x86-32 with seed 42 over 4-byte little-endian words. A trailing byte counts as a sign-extended word of its
/// own, unlike in the canonical function.
int32_t MurmurHash(std::string_view bytes);

/// The word steps of MurmurHash, for rows that are hashed without being laid out.
inline uint32_t MurmurMixWord(uint32_t hash, uint32_t word) {
  word *= 0xcc9e2d51U;
  word = (word << 15) | (word >> 17);
  word *= 0x1b873593U;
  hash ^= word;
  hash = (hash << 13) | (hash >> 19);
  return hash * 5 + 0xe6546b64U;
}
inline uint32_t MurmurFinish(uint32_t hash, uint32_t length) {
  hash ^= length;
  hash ^= hash >> 16;
  hash *= 0x85ebca6bU;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35U;
  return hash ^ (hash >> 16);
}
inline constexpr uint32_t kMurmurSeed = 42;

/// java.lang.String.hashCode() of UTF-8 text: over UTF-16 code units. Malformed bytes count as U+FFFD.
int32_t JavaStringHash(std::string_view utf8);

}  // namespace bactrian
