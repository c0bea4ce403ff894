/// Files in this process's memory, for tests and scratch tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bactrian/io/file_store.h"

namespace bactrian {

/// Paths: "memory://name/a/b". Stores of one name share their files for the life of the process. A file appears when its
/// output is closed; directories are explicit or implied by what is in them.
class MemoryStore : public FileStore, public std::enable_shared_from_this<MemoryStore> {
 public:
  struct Volume;

  static arrow::Result<std::shared_ptr<FileStore>> Open(std::string_view uri);
  explicit MemoryStore(std::string root, std::shared_ptr<Volume> volume) : root_(std::move(root)), volume_(std::move(volume)) {}

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
  friend class MemoryInput;
  friend class MemoryOutput;
  /// The part of `path` after "memory://name", without trailing slashes: "" is the root.
  arrow::Result<std::string> KeyOf(std::string_view path) const;
  arrow::Status Put(const std::string& path, std::string bytes, bool replace);

  const std::string root_;  ///< "memory://name"
  const std::shared_ptr<Volume> volume_;
};

}  // namespace bactrian
