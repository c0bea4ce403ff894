#include "bactrian/io/posix.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "bactrian/io/pending_directories.h"

namespace bactrian {
namespace {

constexpr unsigned kRenameNoReplace = 1;  // RENAME_NOREPLACE of <linux/fs.h>

std::string RandomHex() {
  std::random_device random;
  std::string hex;
  for (int i = 0; i < 4; ++i) {
    char part[9];
    std::snprintf(part, sizeof(part), "%08x", random());
    hex += part;
  }
  return hex;
}

arrow::Status CreateOneDirectory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0777) == 0) {
    AddPendingDirectory(std::string(ParentOf(directory)));
    return arrow::Status::OK();
  }
  const int error = errno;
  struct stat info;
  if (error == EEXIST && ::stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return arrow::Status::OK();
  return ErrnoStatus(error, "cannot create directory", directory);
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = other.Release();
  }
  return *this;
}

int FileDescriptor::Release() { return std::exchange(fd_, -1); }

int FileDescriptor::Close() {
  const int fd = Release();
  return fd >= 0 && ::close(fd) != 0 ? errno : 0;
}

arrow::Status ErrnoStatus(int error, std::string_view what, std::string_view path) {
  const std::string message = std::string(what) + " " + std::string(path) + ": " + std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) return NotFound(message);
  if (error == EEXIST || error == ENOTEMPTY) return AlreadyExists(message);
  return arrow::Status::IOError(message);
}

std::string_view ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

arrow::Status WriteFully(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, "cannot write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return arrow::Status::OK();
}

arrow::Status SyncFile(int fd, std::string_view path) {
  return ::fsync(fd) == 0 ? arrow::Status::OK() : ErrnoStatus(errno, "cannot sync", path);
}

arrow::Status SyncDirectory(const std::string& directory) {
  FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, "cannot open directory", directory);
  // Some file systems cannot sync a directory and say EINVAL: they order names themselves.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return ErrnoStatus(errno, "cannot sync directory", directory);
  return arrow::Status::OK();
}

arrow::Status MakeDirectories(const std::string& directory) {
  struct stat info;
  if (::stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return arrow::Status::OK();
  for (size_t slash = directory.find('/', 1); slash != std::string::npos; slash = directory.find('/', slash + 1)) {
    const std::string parent = directory.substr(0, slash);
    if (::stat(parent.c_str(), &info) != 0) ARROW_RETURN_NOT_OK(CreateOneDirectory(parent));
  }
  return CreateOneDirectory(directory);
}

arrow::Result<FileDescriptor> CreateExclusive(const std::string& path) {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  FileDescriptor fd(::open(path.c_str(), flags, 0666));
  // An expiry that cleans empty directories may take a new one away before it holds its first file.
  for (int attempt = 0; !fd.valid() && errno == ENOENT && attempt < 5; ++attempt) {
    ARROW_RETURN_NOT_OK(MakeDirectories(std::string(ParentOf(path))));
    fd = FileDescriptor(::open(path.c_str(), flags, 0666));
  }
  if (!fd.valid()) return ErrnoStatus(errno, "cannot create", path);
  return fd;
}

arrow::Result<std::string> WriteTemporary(const std::string& path, std::string_view bytes) {
  const std::string_view parent = ParentOf(path);
  std::string temporary(parent == "/" ? "" : parent);
  temporary += "/." + path.substr(path.rfind('/') + 1) + "." + RandomHex() + ".tmp";
  ARROW_ASSIGN_OR_RAISE(FileDescriptor fd, CreateExclusive(temporary));
  arrow::Status status = WriteFully(fd.get(), bytes, temporary);
  if (status.ok()) status = SyncFile(fd.get(), temporary);
  if (const int error = fd.Close(); status.ok() && error != 0) status = ErrnoStatus(error, "cannot close", temporary);
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  return temporary;
}

arrow::Status RenameNoReplace(const std::string& from, const std::string& to) {
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), kRenameNoReplace) == 0) return arrow::Status::OK();
  if (errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP) {
    return Unsupported("the file system of ", to,
                       " has neither hard links nor renameat2(RENAME_NOREPLACE): a commit there "
                       "could overwrite another one");
  }
  return ErrnoStatus(errno, "cannot rename to", to);
}

}  // namespace bactrian
