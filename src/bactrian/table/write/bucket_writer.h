#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bactrian/table/write/write_settings.h"

namespace bactrian {

/// Which bucket of which partition.
struct BucketId {
  std::string partition;  ///< serialised row
  int32_t bucket = 0;
  int32_t total_buckets = -1;
};

/// Writes one bucket's rows to one file after the other, in order. Not thread-safe. Destroyed it deletes every file that
/// TakeFiles() did not hand out.
class BucketWriter {
 public:
  /// `settings` must outlive it; its rotation of external paths is shared. `next_sequence` numbers the first row.
  static arrow::Result<std::unique_ptr<BucketWriter>> Make(WriteSettings* settings, BucketId id, FileSource source,
                                                           int64_t next_sequence);
  ~BucketWriter();

  /// `batch` has the table's Arrow schema. Rolls to a new file at the target size or row count.
  arrow::Status Write(const arrow::RecordBatch& batch);
  /// Closes the open file, if any; the next row starts another one.
  arrow::Status CloseFile();
  /// Closes and hands out the files since the last call; they are the caller's from now on.
  arrow::Result<std::vector<DataFileMeta>> TakeFiles();

  const BucketId& id() const { return id_; }
  bool has_open_file() const { return file_ != nullptr; }
  /// Makes the open file take less memory where it can without being closed.
  arrow::Status EncodeHeld() { return file_ == nullptr ? arrow::Status::OK() : file_->EncodeHeld(); }
  int64_t buffered_bytes() const { return file_ == nullptr ? 0 : file_->buffered_bytes(); }

 private:
  BucketWriter(WriteSettings* settings, BucketId id, FileSource source, int64_t next_sequence);
  arrow::Status OpenFile();

  struct Written {
    DataFileMeta meta;
    std::shared_ptr<FileStore> store;
    std::string path;
  };

  WriteSettings* settings_;
  BucketId id_;
  FileSource source_;
  std::string relative_path_;
  std::string uuid_;
  int next_file_ = 0;
  int64_t next_sequence_;

  // The open file.
  std::unique_ptr<FileWriter> file_;
  std::shared_ptr<FileStore> file_store_;
  std::string file_name_, file_path_;
  int64_t file_rows_ = 0;

  std::vector<Written> written_;
};

/// The store of a data file: the table's own where it takes the URI's scheme.
arrow::Result<std::shared_ptr<FileStore>> StoreOfPath(const TableContext& context, const std::string& path);

}  // namespace bactrian
