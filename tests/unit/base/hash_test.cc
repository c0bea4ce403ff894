#include "bactrian/base/hash.h"

#include <gtest/gtest.h>

#include <vector>

#include "bactrian/base/utf8.h"

namespace bactrian {
namespace {

TEST(JavaStringHash, IsJavas) {
  EXPECT_EQ(JavaStringHash(""), 0);
  EXPECT_EQ(JavaStringHash("hello"), 99162322);
  EXPECT_EQ(JavaStringHash("ü"), 252);
  EXPECT_EQ(JavaStringHash("😀"), 1772899);  // 31 * 0xD83D + 0xDE00
}

std::vector<uint32_t> CodePoints(std::string_view text) {
  std::vector<uint32_t> code_points;
  for (size_t i = 0; i < text.size();) code_points.push_back(NextCodePoint(text, &i));
  return code_points;
}

TEST(Utf8, MalformedBytesAreReplacedOneByOne) {
  constexpr uint32_t kBad = kReplacementCharacter;
  EXPECT_EQ(CodePoints("aü€😀"), (std::vector<uint32_t>{'a', 0xfc, 0x20ac, 0x1f600}));
  EXPECT_EQ(CodePoints("\xff\xc3"), (std::vector<uint32_t>{kBad, kBad}));                      // no lead byte, cut short
  EXPECT_EQ(CodePoints("\xc0\x80"), (std::vector<uint32_t>{kBad, kBad}));                      // overlong
  EXPECT_EQ(CodePoints("\xed\xa0\x80"), (std::vector<uint32_t>{kBad, kBad, kBad}));            // a surrogate
  EXPECT_EQ(CodePoints("\xf4\x90\x80\x80"), (std::vector<uint32_t>{kBad, kBad, kBad, kBad}));  // above U+10FFFF
}

// Computed by the reference's MurmurHashUtils.hashBytes.
TEST(MurmurHash, IsTheReferencesTailsIncluded) {
  const std::pair<std::string_view, int32_t> cases[] = {
      {"", 142593372},      {"a", 1485273170}, {"abc", 1322437556},          {"abcd", -396302900},
      {"abcde", 814637928}, {"ÿ", 1533202516}, {"hello world", -1528836094},
  };
  for (const auto& [text, hash] : cases) EXPECT_EQ(MurmurHash(text), hash) << text;
}

}  // namespace
}  // namespace bactrian
