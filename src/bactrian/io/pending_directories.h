#pragma once

#include <string>

#include "bactrian/status.h"

namespace bactrian {

/// Local directories with new names in them that a loss of power could still take back, process-wide. Syncing a directory is
/// the most expensive part of making a small file, so it is put off until the names matter: PutIfAbsent does it before it
/// publishes what may refer to them, a writer before it hands out its messages. Thread-safe.
void AddPendingDirectory(std::string directory);

/// Makes the names in all pending directories durable. After an error they stay pending.
arrow::Status SyncPendingDirectories();

}  // namespace bactrian
