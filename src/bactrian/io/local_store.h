/// The local disk through POSIX calls. Publishing is safe between processes: link(2) of a synced temp file never replaces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bactrian/io/file_store.h"

namespace bactrian {

/// Paths: "/a/b", "file:/a/b", "file:///a/b"; no percent decoding, as in the reference. Relative paths are kInvalid.
class LocalStore : public FileStore, public std::enable_shared_from_this<LocalStore> {
 public:
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path,
                                                                        std::optional<int64_t> length) override;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutput(const std::string& path) override;
  arrow::Status PutIfAbsent(const std::string& path, std::string_view bytes) override;
  arrow::Status Overwrite(const std::string& path, std::string_view bytes) override;
  arrow::Result<std::vector<FileStatus>> List(const std::string& directory, bool recursive) override;
  arrow::Result<std::optional<FileStatus>> Stat(const std::string& path) override;
  arrow::Status CreateDirectory(const std::string& path) override;
  arrow::Status DeleteFile(const std::string& path) override;
  arrow::Status DeleteDirectory(const std::string& path) override;
  arrow::Status RenameDirectory(const std::string& from, const std::string& to) override;

 private:
  friend class LocalInput;
  friend class LocalOutput;
  arrow::Status ListInto(const std::string& directory, bool recursive, std::vector<FileStatus>* entries);
};

}  // namespace bactrian
