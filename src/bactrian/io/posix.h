/// Owned file descriptors and the few POSIX calls that the local store is made of. Paths here are plain ("/a/b").
#pragma once

#include <string>
#include <string_view>

#include "bactrian/status.h"

namespace bactrian {

/// Closes its descriptor; movable.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release();
  int Close();  ///< 0, or an errno

 private:
  int fd_ = -1;
};

/// kNotFound for ENOENT and ENOTDIR, kAlreadyExists for EEXIST, else an I/O error; "<what> <path>: <text of error>".
arrow::Status ErrnoStatus(int error, std::string_view what, std::string_view path);

std::string_view ParentOf(std::string_view path);

arrow::Status WriteFully(int fd, std::string_view bytes, std::string_view path);
arrow::Status SyncFile(int fd, std::string_view path);
/// Makes the names in `directory` durable.
arrow::Status SyncDirectory(const std::string& directory);
/// With parents, each made durable in its parent; fine if there.
arrow::Status MakeDirectories(const std::string& directory);
/// Creates `path`, which must not exist, with its parents.
arrow::Result<FileDescriptor> CreateExclusive(const std::string& path);
/// A synced file ".<name>.<random>.tmp" beside `path` with the bytes; the caller links, renames or unlinks it.
arrow::Result<std::string> WriteTemporary(const std::string& path, std::string_view bytes);
/// renameat2(RENAME_NOREPLACE). kUnsupported where the kernel or the file system lacks it.
arrow::Status RenameNoReplace(const std::string& from, const std::string& to);

}  // namespace bactrian
