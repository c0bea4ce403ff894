#include "store_file_system.h"

#include <arrow/io/interfaces.h>

#include "bactrian/io/file_store.h"
#include "duckdb/common/file_system.hpp"
#include "errors.h"

namespace bactrian::sql {

namespace {

/// Before a path of a store, so that no other file system takes it.
constexpr char kPrefix[] = "paimon-store:";

/// One reader's: not thread-safe but for Read() at a location.
struct StoreFileHandle final : public duckdb::FileHandle {
  StoreFileHandle(duckdb::FileSystem& file_system, const std::string& path, duckdb::FileOpenFlags flags,
                  std::shared_ptr<FileStore> store, std::shared_ptr<arrow::io::RandomAccessFile> file)
      : FileHandle(file_system, path, flags), store(std::move(store)), file(std::move(file)) {}
  void Close() override {}

  std::shared_ptr<FileStore> store;
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  duckdb::idx_t position = 0;
};

StoreFileHandle& Store(duckdb::FileHandle& handle) { return handle.Cast<StoreFileHandle>(); }

class StoreFileSystem final : public duckdb::FileSystem {
 public:
  bool CanHandleFile(const std::string& path) override { return path.starts_with(kPrefix); }
  std::string GetName() const override { return "PaimonStore"; }

  duckdb::unique_ptr<duckdb::FileHandle> OpenFile(const std::string& path, duckdb::FileOpenFlags flags,
                                                  duckdb::optional_ptr<duckdb::FileOpener>) override {
    if (flags.OpenForWriting()) throw duckdb::NotImplementedException("%s can only be read", path);
    const std::string in_store = path.substr(sizeof(kPrefix) - 1);
    std::shared_ptr<FileStore> store = ValueOrThrow(FileStore::Open(in_store));
    std::shared_ptr<arrow::io::RandomAccessFile> file = ValueOrThrow(store->OpenInput(in_store));
    return duckdb::make_uniq<StoreFileHandle>(*this, path, flags, std::move(store), std::move(file));
  }

  void Read(duckdb::FileHandle& handle, void* buffer, int64_t bytes, duckdb::idx_t location) override {
    const int64_t read = ValueOrThrow(Store(handle).file->ReadAt(static_cast<int64_t>(location), bytes, buffer));
    if (read != bytes) throw duckdb::IOException("%s ends before byte %d", handle.path, location + bytes);
  }
  int64_t Read(duckdb::FileHandle& handle, void* buffer, int64_t bytes) override {
    StoreFileHandle& store = Store(handle);
    const int64_t read = ValueOrThrow(store.file->ReadAt(static_cast<int64_t>(store.position), bytes, buffer));
    store.position += static_cast<duckdb::idx_t>(read);
    return read;
  }
  int64_t GetFileSize(duckdb::FileHandle& handle) override { return ValueOrThrow(Store(handle).file->GetSize()); }
  /// Data files never change under their name: one time for all lets DuckDB keep what it read.
  duckdb::timestamp_t GetLastModifiedTime(duckdb::FileHandle&) override { return duckdb::timestamp_t(1); }
  void Seek(duckdb::FileHandle& handle, duckdb::idx_t location) override { Store(handle).position = location; }
  duckdb::idx_t SeekPosition(duckdb::FileHandle& handle) override { return Store(handle).position; }
  bool CanSeek() override { return true; }
  bool OnDiskFile(duckdb::FileHandle&) override { return false; }
  bool FileExists(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override {
    const std::string in_store = path.substr(sizeof(kPrefix) - 1);
    return ValueOrThrow(ValueOrThrow(FileStore::Open(in_store))->Exists(in_store));
  }
};

}  // namespace

std::string ToReaderPath(const std::string& path) {
  const bool local = !path.empty() && path[0] == '/';
  return local ? path : kPrefix + path;
}

void RegisterStoreFileSystem(duckdb::DatabaseInstance& database) {
  database.GetFileSystem().RegisterSubSystem(duckdb::make_uniq<StoreFileSystem>());
}

}  // namespace bactrian::sql
