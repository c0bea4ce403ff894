/// Between arrow::Status and DuckDB's exceptions: the extension throws inside DuckDB, the library never does.
#pragma once

#include <utility>

#include "bactrian/status.h"

namespace bactrian::sql {

/// Throws the DuckDB exception that fits the status' kind.
[[noreturn]] void ThrowStatus(const arrow::Status& status);

inline void CheckOk(const arrow::Status& status) {
  if (!status.ok()) ThrowStatus(status);
}

template <typename T>
T ValueOrThrow(arrow::Result<T> result) {
  if (!result.ok()) ThrowStatus(result.status());
  return std::move(result).ValueUnsafe();
}

}  // namespace bactrian::sql
