/// Brings text and bytes to the length that CHAR(n), VARCHAR(n), BINARY(n) and VARBINARY(n) demand.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "bactrian/base/utf8.h"
#include "bactrian/data_type.h"

namespace bactrian {

/// Cuts after `length` characters (bytes for binary types) and pads the types of fixed length: CHAR with spaces, BINARY with
/// zeros.
class LengthRule {
 public:
  explicit LengthRule(const DataType& type)
      : length_(static_cast<size_t>(type.length())),
        counts_characters_(type.is_string()),
        pads_(type.root() == TypeRoot::kChar || type.root() == TypeRoot::kBinary) {}

  bool changes_nothing() const { return !pads_ && length_ == static_cast<size_t>(DataType::kMaxLength); }

  /// The result lies in `text` or in `*scratch`.
  std::string_view Fit(std::string_view text, std::string* scratch) const {
    size_t units = 0, position = 0;
    if (!counts_characters_ || (text.size() <= length_ && !pads_)) {
      units = position = std::min(length_, text.size());
    } else {
      for (; units < length_ && position < text.size(); ++units) NextCodePoint(text, &position);
    }
    if (!pads_ || units == length_) return text.substr(0, position);
    scratch->assign(text.substr(0, position));
    scratch->append(length_ - units, counts_characters_ ? ' ' : '\0');
    return *scratch;
  }

 private:
  size_t length_;
  bool counts_characters_, pads_;
};

}  // namespace bactrian
