#include "bactrian/base/hash.h"

#include <gtest/gtest.h>

#include "bactrian/base/utf8.h"

namespace bactrian {
namespace {

TEST(JavaStringHash, IsJavas) {
  EXPECT_EQ(JavaStringHash(""), 0);
  EXPECT_EQ(JavaStringHash("hello"), 99162322);
  EXPECT_EQ(JavaStringHash("ü"), 252);
  EXPECT_EQ(JavaStringHash("😀"), 1772899);  // 31 * 0xD83D + 0xDE00
}

TEST(Utf8, MalformedBytesCountOneEach) {
  EXPECT_EQ(CountCodePoints("aü€😀"), 4U);
  EXPECT_EQ(CountCodePoints("\xff\xc3"), 2U);          // no lead byte, cut short
  EXPECT_EQ(CountCodePoints("\xc0\x80"), 2U);          // overlong
  EXPECT_EQ(CountCodePoints("\xed\xa0\x80"), 3U);      // a surrogate
  EXPECT_EQ(CountCodePoints("\xf4\x90\x80\x80"), 4U);  // above U+10FFFF
  size_t position = 0;
  EXPECT_EQ(NextCodePoint("😀", &position), 0x1F600U);
  EXPECT_EQ(position, 4U);
}

}  // namespace
}  // namespace bactrian
