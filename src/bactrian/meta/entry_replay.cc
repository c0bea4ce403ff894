#include "bactrian/meta/entry_replay.h"

#include <deque>
#include <functional>
#include <string_view>

namespace bactrian {

bool SameIdentity(const ManifestEntry& a, const ManifestEntry& b) {
  return a.file.file_name == b.file.file_name && a.bucket == b.bucket && a.file.level == b.file.level &&
         a.partition == b.partition && a.file.extra_files == b.file.extra_files &&
         a.file.embedded_index == b.file.embedded_index && a.file.external_path == b.file.external_path;
}

size_t HashIdentity(const ManifestEntry& entry) {
  // File names carry a UUID: what else is in the identity rarely tells entries apart, but an upgrade changes the level alone.
  const size_t name = std::hash<std::string_view>()(entry.file.file_name);
  return name ^ (static_cast<size_t>(entry.file.level) * 0x9e3779b97f4a7c15u);
}

struct EntryReplay::State {
  std::deque<ManifestEntry> entries;  // stable addresses; cancelled ones have been taken out of `present`
  IdentitySet present;
};

EntryReplay::EntryReplay() : state_(std::make_unique<State>()) {}
EntryReplay::~EntryReplay() = default;
EntryReplay::EntryReplay(EntryReplay&&) noexcept = default;
EntryReplay& EntryReplay::operator=(EntryReplay&&) noexcept = default;

arrow::Status EntryReplay::Apply(ManifestEntry entry) {
  auto found = state_->present.find(&entry);
  if (found == state_->present.end()) {
    state_->entries.push_back(std::move(entry));
    state_->present.insert(&state_->entries.back());
    return arrow::Status::OK();
  }
  if (entry.kind == FileKind::kAdd) return Corrupt("data file ", entry.file.file_name, " is added twice");
  if ((*found)->kind == FileKind::kDelete) return Corrupt("data file ", entry.file.file_name, " is deleted twice");
  state_->present.erase(found);
  return arrow::Status::OK();
}

std::vector<ManifestEntry> EntryReplay::Finish() {
  std::vector<ManifestEntry> remaining;
  remaining.reserve(state_->present.size());
  for (ManifestEntry& entry : state_->entries) {
    auto found = state_->present.find(&entry);
    if (found != state_->present.end() && *found == &entry) {
      state_->present.erase(found);
      remaining.push_back(std::move(entry));
    }
  }
  state_ = std::make_unique<State>();
  return remaining;
}

arrow::Result<std::vector<ManifestEntry>> EntryReplay::FinishLive() {
  std::vector<ManifestEntry> remaining = Finish();
  for (const ManifestEntry& entry : remaining) {
    if (entry.kind == FileKind::kDelete) {
      return Corrupt("data file ", entry.file.file_name, " is deleted, but nothing adds it");
    }
  }
  return remaining;
}

}  // namespace bactrian
