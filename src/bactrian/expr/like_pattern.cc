#include "bactrian/expr/like_pattern.h"

#include <algorithm>

namespace bactrian {
namespace {

/// Bytes of the UTF-8 character that starts with `lead`; a stray continuation byte counts as a character of its own.
size_t CharacterLength(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

size_t NextCharacter(std::string_view text, size_t position) {
  return std::min(text.size(), position + CharacterLength(text[position]));
}

}  // namespace

arrow::Result<LikePattern> LikePattern::Parse(std::string_view pattern) {
  LikePattern like;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '%') {
      like.tokens_.push_back({Token::kAnyText});
    } else if (c == '_') {
      like.tokens_.push_back({Token::kAnyCharacter});
    } else if (c != '\\') {
      like.tokens_.push_back({Token::kByte, c});
    } else {
      const char escaped = i + 1 < pattern.size() ? pattern[++i] : '\0';
      if (escaped != '%' && escaped != '_' && escaped != '\\') {
        return Invalid("LIKE pattern '", pattern, "': \\ must be followed by %, _ or \\");
      }
      like.tokens_.push_back({Token::kByte, escaped});
    }
  }
  like.FindShape();
  return like;
}

void LikePattern::FindShape() {
  for (const Token& token : tokens_) {
    if (token.kind != Token::kByte) break;
    prefix_ += token.byte;
  }
  auto is_byte = [](const Token& token) { return token.kind == Token::kByte; };
  const bool open_start = !tokens_.empty() && tokens_.front().kind == Token::kAnyText;
  const bool open_end = tokens_.size() > 1 && tokens_.back().kind == Token::kAnyText;
  const auto begin = tokens_.begin() + (open_start ? 1 : 0), end = tokens_.end() - (open_end ? 1 : 0);
  if (!std::all_of(begin, end, is_byte)) {
    shape_ = Shape::kGeneral;
    return;
  }
  for (auto token = begin; token != end; ++token) needle_ += token->byte;
  if (open_start) {
    shape_ = open_end || tokens_.size() == 1 ? Shape::kContains : Shape::kEndsWith;
  } else {
    shape_ = open_end ? Shape::kStartsWith : Shape::kExact;
  }
}

bool LikePattern::Matches(std::string_view text) const {
  switch (shape_) {
    case Shape::kExact:
      return text == needle_;
    case Shape::kStartsWith:
      return text.starts_with(needle_);
    case Shape::kEndsWith:
      return text.ends_with(needle_);
    case Shape::kContains:
      return text.find(needle_) != std::string_view::npos;
    case Shape::kGeneral:
      return MatchesGeneral(text);
  }
  return false;
}

/// Greedy with one point to return to: the latest % takes one character more each time what follows it does not fit, so the
/// work is at most |text| * |pattern|.
bool LikePattern::MatchesGeneral(std::string_view text) const {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t position = 0, token = 0, retry_token = kNone, retry_position = 0;
  while (position < text.size()) {
    if (token < tokens_.size() && tokens_[token].kind == Token::kAnyText) {
      retry_token = ++token;
      retry_position = position;
    } else if (token < tokens_.size() && tokens_[token].kind == Token::kAnyCharacter) {
      position = NextCharacter(text, position);
      ++token;
    } else if (token < tokens_.size() && tokens_[token].byte == text[position]) {
      ++position;
      ++token;
    } else if (retry_token != kNone) {
      retry_position = NextCharacter(text, retry_position);
      position = retry_position;
      token = retry_token;
    } else {
      return false;
    }
  }
  return std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(token), tokens_.end(),
                     [](const Token& t) { return t.kind == Token::kAnyText; });
}

}  // namespace bactrian
