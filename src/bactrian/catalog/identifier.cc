#include <string>
#include <utility>
#include <vector>

#include "bactrian/catalog.h"
#include "bactrian/status.h"

namespace bactrian {
namespace {

constexpr std::string_view kBranchPrefix = "branch_";

/// "table", "branch_b", "system" of an object's name; what is absent is empty.
struct Parts {
  std::string_view table, branch, system_table;
};

Parts SplitObject(std::string_view object) {
  Parts parts;
  const size_t first = object.find('$');
  parts.table = object.substr(0, first);
  if (first == std::string_view::npos) return parts;
  std::string_view rest = object.substr(first + 1);
  if (rest.starts_with(kBranchPrefix)) {
    const size_t second = rest.find('$');
    parts.branch = rest.substr(kBranchPrefix.size(), second == std::string_view::npos ? second : second - kBranchPrefix.size());
    if (second == std::string_view::npos) return parts;
    rest = rest.substr(second + 1);
  }
  parts.system_table = rest;
  return parts;
}

std::optional<std::string> NonEmpty(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::string Identifier::table() const { return std::string(SplitObject(object).table); }
std::optional<std::string> Identifier::branch() const { return NonEmpty(SplitObject(object).branch); }
std::optional<std::string> Identifier::system_table() const { return NonEmpty(SplitObject(object).system_table); }

arrow::Result<Identifier> Identifier::Parse(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size() ||
      text.find('.', dot + 1) != std::string_view::npos) {
    return Invalid("'", text, "' is not of the form database.table");
  }
  return Identifier{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

}  // namespace bactrian
