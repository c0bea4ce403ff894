#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "bactrian/status.h"

namespace bactrian::cli {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

/// Ends a command: main prints the message and exits with kExitFailure.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void CheckOk(const arrow::Status& status) {
  if (!status.ok()) throw Failure(KindOf(status) == ErrorKind::kUnknown ? status.ToString() : status.message());
}

template <typename T>
T ValueOrFail(arrow::Result<T> result) {
  CheckOk(result.status());
  return std::move(result).ValueUnsafe();
}

}  // namespace bactrian::cli
