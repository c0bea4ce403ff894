#include "bactrian/base/hash.h"

#include <cstring>

#include "bactrian/base/utf8.h"

namespace bactrian {
namespace {

constexpr uint32_t kMurmurSeed = 42;

uint32_t RotateLeft(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

uint32_t MixWord(uint32_t hash, uint32_t word) {
  word = RotateLeft(word * 0xcc9e2d51U, 15) * 0x1b873593U;
  return RotateLeft(hash ^ word, 13) * 5 + 0xe6546b64U;
}

uint32_t Finish(uint32_t hash, uint32_t length) {
  hash ^= length;
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

}  // namespace

int32_t MurmurHash(std::string_view bytes) {
  uint32_t hash = kMurmurSeed;
  const size_t aligned = bytes.size() & ~size_t{3};
  for (size_t i = 0; i < aligned; i += 4) {
    uint32_t word;
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    hash = MixWord(hash, word);
  }
  for (size_t i = aligned; i < bytes.size(); ++i) {
    hash = MixWord(hash, static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(bytes[i]))));
  }
  return static_cast<int32_t>(Finish(hash, static_cast<uint32_t>(bytes.size())));
}

int32_t JavaStringHash(std::string_view utf8) {
  uint32_t hash = 0;
  for (size_t i = 0; i < utf8.size();) {
    const uint32_t c = NextCodePoint(utf8, &i);
    if (c < 0x10000) {
      hash = hash * 31 + c;
    } else {
      hash = hash * 31 + (0xd800 + ((c - 0x10000) >> 10));
      hash = hash * 31 + (0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  }
  return static_cast<int32_t>(hash);
}

}  // namespace bactrian
