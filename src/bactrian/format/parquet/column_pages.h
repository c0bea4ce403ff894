/// The pages of one column chunk, chosen and read beforehand.
#pragma once

#include <parquet/column_reader.h>

#include <memory>
#include <vector>

#include "bactrian/base/row_ranges.h"
#include "bactrian/format/parquet/parquet_file.h"

namespace bactrian {

class PageStream;

/// Bytes of the file that someone is about to need: ReadTogether() fills `buffer`.
struct PendingRead {
  int64_t offset = 0;
  int64_t length = 0;
  std::shared_ptr<arrow::Buffer>* buffer = nullptr;
};

/// Reads them in few requests (neighbours are joined across small gaps) until `budget` bytes are read; the rest stays unread.
arrow::Status ReadTogether(const ParquetFile& file, std::vector<PendingRead> reads, int64_t budget, arrow::MemoryPool* pool);

/// Feeds a RecordReader. With an offset index only pages that hold a wanted row are read, decompressed and delivered; without
/// one the whole chunk is. Not thread-safe. Throws as the library does.
///
/// Of the two ways that stock Arrow leaves open (this, or one synthetic footer over a virtual file per row range) this one
/// keeps a decoder across ranges, decodes each dictionary once and takes pages of several columns that do not align.
class ColumnPages final : public parquet::PageReader {
 public:
  /// `index` may be null. A chunk that is not read together with others is read whole up to `read_ahead_bytes`, else in parts.
  /// `pool` is for stored and decompressed bytes.
  static arrow::Result<std::unique_ptr<ColumnPages>> Make(const ParquetFile& file, int row_group, int column,
                                                          std::shared_ptr<parquet::OffsetIndex> index, int64_t read_ahead_bytes,
                                                          arrow::MemoryPool* pool);
  ~ColumnPages() override;

  /// Rows of the row group that will be asked for from now on; none before those already passed.
  void Want(const RowRanges& rows);
  /// What Want() made necessary and is not in memory yet. The buffers belong to this object.
  void AppendPendingReads(std::vector<PendingRead>* reads);
  /// Of the rows [begin, end): how many are, or will be, delivered. Ascending calls only.
  int64_t DeliveredRows(int64_t begin, int64_t end);

  std::shared_ptr<parquet::Page> NextPage() override;
  void set_max_page_header_size(uint32_t size) override { pages_->set_max_page_header_size(size); }

 private:
  struct DataPage {
    int64_t offset, length;  // in the file
    int64_t begin, end;      // rows of the row group
    bool wanted = false;
    std::shared_ptr<arrow::Buffer> bytes = {};
  };

  ColumnPages(const ParquetFile& file, int row_group, int column, int64_t read_ahead_bytes, arrow::MemoryPool* pool)
      : file_(file), row_group_(row_group), column_(column), read_ahead_bytes_(read_ahead_bytes), pool_(pool) {}
  std::unique_ptr<parquet::PageReader> OpenPages(std::shared_ptr<arrow::io::InputStream> stream) const;
  std::shared_ptr<parquet::Page> NextPageOfChunk();
  std::shared_ptr<parquet::Page> NextWantedPage();
  std::shared_ptr<arrow::Buffer> Take(int64_t offset, int64_t length, std::shared_ptr<arrow::Buffer>* bytes);
  void CheckDictionary(const parquet::Page& page) const;
  void CheckData(const parquet::Page& page, int64_t rows);

  const ParquetFile& file_;
  const int row_group_;
  const int column_;
  const int64_t read_ahead_bytes_;
  arrow::MemoryPool* const pool_;
  bool started_ = false;
  int64_t seen_values_ = 0;
  std::unique_ptr<parquet::PageReader> pages_;  // the library's
  // With an offset index:
  std::shared_ptr<PageStream> stream_;
  ChunkRange dictionary_;  // empty if the chunk has none
  std::shared_ptr<arrow::Buffer> dictionary_bytes_;
  std::vector<DataPage> data_pages_;
  size_t next_page_ = 0;   // the first one that may still be delivered
  size_t first_page_ = 0;  // where DeliveredRows() goes on
  // Without:
  ChunkRange chunk_;
  std::shared_ptr<arrow::Buffer> chunk_bytes_;
};

}  // namespace bactrian
