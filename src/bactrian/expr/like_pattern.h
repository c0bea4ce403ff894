/// SQL LIKE over UTF-8 text: % is any text, _ any one character (code point), \ escapes %, _ and itself.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <string_view>
#include <vector>

#include "bactrian/status.h"

namespace bactrian {

/// Immutable; threads may share it.
class LikePattern {
 public:
  /// kInvalid for an escape of another character, or at the end of the pattern.
  static arrow::Result<LikePattern> Parse(std::string_view pattern);

  bool Matches(std::string_view text) const;

  /// The text up to the first wildcard: everything that matches starts with it.
  const std::string& prefix() const { return prefix_; }
  /// No wildcard at all: only prefix() itself matches.
  bool is_exact() const { return shape_ == Shape::kExact; }

 private:
  struct Token {
    enum Kind : uint8_t { kByte, kAnyCharacter, kAnyText } kind;
    char byte = 0;
  };
  /// The shapes without _ and with % only at the ends need no backtracking.
  enum class Shape : uint8_t { kExact, kStartsWith, kEndsWith, kContains, kGeneral };

  void FindShape();
  bool MatchesGeneral(std::string_view text) const;

  std::vector<Token> tokens_;
  std::string prefix_;
  Shape shape_ = Shape::kExact;
  std::string needle_;  ///< the literal text of the shapes other than kGeneral
};

}  // namespace bactrian
