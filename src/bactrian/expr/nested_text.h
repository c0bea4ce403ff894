/// Values of nested types from text, in the spellings that default values use.
///
///   ARRAY  [1, null, 3]       ARRAY(1, null, 3)
///   MAP    {a -> 1, b -> 2}   MAP(a, 1, b, 2)
///   ROW    {1, a}             STRUCT(1, a)
#pragma once

#include <string_view>
#include <vector>

#include "bactrian/value.h"

namespace bactrian {

struct NestedValue {
  bool is_null = true;
  Value atom{};                      ///< of an atomic type
  std::vector<NestedValue> parts{};  ///< elements; keys and values in turns; fields
};

/// The reference's result for CAST(text AS type), commas inside brackets or double quotes not separating. Requires atomic map
/// keys. kInvalid for text that is no such value.
arrow::Result<NestedValue> ParseNestedText(std::string_view text, const DataType& type);

}  // namespace bactrian
