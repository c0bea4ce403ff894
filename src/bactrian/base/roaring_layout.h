#pragma once

#include <cstddef>
#include <string_view>

#include "bactrian/status.h"

namespace bactrian {

/// Walks the portable serialisation of a 32-bit roaring bitmap (indexes.md: RB32) and returns its length in bytes, or
/// kCorrupt when a key, cardinality, value, run or length contradicts the format. The library that reads the containers checks
/// lengths only, so nothing reaches it that did not pass here.
arrow::Result<size_t> CheckRb32(std::string_view bytes);

}  // namespace bactrian
