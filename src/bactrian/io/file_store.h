/// The one way to storage. A FileStore reads and writes whole objects and byte ranges under URIs or absolute paths; what
/// sits behind it (local disk, memory, later object stores) is picked by the URI's scheme.
///
///   ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> store, FileStore::Open("/warehouse"));
///   ARROW_RETURN_NOT_OK(store->PutIfAbsent("/warehouse/db.db/t/snapshot/snapshot-1", json));
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/status.h"

namespace bactrian {

struct FileStatus {
  std::string path;  ///< in the form that the store was asked with (same scheme, no trailing slash)
  int64_t size = 0;  ///< bytes; 0 for directories
  bool is_directory = false;
  int64_t modified_millis = 0;  ///< since the epoch, UTC
};

/// Requests and bytes since the store was made. Counters only grow; read them before and after.
struct IoCounters {
  std::atomic<int64_t> opens{0}, read_requests{0}, bytes_read{0}, writes{0}, bytes_written{0}, lists{0}, stats{0}, deletes{0};
};

/// Thread-safe. Paths are absolute: "/a/b", "file:///a/b", "memory://name/a/b". A missing file is kNotFound.
class FileStore {
 public:
  virtual ~FileStore() = default;

  /// The store for a URI's scheme: none or file: local; memory: a process-wide store by the authority's name; a registered
  /// one; any other kUnsupported, naming the scheme. Every call makes a store with counters of its own.
  static arrow::Result<std::shared_ptr<FileStore>> Open(std::string_view uri);

  using Opener = std::function<arrow::Result<std::shared_ptr<FileStore>>(std::string_view uri)>;
  /// Makes Open() take URIs of `scheme` (lower case), process-wide; replaces what was registered before.
  static void Register(std::string scheme, Opener opener);

  /// A file to read at any offset, from any thread. A known `length` saves the request that would ask for it; reads past
  /// the end are short, and a file shorter than `length` is kCorrupt when read.
  virtual arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(
      const std::string& path, std::optional<int64_t> length = std::nullopt) = 0;
  virtual arrow::Result<std::string> ReadAll(const std::string& path);

  /// A new file under its final, unique name (parents are created). It exists whole once Close() returned OK, durably
  /// (fsync) for local files. A failed or abandoned one is for the caller to delete.
  virtual arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutput(const std::string& path) = 0;

  /// Publishes `bytes` at `path` atomically and durably unless something is there (then kAlreadyExists; nothing changed).
  /// Locally: temp file, fsync, link(2), else renameat2(RENAME_NOREPLACE), else kUnsupported. Any other error leaves the
  /// outcome unknown: read back.
  virtual arrow::Status PutIfAbsent(const std::string& path, std::string_view bytes) = 0;

  /// Replaces or creates a small file atomically (hints, tags, consumers).
  virtual arrow::Status Overwrite(const std::string& path, std::string_view bytes) = 0;

  /// Entries of a directory (not itself), unordered; a missing directory lists as empty.
  virtual arrow::Result<std::vector<FileStatus>> List(const std::string& directory, bool recursive = false) = 0;

  virtual arrow::Result<std::optional<FileStatus>> Stat(const std::string& path) = 0;
  arrow::Result<bool> Exists(const std::string& path);

  virtual arrow::Status CreateDirectory(const std::string& path) = 0;  ///< with parents; fine if there
  virtual arrow::Status DeleteFile(const std::string& path) = 0;       ///< fine if missing
  virtual arrow::Status DeleteDirectory(const std::string& path) = 0;  ///< with all in it; fine if missing
  /// Moves a directory; kAlreadyExists if the target is there.
  virtual arrow::Status RenameDirectory(const std::string& from, const std::string& to) = 0;

  const IoCounters& counters() const { return counters_; }

 protected:
  IoCounters counters_;
};

/// The scheme of a URI in lower case ("s3" of "s3://b/k"); empty for a path without one.
std::string SchemeOf(std::string_view uri);

/// Joins with exactly one slash.
std::string JoinPath(std::string_view parent, std::string_view child);

}  // namespace bactrian
