/// An open Parquet file: the footer parsed once, page indexes and Bloom filters parsed when first asked for.
#pragma once

#include <arrow/io/interfaces.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/format/file_format.h"
#include "bactrian/format/page_bounds.h"

namespace parquet {
class BlockSplitBloomFilter;
}

namespace bactrian {

/// The page index of one column chunk; either part is null where the file has none or it contradicts the chunk.
struct ChunkIndex {
  std::shared_ptr<parquet::OffsetIndex> offset;
  std::shared_ptr<parquet::ColumnIndex> column;
};

/// Where a column chunk's pages lie in the file: [offset, offset + length).
struct ChunkRange {
  int64_t offset = 0;
  int64_t length = 0;
};

/// Thread-safe.
class ParquetFile final : public FileHandle, public PageBounds, public std::enable_shared_from_this<ParquetFile> {
 public:
  static arrow::Result<std::shared_ptr<ParquetFile>> Open(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                          int64_t length);

  int64_t num_rows() const override { return metadata_->num_rows(); }
  int64_t memory_bytes() const override;
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const ReadRequest& request) const override;

  arrow::Result<std::vector<BoundedRows>> BoundedPages(const Field& field) const override;
  arrow::Result<bool> MayContain(int64_t row, const Field& field, const Value& value) const override;

  const std::string& path() const { return path_; }
  int64_t length() const { return length_; }
  const std::shared_ptr<parquet::FileMetaData>& metadata() const { return metadata_; }
  const std::shared_ptr<arrow::io::RandomAccessFile>& source() const { return source_; }
  int num_row_groups() const { return metadata_->num_row_groups(); }
  int64_t row_group_begin(int row_group) const { return row_group_begin_[row_group]; }
  int64_t row_group_rows(int row_group) const { return row_group_begin_[row_group + 1] - row_group_begin_[row_group]; }

  /// The chunk's bytes; kCorrupt unless they lie within the file and its value count fits the row group.
  arrow::Result<ChunkRange> CheckedChunk(int row_group, int column) const;
  /// Exactly these bytes; kCorrupt if the file is shorter. `pool` may be nullptr.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t offset, int64_t length, arrow::MemoryPool* pool = nullptr) const;

  /// Page indexes of some columns (leaf ordinals) of a row group, in their order. Read together, kept for later calls.
  arrow::Result<std::vector<ChunkIndex>> PageIndexes(int row_group, std::span<const int> columns) const;
  /// Null where the chunk has no filter of known length.
  arrow::Result<std::shared_ptr<const parquet::BlockSplitBloomFilter>> BloomFilter(int row_group, int column) const;

 private:
  ParquetFile() = default;
  arrow::Status LoadPageIndexes(int row_group, std::span<const int> columns) const;  // under mutex_

  std::string path_;
  int64_t length_ = 0;
  std::shared_ptr<arrow::io::RandomAccessFile> source_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::vector<int64_t> row_group_begin_;  // num_row_groups() + 1 of them

  using ChunkKey = std::pair<int, int>;  // row group, column
  mutable std::mutex mutex_;
  mutable std::map<ChunkKey, ChunkIndex> page_indexes_;
  mutable std::map<ChunkKey, std::shared_ptr<const parquet::BlockSplitBloomFilter>> bloom_filters_;
  mutable int64_t lazy_bytes_ = 0;
};

}  // namespace bactrian
