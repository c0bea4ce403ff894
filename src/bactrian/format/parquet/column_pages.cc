#include "bactrian/format/parquet/column_pages.h"

#include <arrow/buffer.h>
#include <arrow/io/buffered.h>
#include <arrow/io/interfaces.h>
#include <parquet/column_page.h>
#include <parquet/exception.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace bactrian {
namespace {

constexpr int64_t kHoleBytes = 64 << 10;                                  // cheaper to read than to ask for again
constexpr int64_t kRequestBytes = 16 << 20;                               // of one request that joins several
constexpr int64_t kMinStreamBytes = 64 << 10, kMaxStreamBytes = 1 << 20;  // read at once of a chunk that is not read whole

}  // namespace

arrow::Status ReadTogether(const ParquetFile& file, std::vector<PendingRead> reads, int64_t budget, arrow::MemoryPool* pool) {
  std::sort(reads.begin(), reads.end(), [](const PendingRead& a, const PendingRead& b) { return a.offset < b.offset; });
  for (size_t first = 0, last = 0; first < reads.size(); first = last) {
    const int64_t begin = reads[first].offset;
    int64_t end = begin + reads[first].length;
    for (last = first + 1; last < reads.size(); ++last) {
      const int64_t read_end = std::max(end, reads[last].offset + reads[last].length);
      if (reads[last].offset > end + kHoleBytes || read_end - begin > kRequestBytes) break;
      end = read_end;
    }
    if (end - begin > budget) return arrow::Status::OK();
    budget -= end - begin;
    ARROW_ASSIGN_OR_RAISE(auto bytes, file.ReadAt(begin, end - begin, pool));
    for (size_t i = first; i < last; ++i) {
      *reads[i].buffer = arrow::SliceBuffer(bytes, reads[i].offset - begin, reads[i].length);
    }
  }
  return arrow::Status::OK();
}

/// A stream that ends after the bytes fed last and goes on when fed again: the library's page reader reports the end of the
/// pages each time, and reads the next page when asked once more.
class PageStream final : public arrow::io::InputStream {
 public:
  void Feed(std::shared_ptr<arrow::Buffer> bytes) {
    bytes_ = std::move(bytes);
    position_ = 0;
  }
  arrow::Result<std::string_view> Peek(int64_t n) override {
    return std::string_view(reinterpret_cast<const char*>(bytes_->data()) + position_, Available(n));
  }
  arrow::Result<int64_t> Read(int64_t n, void* out) override {
    n = Available(n);
    std::memcpy(out, bytes_->data() + position_, n);
    position_ += n;
    return n;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t n) override {
    n = Available(n);
    auto slice = arrow::SliceBuffer(bytes_, position_, n);
    position_ += n;
    return slice;
  }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return position_; }

 private:
  int64_t Available(int64_t n) const { return std::clamp<int64_t>(n, 0, bytes_->size() - position_); }

  std::shared_ptr<arrow::Buffer> bytes_ = std::make_shared<arrow::Buffer>(nullptr, 0);
  int64_t position_ = 0;
};

ColumnPages::~ColumnPages() = default;

arrow::Result<std::unique_ptr<ColumnPages>> ColumnPages::Make(const ParquetFile& file, int row_group, int column,
                                                              std::shared_ptr<parquet::OffsetIndex> index,
                                                              int64_t read_ahead_bytes, arrow::MemoryPool* pool) {
  std::unique_ptr<ColumnPages> pages(new ColumnPages(file, row_group, column, read_ahead_bytes, pool));
  ARROW_ASSIGN_OR_RAISE(pages->chunk_, file.CheckedChunk(row_group, column));
  pages->stream_ = std::make_shared<PageStream>();
  pages->pages_ = pages->OpenPages(pages->stream_);
  if (!index) return pages;
  const auto& locations = index->page_locations();
  pages->dictionary_ = {pages->chunk_.offset, locations[0].offset - pages->chunk_.offset};
  pages->data_pages_.reserve(locations.size());
  for (size_t i = 0; i < locations.size(); ++i) {
    const int64_t end = i + 1 < locations.size() ? locations[i + 1].first_row_index : file.row_group_rows(row_group);
    pages->data_pages_.push_back({.offset = locations[i].offset,
                                  .length = locations[i].compressed_page_size,
                                  .begin = locations[i].first_row_index,
                                  .end = end});
  }
  return pages;
}

std::unique_ptr<parquet::PageReader> ColumnPages::OpenPages(std::shared_ptr<arrow::io::InputStream> stream) const {
  const auto chunk = file_.metadata()->RowGroup(row_group_)->ColumnChunk(column_);
  // Bounded by the stream, not by a count: DataPage headers are checked one by one.
  return parquet::PageReader::Open(std::move(stream), std::numeric_limits<int64_t>::max(), chunk->compression(),
                                   parquet::ReaderProperties(pool_), *file_.metadata()->schema()->Column(column_));
}

void ColumnPages::Want(const RowRanges& rows) {
  auto range = rows.ranges().begin();
  for (size_t i = next_page_; i < data_pages_.size() && range != rows.ranges().end(); ++i) {
    while (range != rows.ranges().end() && range->end <= data_pages_[i].begin) ++range;
    if (range != rows.ranges().end() && range->begin < data_pages_[i].end) data_pages_[i].wanted = true;
  }
}

void ColumnPages::AppendPendingReads(std::vector<PendingRead>* reads) {
  if (data_pages_.empty()) {
    if (!chunk_bytes_ && !started_) reads->push_back({chunk_.offset, chunk_.length, &chunk_bytes_});
    return;
  }
  bool any = false;
  for (size_t i = next_page_; i < data_pages_.size(); ++i) {
    DataPage& page = data_pages_[i];
    if (!page.wanted || page.bytes) continue;
    any = true;
    reads->push_back({page.offset, page.length, &page.bytes});
  }
  if (any && !started_ && !dictionary_bytes_ && dictionary_.length > 0) {
    reads->push_back({dictionary_.offset, dictionary_.length, &dictionary_bytes_});
  }
}

int64_t ColumnPages::DeliveredRows(int64_t begin, int64_t end) {
  if (data_pages_.empty()) return end - begin;
  int64_t rows = 0;
  while (first_page_ < data_pages_.size() && data_pages_[first_page_].end <= begin) ++first_page_;
  for (size_t i = first_page_; i < data_pages_.size() && data_pages_[i].begin < end; ++i) {
    if (data_pages_[i].wanted) rows += std::min(end, data_pages_[i].end) - std::max(begin, data_pages_[i].begin);
  }
  return rows;
}

std::shared_ptr<arrow::Buffer> ColumnPages::Take(int64_t offset, int64_t length, std::shared_ptr<arrow::Buffer>* bytes) {
  if (!*bytes) {
    PARQUET_ASSIGN_OR_THROW(*bytes, file_.ReadAt(offset, length, pool_));
  }
  return std::move(*bytes);
}

void ColumnPages::CheckDictionary(const parquet::Page& page) const {
  // The decoder allocates by the number of entries before it looks at their bytes.
  const auto& dictionary = static_cast<const parquet::DictionaryPage&>(page);
  const parquet::ColumnDescriptor& descr = *file_.metadata()->schema()->Column(column_);
  const int64_t width = descr.physical_type() == parquet::Type::BYTE_ARRAY ? sizeof(uint32_t)
                        : descr.physical_type() == parquet::Type::FIXED_LEN_BYTE_ARRAY
                            ? std::max(descr.type_length(), 1)
                            : std::max(parquet::GetTypeByteSize(descr.physical_type()), 1);
  if (dictionary.num_values() < 0 || dictionary.num_values() > dictionary.size() / width) {
    throw parquet::ParquetException("row group ", row_group_, ": column ", descr.path()->ToDotString(), ": ",
                                    dictionary.num_values(), " dictionary entries in ", dictionary.size(), " bytes");
  }
}

void ColumnPages::CheckData(const parquet::Page& page, int64_t rows) {
  if (page.type() != parquet::PageType::DATA_PAGE && page.type() != parquet::PageType::DATA_PAGE_V2) return;
  const int64_t num_values = static_cast<const parquet::DataPage&>(page).num_values();
  const parquet::ColumnDescriptor& descr = *file_.metadata()->schema()->Column(column_);
  seen_values_ += num_values;
  const bool is_flat = descr.max_repetition_level() == 0;
  if (num_values < 0 || (is_flat && seen_values_ > file_.row_group_rows(row_group_)) ||
      (rows >= 0 && (is_flat ? num_values != rows : num_values < rows))) {
    throw parquet::ParquetException("row group ", row_group_, ": column ", descr.path()->ToDotString(), ": a page of ",
                                    num_values, " values", rows < 0 ? "" : " contradicts the offset index");
  }
}

std::shared_ptr<parquet::Page> ColumnPages::NextPage() {
  std::shared_ptr<parquet::Page> page = data_pages_.empty() ? NextPageOfChunk() : NextWantedPage();
  if (page && page->type() == parquet::PageType::DICTIONARY_PAGE) CheckDictionary(*page);
  return page;
}

std::shared_ptr<parquet::Page> ColumnPages::NextPageOfChunk() {
  if (!started_) {
    started_ = true;
    if (chunk_bytes_ || chunk_.length <= read_ahead_bytes_) {
      stream_->Feed(Take(chunk_.offset, chunk_.length, &chunk_bytes_));
    } else {
      PARQUET_ASSIGN_OR_THROW(auto part, arrow::io::RandomAccessFile::GetStream(file_.source(), chunk_.offset, chunk_.length));
      const int64_t buffered = std::clamp(read_ahead_bytes_, kMinStreamBytes, kMaxStreamBytes);
      PARQUET_ASSIGN_OR_THROW(auto stream, arrow::io::BufferedInputStream::Create(buffered, pool_, std::move(part)));
      pages_ = OpenPages(std::move(stream));
    }
  }
  std::shared_ptr<parquet::Page> page = pages_->NextPage();
  if (page) CheckData(*page, -1);
  return page;
}

std::shared_ptr<parquet::Page> ColumnPages::NextWantedPage() {
  // Asked for more than is wanted so far (to see where the last list of a page ends), this is the end of the column; the pages
  // passed over may still become wanted.
  size_t found = next_page_;
  while (found < data_pages_.size() && !data_pages_[found].wanted) ++found;
  if (found == data_pages_.size()) return nullptr;
  std::shared_ptr<parquet::Page> page;
  if (!started_ && dictionary_.length > 0) {
    started_ = true;
    stream_->Feed(Take(dictionary_.offset, dictionary_.length, &dictionary_bytes_));
    page = pages_->NextPage();
    if (!page || page->type() != parquet::PageType::DICTIONARY_PAGE) throw parquet::ParquetException("no dictionary page");
    return page;
  }
  next_page_ = found + 1;
  DataPage& next = data_pages_[found];
  stream_->Feed(Take(next.offset, next.length, &next.bytes));
  page = pages_->NextPage();
  if (!page || page->type() == parquet::PageType::DICTIONARY_PAGE) throw parquet::ParquetException("no data page");
  CheckData(*page, next.end - next.begin);
  return page;
}

}  // namespace bactrian
