#include <arrow/io/interfaces.h>

#include <algorithm>
#include <charconv>

#include "bactrian/meta/snapshot.h"

namespace bactrian {
namespace {

constexpr std::string_view kPrefix = "snapshot-";

std::optional<int64_t> ParsePositiveId(std::string_view digits) {
  int64_t id = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc() || end != digits.data() + digits.size() || id <= 0) return std::nullopt;
  return id;
}

/// A hint is a few digits; anything else, of any size, is no hint.
std::optional<int64_t> ReadHint(FileStore& store, const std::string& path) {
  constexpr int64_t kMaxBytes = 32;
  auto file = store.OpenInput(path);
  if (!file.ok()) return std::nullopt;
  char bytes[kMaxBytes];
  auto length = (*file)->ReadAt(0, kMaxBytes, bytes);
  if (!length.ok()) return std::nullopt;
  std::string_view text(bytes, static_cast<size_t>(*length));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return ParsePositiveId(text);
}

/// The snapshots on both sides of the point in a history where a condition stops to hold.
struct Boundary {
  std::optional<Snapshot> last_early;
  std::optional<Snapshot> first_late;
};

/// Binary search; is_early(snapshot) must hold for a prefix of the history and for nothing after it.
template <typename IsEarly>
arrow::Result<Boundary> FindBoundary(const SnapshotStore& store, IsEarly is_early) {
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> earliest, store.EarliestId());
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> latest, store.LatestId());
  Boundary boundary;
  if (!earliest || !latest) return boundary;
  for (int64_t low = *earliest, high = *latest; low <= high;) {
    const int64_t middle = low + (high - low) / 2;
    auto snapshot = store.Load(middle);
    if (!snapshot.ok()) {
      if (KindOf(snapshot.status()) != ErrorKind::kSnapshotExpired) return snapshot.status();
      low = middle + 1;  // expired while we searched: what is left is newer
    } else if (is_early(*snapshot)) {
      boundary.last_early = *std::move(snapshot);
      low = middle + 1;
    } else {
      boundary.first_late = *std::move(snapshot);
      high = middle - 1;
    }
  }
  return boundary;
}

}  // namespace

arrow::Result<std::vector<int64_t>> SnapshotStore::ListIds() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> files, store_->List(paths_.SnapshotDirectory()));
  std::vector<int64_t> ids;
  for (const FileStatus& file : files) {
    std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    if (file.is_directory || name.substr(0, kPrefix.size()) != kPrefix) continue;
    if (auto id = ParsePositiveId(name.substr(kPrefix.size()))) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

arrow::Result<std::optional<int64_t>> SnapshotStore::LatestId() const {
  if (auto hint = ReadHint(*store_, JoinPath(paths_.SnapshotDirectory(), "LATEST")); hint && *hint < INT64_MAX) {
    ARROW_ASSIGN_OR_RAISE(bool next_exists, store_->Exists(paths_.SnapshotFile(*hint + 1)));
    if (!next_exists) {
      ARROW_ASSIGN_OR_RAISE(bool exists, store_->Exists(paths_.SnapshotFile(*hint)));
      if (exists) return hint;
    }
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  return ids.empty() ? std::optional<int64_t>() : ids.back();
}

arrow::Result<std::optional<int64_t>> SnapshotStore::EarliestId() const {
  if (auto hint = ReadHint(*store_, JoinPath(paths_.SnapshotDirectory(), "EARLIEST"))) {
    ARROW_ASSIGN_OR_RAISE(bool exists, store_->Exists(paths_.SnapshotFile(*hint)));
    if (exists) return hint;
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  return ids.empty() ? std::optional<int64_t>() : ids.front();
}

arrow::Result<std::optional<Snapshot>> SnapshotStore::Latest() const {
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> id, LatestId());
  if (!id) return std::nullopt;
  return Load(*id);
}

arrow::Result<Snapshot> SnapshotStore::Load(int64_t id) const {
  const std::string path = paths_.SnapshotFile(id);
  auto text = store_->ReadAll(path);
  if (!text.ok()) {
    if (KindOf(text.status()) != ErrorKind::kNotFound) return text.status();
    ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> earliest, EarliestId());
    if (earliest && id > 0 && id < *earliest) {
      return MakeError(ErrorKind::kSnapshotExpired, "snapshot " + std::to_string(id) + " of " + paths_.MetaRoot() +
                                                        " has expired; the earliest is " + std::to_string(*earliest));
    }
    return NotFound("snapshot ", id, " of ", paths_.MetaRoot(), " does not exist");
  }
  auto snapshot = Snapshot::FromJson(*text);
  if (!snapshot.ok()) return snapshot.status().WithMessage(path, ": ", snapshot.status().message());
  if (snapshot->id != id) return Corrupt(path, ": holds snapshot ", snapshot->id);
  return snapshot;
}

arrow::Result<std::optional<Snapshot>> SnapshotStore::AtOrBeforeTime(int64_t time_millis) const {
  ARROW_ASSIGN_OR_RAISE(Boundary boundary,
                        FindBoundary(*this, [&](const Snapshot& snapshot) { return snapshot.time_millis <= time_millis; }));
  return std::move(boundary.last_early);
}

arrow::Result<std::optional<Snapshot>> SnapshotStore::AtOrAfterWatermark(int64_t watermark) const {
  // Watermarks are inherited and never fall: none, then ascending.
  ARROW_ASSIGN_OR_RAISE(Boundary boundary, FindBoundary(*this, [&](const Snapshot& snapshot) {
                          return !snapshot.watermark || *snapshot.watermark < watermark;
                        }));
  return std::move(boundary.first_late);
}

arrow::Status SnapshotStore::Publish(const Snapshot& snapshot) const {
  ARROW_RETURN_NOT_OK(store_->PutIfAbsent(paths_.SnapshotFile(snapshot.id), snapshot.ToJson()));
  // A slow commit may find its id free again because the snapshot that had it expired meanwhile. Snapshots expire in ascending
  // order, so an id has not been used before as long as its predecessor is there.
  ARROW_ASSIGN_OR_RAISE(const bool has_predecessor, store_->Exists(paths_.SnapshotFile(snapshot.id - 1)));
  if (!has_predecessor) {
    ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, ListIds());
    if (!ids.empty() && ids.back() > snapshot.id) {
      return MakeError(ErrorKind::kSnapshotExpired, "snapshot " + std::to_string(snapshot.id) + " of " + paths_.MetaRoot() +
                                                        " was published after later ones");
    }
  }
  // The commit has happened; a hint that cannot be written only costs readers a listing.
  arrow::Status hint = store_->Overwrite(JoinPath(paths_.SnapshotDirectory(), "LATEST"), std::to_string(snapshot.id));
  static_cast<void>(hint.ok());
  if (snapshot.id == 1) WriteEarliestHint(1);  // or every commit would list the snapshots to know that none is to expire
  return arrow::Status::OK();
}

arrow::Result<std::vector<int64_t>> SnapshotStore::ListHistory() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  size_t begin = ids.empty() ? 0 : ids.size() - 1;
  while (begin > 0 && ids[begin - 1] == ids[begin] - 1) --begin;
  ids.erase(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(begin));
  return ids;
}

void SnapshotStore::WriteEarliestHint(int64_t id) const {
  arrow::Status hint = store_->Overwrite(JoinPath(paths_.SnapshotDirectory(), "EARLIEST"), std::to_string(id));
  static_cast<void>(hint.ok());
}

}  // namespace bactrian
