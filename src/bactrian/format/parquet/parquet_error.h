/// Exceptions of the Parquet library end here.
#pragma once

#include <string_view>
#include <utility>

#include "bactrian/status.h"

namespace bactrian {

/// The status for the exception being handled, naming `path`: what contradicts the format is kCorrupt; a status of ours that
/// passed through the library keeps its kind.
arrow::Status FromParquetException(std::string_view path);

/// Runs `body` (returning a Status) and turns what it throws into a status.
template <typename Body>
arrow::Status CatchParquet(std::string_view path, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return FromParquetException(path);
  }
}

}  // namespace bactrian
