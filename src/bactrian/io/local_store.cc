#include "bactrian/io/local_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "bactrian/io/pending_directories.h"
#include "bactrian/io/posix.h"
#include "bactrian/io/ranged_input.h"

namespace bactrian {
namespace {

constexpr size_t kOutputBufferBytes = 256 << 10;

/// The plain path behind "/a/b", "file:/a/b" and "file:///a/b", without trailing slashes.
arrow::Result<std::string> PlainPath(std::string_view path) {
  std::string_view plain = path;
  const std::string scheme = SchemeOf(path);
  if (!scheme.empty()) {
    if (scheme != "file") return Unsupported("the local file store cannot open the scheme '", scheme, "' of ", path);
    plain.remove_prefix(sizeof("file:") - 1);
    if (plain.starts_with("//")) {
      plain.remove_prefix(2);
      if (plain.starts_with("localhost/")) plain.remove_prefix(sizeof("localhost") - 1);
    }
  }
  if (!plain.starts_with('/')) return Invalid("not an absolute path: ", path);
  if (plain.find('\0') != std::string_view::npos) return Invalid("a path with a zero byte");
  while (plain.size() > 1 && plain.back() == '/') plain.remove_suffix(1);
  return std::string(plain);
}

FileStatus MakeFileStatus(std::string path, const struct stat& info) {
  FileStatus status;
  status.path = std::move(path);
  status.is_directory = S_ISDIR(info.st_mode);
  status.size = status.is_directory ? 0 : info.st_size;
  status.modified_millis = info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
  return status;
}

}  // namespace

class LocalInput : public RangedInput {
 public:
  LocalInput(std::shared_ptr<LocalStore> store, std::string path, FileDescriptor fd, int64_t length, int64_t present)
      : RangedInput(std::move(path), length, present), store_(std::move(store)), fd_(std::move(fd)) {}

 protected:
  arrow::Status ReadRange(int64_t position, int64_t nbytes, uint8_t* out) override {
    ++store_->counters_.read_requests;
    for (int64_t done = 0; done < nbytes;) {
      const ssize_t read = ::pread(fd_.get(), out + done, static_cast<size_t>(nbytes - done), position + done);
      if (read < 0 && errno == EINTR) continue;
      if (read < 0) return ErrnoStatus(errno, "cannot read", path_);
      if (read == 0) return Corrupt(path_, ": the file was cut off at byte ", position + done);
      done += read;
    }
    store_->counters_.bytes_read += nbytes;
    return arrow::Status::OK();
  }

 private:
  const std::shared_ptr<LocalStore> store_;
  const FileDescriptor fd_;
};

class LocalOutput : public arrow::io::OutputStream {
 public:
  LocalOutput(std::shared_ptr<LocalStore> store, std::string path, FileDescriptor fd)
      : store_(std::move(store)), path_(std::move(path)), fd_(std::move(fd)) {}

  bool closed() const override { return !fd_.valid(); }
  arrow::Result<int64_t> Tell() const override { return position_; }

  arrow::Status Write(const void* data, int64_t nbytes) override {
    if (closed()) return Invalid("write to the closed file ", path_);
    const std::string_view bytes(static_cast<const char*>(data), static_cast<size_t>(nbytes));
    position_ += nbytes;
    if (buffer_.size() + bytes.size() < kOutputBufferBytes) {
      buffer_ += bytes;
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(Flush());
    ++store_->counters_.writes;
    store_->counters_.bytes_written += nbytes;
    return WriteFully(fd_.get(), bytes, path_);
  }

  arrow::Status Flush() override {
    if (buffer_.empty()) return arrow::Status::OK();
    ++store_->counters_.writes;
    store_->counters_.bytes_written += static_cast<int64_t>(buffer_.size());
    ARROW_RETURN_NOT_OK(WriteFully(fd_.get(), buffer_, path_));
    buffer_.clear();
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    if (closed()) return arrow::Status::OK();
    arrow::Status status = Flush();
    if (status.ok()) status = SyncFile(fd_.get(), path_);
    const int error = fd_.Close();
    ARROW_RETURN_NOT_OK(status);
    if (error != 0) return ErrnoStatus(error, "cannot close", path_);
    AddPendingDirectory(std::string(ParentOf(path_)));
    return arrow::Status::OK();
  }

  arrow::Status Abort() override {
    buffer_.clear();
    fd_.Close();
    return arrow::Status::OK();
  }

 private:
  const std::shared_ptr<LocalStore> store_;
  const std::string path_;
  FileDescriptor fd_;
  std::string buffer_;
  int64_t position_ = 0;
};

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> LocalStore::OpenInput(const std::string& path,
                                                                                  std::optional<int64_t> length) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.opens;
  FileDescriptor fd(::open(plain.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, "cannot open", path);
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return ErrnoStatus(errno, "cannot stat", path);
  if (S_ISDIR(info.st_mode)) return Invalid(path, " is a directory");
  return std::make_shared<LocalInput>(shared_from_this(), path, std::move(fd), length.value_or(info.st_size), info.st_size);
}

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> LocalStore::OpenOutput(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.opens;
  ARROW_ASSIGN_OR_RAISE(FileDescriptor fd, CreateExclusive(plain));
  return std::make_shared<LocalOutput>(shared_from_this(), std::move(plain), std::move(fd));
}

arrow::Status LocalStore::PutIfAbsent(const std::string& path, std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.writes;
  counters_.bytes_written += static_cast<int64_t>(bytes.size());
  ARROW_ASSIGN_OR_RAISE(const std::string temporary, WriteTemporary(plain, bytes));
  arrow::Status status = SyncPendingDirectories();
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  if (::link(temporary.c_str(), plain.c_str()) != 0) {
    const int error = errno;
    struct stat info;
    if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK) {
      status = RenameNoReplace(temporary, plain);
    } else if (error != EEXIST || ::stat(temporary.c_str(), &info) != 0 || info.st_nlink != 2) {
      // A second link means that ours succeeded and a repeated request (a network file system's) met its own result.
      status = ErrnoStatus(error, "cannot publish", path);
    }
  }
  ::unlink(temporary.c_str());
  if (!status.ok() && KindOf(status) == ErrorKind::kAlreadyExists) return AlreadyExists(path, " exists");
  ARROW_RETURN_NOT_OK(status);
  return SyncDirectory(std::string(ParentOf(plain)));
}

arrow::Status LocalStore::Overwrite(const std::string& path, std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.writes;
  counters_.bytes_written += static_cast<int64_t>(bytes.size());
  ARROW_ASSIGN_OR_RAISE(const std::string temporary, WriteTemporary(plain, bytes));
  if (::rename(temporary.c_str(), plain.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return ErrnoStatus(error, "cannot replace", path);
  }
  return SyncDirectory(std::string(ParentOf(plain)));
}

arrow::Result<std::vector<FileStatus>> LocalStore::List(const std::string& directory, bool recursive) {
  std::vector<FileStatus> entries;
  ARROW_RETURN_NOT_OK(ListInto(directory, recursive, &entries));
  return entries;
}

arrow::Status LocalStore::ListInto(const std::string& directory, bool recursive, std::vector<FileStatus>* entries) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(directory));
  ++counters_.lists;
  std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(plain.c_str()), ::closedir);
  if (stream == nullptr) return errno == ENOENT ? arrow::Status::OK() : ErrnoStatus(errno, "cannot list", directory);
  const int fd = ::dirfd(stream.get());
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) return errno == 0 ? arrow::Status::OK() : ErrnoStatus(errno, "cannot list", directory);
    const std::string_view name = entry->d_name;
    struct stat info;
    if (name == "." || name == "..") continue;
    if (::fstatat(fd, entry->d_name, &info, 0) != 0) continue;  // gone since, or a dangling link
    entries->push_back(MakeFileStatus(JoinPath(directory, name), info));
    // Links to directories are listed but not entered: they may lead in circles or out of the table.
    const bool is_link = ::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
    if (recursive && entries->back().is_directory && !is_link) {
      ARROW_RETURN_NOT_OK(ListInto(std::string(entries->back().path), true, entries));
    }
  }
}

arrow::Result<std::optional<FileStatus>> LocalStore::Stat(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.stats;
  struct stat info;
  if (::stat(plain.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return ErrnoStatus(errno, "cannot stat", path);
  }
  std::string_view name = path;
  while (name.size() > 1 && name.back() == '/') name.remove_suffix(1);
  return MakeFileStatus(std::string(name), info);
}

arrow::Status LocalStore::CreateDirectory(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.writes;
  ARROW_RETURN_NOT_OK(MakeDirectories(plain));
  return SyncPendingDirectories();
}

arrow::Status LocalStore::DeleteFile(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.deletes;
  if (::unlink(plain.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return arrow::Status::OK();
  return ErrnoStatus(errno, "cannot delete", path);
}

arrow::Status LocalStore::DeleteDirectory(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string plain, PlainPath(path));
  ++counters_.deletes;
  std::error_code error;
  std::filesystem::remove_all(plain, error);
  return error ? ErrnoStatus(error.value(), "cannot delete", path) : arrow::Status::OK();
}

arrow::Status LocalStore::RenameDirectory(const std::string& from, const std::string& to) {
  ARROW_ASSIGN_OR_RAISE(std::string plain_from, PlainPath(from));
  ARROW_ASSIGN_OR_RAISE(std::string plain_to, PlainPath(to));
  ++counters_.writes;
  arrow::Status status = RenameNoReplace(plain_from, plain_to);
  if (!status.ok() && KindOf(status) == ErrorKind::kAlreadyExists) return AlreadyExists(to, " exists");
  ARROW_RETURN_NOT_OK(status);
  ARROW_RETURN_NOT_OK(SyncDirectory(std::string(ParentOf(plain_from))));
  return SyncDirectory(std::string(ParentOf(plain_to)));
}

}  // namespace bactrian
