#include "bactrian/expr/like_pattern.h"

#include <gtest/gtest.h>

namespace bactrian {
namespace {

bool Like(std::string_view text, std::string_view pattern) {
  auto like = LikePattern::Parse(pattern);
  EXPECT_TRUE(like.ok()) << like.status().ToString();
  return like->Matches(text);
}

TEST(LikePattern, WithoutWildcardsOnlyTheTextItselfMatches) {
  EXPECT_TRUE(Like("abc", "abc"));
  EXPECT_FALSE(Like("abcd", "abc"));
  EXPECT_FALSE(Like("ABC", "abc"));
  EXPECT_TRUE(Like("", ""));
  EXPECT_FALSE(Like("a", ""));
}

TEST(LikePattern, PercentMatchesAnyText) {
  EXPECT_TRUE(Like("abc", "a%"));
  EXPECT_TRUE(Like("a", "a%"));
  EXPECT_TRUE(Like("cba", "%a"));
  EXPECT_TRUE(Like("xay", "%a%"));
  EXPECT_TRUE(Like("", "%"));
  EXPECT_TRUE(Like("a\nb", "a%b"));
  EXPECT_TRUE(Like("abab", "%ab"));
  EXPECT_TRUE(Like("aXbXc", "a%b%c"));
  EXPECT_FALSE(Like("aXbX", "a%b%c"));
  EXPECT_TRUE(Like("abcabd", "%ab_"));
  EXPECT_TRUE(Like("x", "%%"));
}

TEST(LikePattern, UnderscoreMatchesOneCharacterOfAnyLength) {
  EXPECT_TRUE(Like("aXb", "a_b"));
  EXPECT_TRUE(Like("a€b", "a_b"));
  EXPECT_TRUE(Like("a😀b", "a_b"));
  EXPECT_FALSE(Like("ab", "a_b"));
  EXPECT_FALSE(Like("aXXb", "a_b"));
  EXPECT_TRUE(Like("ä", "_"));
  EXPECT_FALSE(Like("ää", "_"));
  EXPECT_TRUE(Like("xä€", "%__"));
  EXPECT_FALSE(Like("€", "%__"));
  EXPECT_TRUE(Like("a\nb", "a_b"));
}

TEST(LikePattern, BackslashEscapesWildcardsAndItself) {
  EXPECT_TRUE(Like("50%", "50\\%"));
  EXPECT_FALSE(Like("50x", "50\\%"));
  EXPECT_TRUE(Like("a_b", "a\\_b"));
  EXPECT_FALSE(Like("aXb", "a\\_b"));
  EXPECT_TRUE(Like("a\\b", "a\\\\b"));
  EXPECT_TRUE(Like("100%!", "%\\%_"));
}

TEST(LikePattern, OtherEscapesAreRefused) {
  EXPECT_EQ(KindOf(LikePattern::Parse("a\\b").status()), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(LikePattern::Parse("a\\").status()), ErrorKind::kInvalid);
}

TEST(LikePattern, RegularExpressionCharactersAreOrdinary) {
  EXPECT_TRUE(Like("a.c", "a.c"));
  EXPECT_FALSE(Like("abc", "a.c"));
  EXPECT_TRUE(Like("[x]*(y)", "[x]*(_)"));
}

TEST(LikePattern, PrefixIsTheTextBeforeTheFirstWildcard) {
  EXPECT_EQ(LikePattern::Parse("ab\\%c%d")->prefix(), "ab%c");
  EXPECT_EQ(LikePattern::Parse("_a")->prefix(), "");
  EXPECT_TRUE(LikePattern::Parse("a\\_")->is_exact());
  EXPECT_FALSE(LikePattern::Parse("a_")->is_exact());
}

TEST(LikePattern, ManyPercentsDoNotExplode) {
  const std::string text(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "%a_";
  EXPECT_TRUE(Like(text, pattern + "%"));
  EXPECT_FALSE(Like(text, pattern + "b"));
}

}  // namespace
}  // namespace bactrian
