#include "bactrian/format/parquet/parquet_file.h"

#include <arrow/io/memory.h>
#include <parquet/bloom_filter.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <limits>

#include "bactrian/format/parquet/parquet_error.h"
#include "bactrian/format/parquet/parquet_reader.h"

namespace bactrian {
namespace {

// Parsed metadata takes about this many times its serialised bytes (Thrift structs, schema nodes, statistics).
constexpr int64_t kParsedFactor = 8;

// An offset index that does not describe pages in row order within the chunk is as good as none.
bool IsUsable(const parquet::OffsetIndex& index, ChunkRange chunk, int64_t num_rows) {
  const auto& pages = index.page_locations();
  if (pages.empty() || pages[0].first_row_index != 0) return false;
  for (size_t i = 0; i < pages.size(); ++i) {
    const auto& page = pages[i];
    if (page.first_row_index >= num_rows || (i > 0 && page.first_row_index <= pages[i - 1].first_row_index)) return false;
    if (page.compressed_page_size <= 0 || page.offset < chunk.offset) return false;
    if (page.offset - chunk.offset > chunk.length - page.compressed_page_size) return false;
    if (i > 0 && page.offset < pages[i - 1].offset + pages[i - 1].compressed_page_size) return false;
  }
  return true;
}

bool IsUsable(const parquet::ColumnIndex& index, size_t num_pages) {
  return index.null_pages().size() == num_pages && index.encoded_min_values().size() == num_pages &&
         index.encoded_max_values().size() == num_pages &&
         (!index.has_null_counts() || index.null_counts().size() == num_pages);
}

}  // namespace

arrow::Result<std::shared_ptr<ParquetFile>> ParquetFile::Open(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                              int64_t length) {
  std::shared_ptr<ParquetFile> file(new ParquetFile());
  file->path_ = path;
  file->length_ = length;
  ARROW_ASSIGN_OR_RAISE(file->source_, store->OpenInput(path, length));
  if (length < 12) return Corrupt("parquet file ", path, ": ", length, " bytes are too few");
  ARROW_RETURN_NOT_OK(CatchParquet(path, [&] {
    file->metadata_ = parquet::ParquetFileReader::Open(file->source_)->metadata();
    return arrow::Status::OK();
  }));
  const parquet::FileMetaData& metadata = *file->metadata_;
  int64_t begin = 0;
  file->row_group_begin_.push_back(0);
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    const auto row_group = metadata.RowGroup(i);
    if (row_group->num_rows() < 0 || row_group->num_rows() > std::numeric_limits<int64_t>::max() - begin) {
      return Corrupt("parquet file ", path, ": row group ", i, " claims ", row_group->num_rows(), " rows");
    }
    if (row_group->num_columns() != metadata.num_columns()) {
      return Corrupt("parquet file ", path, ": row group ", i, " has ", row_group->num_columns(), " columns, the schema ",
                     metadata.num_columns());
    }
    begin += row_group->num_rows();
    file->row_group_begin_.push_back(begin);
  }
  if (begin != metadata.num_rows()) {
    return Corrupt("parquet file ", path, ": ", metadata.num_rows(), " rows in the footer, ", begin, " in the row groups");
  }
  return file;
}

int64_t ParquetFile::memory_bytes() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(sizeof(*this)) + kParsedFactor * metadata_->size() + lazy_bytes_;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ParquetFile::Read(const ReadRequest& request) const {
  return MakeParquetReader(shared_from_this(), request);
}

arrow::Result<ChunkRange> ParquetFile::CheckedChunk(int row_group, int column) const {
  ChunkRange range;
  ARROW_RETURN_NOT_OK(CatchParquet(path_, [&]() -> arrow::Status {
    const auto chunk = metadata_->RowGroup(row_group)->ColumnChunk(column);
    const parquet::ColumnDescriptor* descr = metadata_->schema()->Column(column);
    range.offset = chunk->data_page_offset();
    if (chunk->has_dictionary_page() && chunk->dictionary_page_offset() > 0) {
      range.offset = std::min(range.offset, chunk->dictionary_page_offset());
    }
    range.length = chunk->total_compressed_size();
    if (range.offset < 4 || range.length < 0 || range.offset > length_ || range.length > length_ - range.offset) {
      return Corrupt("parquet file ", path_, ": row group ", row_group, ": column ", descr->path()->ToDotString(), " at ",
                     range.offset, " with ", range.length, " bytes lies outside of the file's ", length_);
    }
    if (descr->max_repetition_level() == 0 ? chunk->num_values() != row_group_rows(row_group) : chunk->num_values() < 0) {
      return Corrupt("parquet file ", path_, ": row group ", row_group, ": column ", descr->path()->ToDotString(), " has ",
                     chunk->num_values(), " values for ", row_group_rows(row_group), " rows");
    }
    return arrow::Status::OK();
  }));
  return range;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ParquetFile::ReadAt(int64_t offset, int64_t length,
                                                                  arrow::MemoryPool* pool) const {
  if (offset < 0 || length < 0 || offset > length_ || length > length_ - offset) {
    return Corrupt("parquet file ", path_, ": bytes [", offset, ", +", length, ") lie outside of its ", length_);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(length, pool));
  ARROW_ASSIGN_OR_RAISE(const int64_t read, source_->ReadAt(offset, length, buffer->mutable_data()));
  if (read != length) return Corrupt("parquet file ", path_, ": ends at ", offset + read, ", expected ", length_, " bytes");
  return buffer;
}

arrow::Result<std::vector<ChunkIndex>> ParquetFile::PageIndexes(int row_group, std::span<const int> columns) const {
  std::lock_guard lock(mutex_);
  std::vector<int> missing;
  for (int column : columns) {
    if (!page_indexes_.contains({row_group, column})) missing.push_back(column);
  }
  if (!missing.empty()) {
    ARROW_RETURN_NOT_OK(CatchParquet(path_, [&] { return LoadPageIndexes(row_group, missing); }));
  }
  std::vector<ChunkIndex> indexes;
  for (int column : columns) indexes.push_back(page_indexes_.at({row_group, column}));
  return indexes;
}

arrow::Status ParquetFile::LoadPageIndexes(int row_group, std::span<const int> columns) const {
  // Writers lay the offset indexes of all columns side by side, likewise the column indexes: read from the first to the last
  // that is wanted at once.
  struct Span {
    int64_t begin = std::numeric_limits<int64_t>::max(), end = 0;
    std::shared_ptr<arrow::Buffer> bytes;
    void Add(const std::optional<parquet::IndexLocation>& at) {
      if (!at) return;
      begin = std::min(begin, at->offset);
      end = std::max(end, at->offset + at->length);
    }
    const uint8_t* At(const parquet::IndexLocation& at) const { return bytes->data() + (at.offset - begin); }
  };
  const auto metadata = metadata_->RowGroup(row_group);
  const auto checked = [&](std::optional<parquet::IndexLocation> at) -> std::optional<parquet::IndexLocation> {
    if (at && (at->offset < 4 || at->length <= 0 || at->offset > length_ - at->length)) return std::nullopt;
    return at;
  };
  Span offsets, bounds;
  for (int column : columns) {
    const auto chunk = metadata->ColumnChunk(column);
    offsets.Add(checked(chunk->GetOffsetIndexLocation()));
    bounds.Add(checked(chunk->GetColumnIndexLocation()));
  }
  for (Span* span : {&offsets, &bounds}) {
    if (span->end == 0) continue;
    ARROW_ASSIGN_OR_RAISE(span->bytes, ReadAt(span->begin, span->end - span->begin));
  }
  const parquet::ReaderProperties properties;
  for (int column : columns) {
    const auto chunk = metadata->ColumnChunk(column);
    ARROW_ASSIGN_OR_RAISE(const ChunkRange range, CheckedChunk(row_group, column));
    ChunkIndex index;
    const auto offset_at = checked(chunk->GetOffsetIndexLocation());
    const auto bounds_at = checked(chunk->GetColumnIndexLocation());
    if (offset_at) {
      index.offset = parquet::OffsetIndex::Make(offsets.At(*offset_at), offset_at->length, properties);
      if (index.offset && !IsUsable(*index.offset, range, row_group_rows(row_group))) index.offset = nullptr;
      lazy_bytes_ += kParsedFactor * offset_at->length;
    }
    if (index.offset && bounds_at) {
      index.column = parquet::ColumnIndex::Make(*metadata_->schema()->Column(column), bounds.At(*bounds_at), bounds_at->length,
                                                properties);
      if (index.column && !IsUsable(*index.column, index.offset->page_locations().size())) index.column = nullptr;
      lazy_bytes_ += kParsedFactor * bounds_at->length;
    }
    page_indexes_[{row_group, column}] = std::move(index);
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<const parquet::BlockSplitBloomFilter>> ParquetFile::BloomFilter(int row_group, int column) const {
  std::lock_guard lock(mutex_);
  const auto known = bloom_filters_.find({row_group, column});
  if (known != bloom_filters_.end()) return known->second;
  std::shared_ptr<const parquet::BlockSplitBloomFilter> filter;
  ARROW_RETURN_NOT_OK(CatchParquet(path_, [&]() -> arrow::Status {
    const auto chunk = metadata_->RowGroup(row_group)->ColumnChunk(column);
    if (!chunk->bloom_filter_offset() || !chunk->bloom_filter_length()) return arrow::Status::OK();
    const int64_t length = *chunk->bloom_filter_length();
    ARROW_ASSIGN_OR_RAISE(auto bytes, ReadAt(*chunk->bloom_filter_offset(), length));
    arrow::io::BufferReader stream(bytes);
    filter = std::make_shared<parquet::BlockSplitBloomFilter>(
        parquet::BlockSplitBloomFilter::Deserialize(parquet::ReaderProperties(), &stream, length));
    lazy_bytes_ += length;
    return arrow::Status::OK();
  }));
  bloom_filters_[{row_group, column}] = filter;
  return filter;
}

}  // namespace bactrian
