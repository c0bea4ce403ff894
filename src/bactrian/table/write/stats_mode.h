/// Which statistics of a written file go to its manifest entry (format reference: manifest.md §6).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/format/file_format.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/schema.h"

namespace bactrian {

struct StatsMode {
  enum class Kind : uint8_t { kNone, kCounts, kTruncate, kFull };
  Kind kind = Kind::kTruncate;
  int32_t length = 16;  ///< kTruncate: characters of a string, bytes of a binary

  /// "none", "counts", "full", "truncate(n)"; an error for anything else.
  static arrow::Result<StatsMode> Parse(std::string_view text);
  bool operator==(const StatsMode&) const = default;
};

/// The mode of each column: fields.<column>.stats-mode, else none beyond metadata.stats-keep-first-n-columns, else
/// metadata.stats-mode. kInvalid names the option.
arrow::Result<std::vector<StatsMode>> StatsModes(const TableSchema& schema);

struct ValueStats {
  SimpleStats stats;
  std::optional<std::vector<std::string>> columns;  ///< _VALUE_STATS_COLS; nullopt: all
};

/// The value statistics of a file from full ones, one a field. `dense`: columns about which nothing is known are left out.
arrow::Result<ValueStats> MakeValueStats(std::span<const Field> fields, std::span<const StatsMode> modes,
                                         std::span<const ColumnStats> columns, bool dense);

/// The least string of at most `length` characters that is not below `text`; nullopt if there is none.
std::optional<std::string> TruncateMaxString(std::string_view text, int32_t length);
/// The same for bytes.
std::optional<std::string> TruncateMaxBinary(std::string_view bytes, int32_t length);

}  // namespace bactrian
