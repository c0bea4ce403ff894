/// Values of VARIANT columns: the Variant binary encoding of Parquet (specification "Variant Binary Encoding", version 1), two
/// byte strings a value.
#pragma once

#include <string>
#include <string_view>

#include "bactrian/status.h"

namespace bactrian {

/// Borrowed bytes of one VARIANT.
struct VariantView {
  std::string_view value;
  std::string_view metadata;  ///< the dictionary of the names of object fields
};

/// The value as JSON, spelled as the reference does: doubles as Java text, decimals plain without trailing zeros, bytes in base
/// 64, dates and times quoted. kCorrupt for bytes that are no VARIANT of version 1 or nest deeper than 1,000 levels.
/// Thread-safe.
BACTRIAN_EXPORT arrow::Result<std::string> VariantToJson(VariantView variant);

}  // namespace bactrian
