#include "statement_reader.h"

#include <cctype>

namespace bactrian::cli {

namespace {

/// The position after what starts at `begin` and ends with `closer`; npos if it does not end.
size_t SkipPast(std::string_view text, size_t begin, std::string_view closer) {
  const size_t end = text.find(closer, begin);
  return end == std::string_view::npos ? end : end + closer.size();
}

/// "$tag$" if text at `position` opens a dollar quote, else empty.
std::string_view DollarTag(std::string_view text, size_t position) {
  size_t end = position + 1;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
  return end < text.size() && text[end] == '$' ? text.substr(position, end + 1 - position) : std::string_view();
}

}  // namespace

bool EndsWithStatement(std::string_view text) {
  bool complete = false;
  size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (text.substr(i, 2) == "--") {
      i = SkipPast(text, i, "\n");
      if (i == std::string_view::npos) return complete;
    } else if (text.substr(i, 2) == "/*") {
      i = SkipPast(text, i + 2, "*/");
      if (i == std::string_view::npos) return false;
    } else if (c == '\'' || c == '"') {
      i = SkipPast(text, i + 1, std::string_view(&text[i], 1));  // a doubled quote is closed and opened again
      if (i == std::string_view::npos) return false;
      complete = false;
    } else if (const std::string_view tag = c == '$' ? DollarTag(text, i) : std::string_view(); !tag.empty()) {
      i = SkipPast(text, i + tag.size(), tag);
      if (i == std::string_view::npos) return false;
      complete = false;
    } else {
      if (!std::isspace(static_cast<unsigned char>(c))) complete = c == ';';
      ++i;
    }
  }
  return complete;
}

}  // namespace bactrian::cli
