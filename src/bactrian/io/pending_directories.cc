#include "bactrian/io/pending_directories.h"

#include <mutex>
#include <set>
#include <utility>

#include "bactrian/io/posix.h"

namespace bactrian {

namespace {

struct Pending {
  std::mutex mutex;
  std::set<std::string> directories;
};

Pending& ThePending() {
  static Pending pending;
  return pending;
}

}  // namespace

void AddPendingDirectory(std::string directory) {
  Pending& pending = ThePending();
  std::lock_guard lock(pending.mutex);
  pending.directories.insert(std::move(directory));
}

arrow::Status SyncPendingDirectories() {
  Pending& pending = ThePending();
  // Held while syncing: whoever comes meanwhile must not publish before the names are durable.
  std::lock_guard lock(pending.mutex);
  while (!pending.directories.empty()) {
    const arrow::Status synced = SyncDirectory(*pending.directories.begin());
    // One that was deleted has no names.
    if (!synced.ok() && KindOf(synced) != ErrorKind::kNotFound) return synced;
    pending.directories.erase(pending.directories.begin());
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
