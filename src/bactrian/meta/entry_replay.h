/// Replay of ADD and DELETE entries (format reference: manifest.md §4).
///
///   EntryReplay replay;
///   for (ManifestEntry& entry : entries) ARROW_RETURN_NOT_OK(replay.Apply(std::move(entry)));
///   ARROW_ASSIGN_OR_RAISE(std::vector<ManifestEntry> live, replay.FinishLive());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "bactrian/meta/manifest.h"

namespace bactrian {

/// What makes two entries the same: partition, bucket, level, file name, extra files, embedded index, external path.
bool SameIdentity(const ManifestEntry& a, const ManifestEntry& b);
size_t HashIdentity(const ManifestEntry& entry);

struct IdentityHash {
  size_t operator()(const ManifestEntry* entry) const { return HashIdentity(*entry); }
};
struct IdentityEqual {
  bool operator()(const ManifestEntry* a, const ManifestEntry* b) const { return SameIdentity(*a, *b); }
};
/// Entries by identity. Holds pointers: the entries must stay where they are.
using IdentitySet = std::unordered_set<const ManifestEntry*, IdentityHash, IdentityEqual>;

/// Entries are kept in the order in which they were applied. Not thread-safe.
class EntryReplay {
 public:
  EntryReplay();
  ~EntryReplay();
  EntryReplay(EntryReplay&&) noexcept;
  EntryReplay& operator=(EntryReplay&&) noexcept;

  /// ADD is kCorrupt when its identity is there already. DELETE cancels an ADD; without one it stays, as it must in the replay
  /// of some of a table's manifests only; a second one is kCorrupt.
  arrow::Status Apply(ManifestEntry entry);

  /// What remains, DELETEs included. The replay is empty afterwards.
  std::vector<ManifestEntry> Finish();
  /// The same after a full replay, where a DELETE that remains is kCorrupt.
  arrow::Result<std::vector<ManifestEntry>> FinishLive();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bactrian
