#include "bactrian/table/lookup/key_blocks.h"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>

#include <algorithm>
#include <utility>

#include "bactrian/format/page_bounds.h"
#include "bactrian/table/read/file_reader.h"
#include "bactrian/table/schema_evolution.h"
#include "bactrian/table/session_state.h"

namespace bactrian {
namespace {

/// A file of up to this many rows without page bounds is one block.
constexpr int64_t kWholeFileRows = 4 * KeyBlocks::kBlockRows;

SplitFile WithoutDeletion(SplitFile file) {
  file.deletion.reset();
  return file;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenRows(const std::shared_ptr<const MergeSpec>& spec,
                                                                  const DataSplit& bucket, const SplitFile& file,
                                                                  const RowRanges& rows) {
  CompiledProjection compiled;
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenDataFile(spec->overlapping, bucket, WithoutDeletion(file), &compiled, &rows));
  return MakeLayoutReader(spec, std::move(reader), file.meta->min_sequence_number);
}

/// What an array keeps from being freed: whole allocations, of which it may use a part, and the objects around them.
int64_t MemoryOf(const arrow::ArrayData& data) {
  constexpr int64_t kArrayBytes = sizeof(arrow::ArrayData) + sizeof(arrow::Array) + 64,
                    kBufferBytes = sizeof(arrow::Buffer) + 64;
  int64_t bytes = kArrayBytes;
  for (const auto& buffer : data.buffers) {
    if (buffer == nullptr) continue;
    const arrow::Buffer* whole = buffer.get();
    while (whole->parent() != nullptr) whole = whole->parent().get();
    bytes += kBufferBytes + whole->capacity();
  }
  for (const auto& child : data.child_data) bytes += MemoryOf(*child);
  return data.dictionary ? bytes + MemoryOf(*data.dictionary) : bytes;
}

int64_t MemoryOf(const KeyBlock& block) {
  int64_t bytes = static_cast<int64_t>(sizeof(block)) + block.keys.memory_bytes();
  for (const auto& column : block.batch->column_data()) bytes += MemoryOf(*column);
  return block.sequences ? bytes + block.sequences->memory_bytes() : bytes;
}

arrow::Result<SortKeys> KeysOf(const std::vector<SortColumn>& order, const arrow::RecordBatch& batch) {
  arrow::ArrayVector columns;
  for (size_t i = 0; i < order.size(); ++i) columns.push_back(batch.column(static_cast<int>(i)));
  return SortKeys::Make(order, columns);
}

}  // namespace

/// Where the blocks of a file begin, and what is known of their keys: bounds of the first key column, or first keys, or, with
/// one block, nothing.
struct KeyBlocks::FileBlocks {
  std::vector<RowRange> rows;
  std::vector<Value> min, max;
  SortKeys first_keys;

  /// Blocks [begin, end) that can hold the key.
  std::pair<size_t, size_t> Candidates(const WantedKey& key) const {
    if (!min.empty()) {
      if (IsNull(key.values.front())) return {0, 0};  // no page has a null
      const auto begin = std::partition_point(max.begin(), max.end(),
                                              [&](const Value& v) { return CompareValues(v, key.values.front()) < 0; });
      const auto end = std::partition_point(min.begin(), min.end(),
                                            [&](const Value& v) { return CompareValues(v, key.values.front()) <= 0; });
      return {begin - max.begin(), end - min.begin()};
    }
    if (rows.size() <= 1) return {0, rows.size()};
    size_t low = 0, high = rows.size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (first_keys.Compare(static_cast<int64_t>(middle), key.keys, key.row) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return {low == 0 ? 0 : low - 1, low};
  }

  int64_t memory_bytes() const {
    int64_t bytes = static_cast<int64_t>(sizeof(*this) + rows.capacity() * (sizeof(RowRange) + 2 * sizeof(Value))) +
                    first_keys.memory_bytes();
    for (const auto* bounds : {&min, &max}) {
      for (const Value& value : *bounds) {
        if (const auto* text = std::get_if<std::string>(&value)) bytes += static_cast<int64_t>(text->capacity());
      }
    }
    return bytes;
  }
};

arrow::Result<std::shared_ptr<const KeyBlocks>> KeyBlocks::Make(std::shared_ptr<const MergeSpec> spec) {
  auto scan = std::make_shared<ReadSpec>(*spec->scan);
  scan->fields = spec->layout.keys;
  scan->batch_rows = kBlockRows;
  std::shared_ptr<KeyBlocks> blocks(new KeyBlocks(std::move(spec)));
  ARROW_ASSIGN_OR_RAISE(blocks->key_spec_, MakeMergeSpec(std::move(scan)));
  const MergeSpec& merge = *blocks->spec_;
  for (const Field& key : merge.layout.keys) blocks->key_order_.push_back({key.type, false});
  for (const int value : merge.options.sequence_values) {
    blocks->sequence_order_.push_back({merge.layout.values[value].type, merge.options.sequence_descending});
  }
  blocks->cache_suffix_ = "#rows" + std::to_string(merge.scan->context.schema->id) + (merge.sequence_of_file ? "s" : "");
  for (const Field& value : merge.layout.values) blocks->cache_suffix_ += "," + std::to_string(value.id);
  return blocks;
}

arrow::Result<std::optional<FoundRecord>> KeyBlocks::Find(const DataSplit& bucket, const SplitFile& file,
                                                          const WantedKey& key) const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const FileBlocks> blocks, BlocksOf(bucket, file));
  auto [begin, end] = blocks->Candidates(key);
  // Rows ascend by the whole key: the block is the first whose last key is not below it.
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    std::shared_ptr<const KeyBlock> block = Cached(file, blocks->rows[middle]);
    if (block == nullptr) {
      ARROW_ASSIGN_OR_RAISE(const bool may_contain, MayContain(file, blocks->rows[middle].begin, key));
      if (!may_contain) return std::nullopt;
      ARROW_ASSIGN_OR_RAISE(block, Load(bucket, file, blocks->rows[middle]));
    }
    const SortKeys& keys = block->keys;
    if (keys.num_rows() == 0 || keys.Compare(keys.num_rows() - 1, key.keys, key.row) < 0) {
      begin = middle + 1;
      continue;
    }
    int64_t low = 0, high = keys.num_rows() - 1;  // the first row that is not below the key is one of these
    while (low < high) {
      const int64_t row = low + (high - low) / 2;
      if (keys.Compare(row, key.keys, key.row) < 0) {
        low = row + 1;
      } else {
        high = row;
      }
    }
    if (low == 0 && middle > begin && keys.Compare(0, key.keys, key.row) > 0) {
      end = middle;
      continue;
    }
    if (keys.Compare(low, key.keys, key.row) != 0) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(const bool deleted, IsDeleted(file, block->first_row + low));
    if (deleted) return std::nullopt;
    return FoundRecord{std::move(block), static_cast<uint32_t>(low)};
  }
  return std::nullopt;
}

arrow::Result<bool> KeyBlocks::IsDeleted(const SplitFile& file, int64_t row) const {
  if (!file.deletion) return false;
  ARROW_ASSIGN_OR_RAISE(auto deleted, LoadDeletionVector(*spec_->scan, *file.deletion));
  return deleted->Contains(static_cast<uint64_t>(row));
}

arrow::Result<std::shared_ptr<const KeyBlocks::FileBlocks>> KeyBlocks::BlocksOf(const DataSplit& bucket,
                                                                                const SplitFile& file) const {
  const std::string key = file.path + "#blocks" + std::to_string(spec_->scan->context.schema->id);
  ShardedLruCache& cache = spec_->scan->session->state().cache;
  if (auto cached = cache.Get<FileBlocks>(key)) return cached;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const FileHandle> handle, OpenFileHandle(*spec_->scan, file));
  ARROW_ASSIGN_OR_RAISE(FileBlocks blocks, FromPageBounds(file, *handle));
  if (blocks.rows.empty()) {
    if (handle->num_rows() <= kWholeFileRows) {
      if (handle->num_rows() > 0) blocks.rows.push_back({0, handle->num_rows()});
    } else {
      ARROW_ASSIGN_OR_RAISE(blocks, FromKeys(bucket, file));
    }
  }
  auto shared = std::make_shared<const FileBlocks>(std::move(blocks));
  cache.Put(key, shared, shared->memory_bytes());
  return shared;
}

/// The first key column as the file has it; nullopt where that is not a column of its type.
arrow::Result<std::optional<Field>> KeyBlocks::FirstKeyIn(const SplitFile& file) const {
  const SchemaStore& schemas = file.schemas ? *file.schemas : *spec_->scan->context.schemas;
  ARROW_ASSIGN_OR_RAISE(auto data_schema, schemas.Load(file.meta->schema_id));
  const std::vector<Field> data_fields = PhysicalFields(*data_schema, *file.meta);
  const Field& key = spec_->layout.keys.front();
  const Field* field = FindFieldById(data_fields, key.id);
  if (field == nullptr || !field->type->EqualsIgnoreNullable(*key.type)) return std::nullopt;
  return *field;
}

arrow::Result<KeyBlocks::FileBlocks> KeyBlocks::FromPageBounds(const SplitFile& file, const FileHandle& handle) const {
  FileBlocks blocks;
  const auto* pages = dynamic_cast<const PageBounds*>(&handle);
  if (pages == nullptr) return blocks;
  ARROW_ASSIGN_OR_RAISE(const std::optional<Field> field, FirstKeyIn(file));
  if (!field) return blocks;
  ARROW_ASSIGN_OR_RAISE(std::vector<BoundedRows> bounded, pages->BoundedPages(*field));
  for (BoundedRows& page : bounded) {
    // Bounds that do not ascend are no bounds of sorted rows.
    if (!blocks.min.empty() &&
        (CompareValues(page.min, blocks.min.back()) < 0 || CompareValues(page.max, blocks.max.back()) < 0)) {
      return FileBlocks{};
    }
    blocks.rows.push_back(page.rows);
    blocks.min.push_back(std::move(page.min));
    blocks.max.push_back(std::move(page.max));
  }
  return blocks;
}

/// Reads the key columns for the first key of each block.
arrow::Result<KeyBlocks::FileBlocks> KeyBlocks::FromKeys(const DataSplit& bucket, const SplitFile& file) const {
  FileBlocks blocks;
  std::vector<std::shared_ptr<arrow::RecordBatch>> firsts;
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenRows(key_spec_, bucket, file, RowRanges::All(file.meta->row_count)));
  int64_t position = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
    if (batch == nullptr) break;
    const int64_t end = position + batch->num_rows();
    for (int64_t row = (position + kBlockRows - 1) / kBlockRows * kBlockRows; row < end; row += kBlockRows) {
      firsts.push_back(batch->Slice(row - position, 1));
    }
    position = end;
  }
  if (firsts.empty()) return blocks;
  for (int64_t row = 0; row < position; row += kBlockRows) blocks.rows.push_back({row, std::min(row + kBlockRows, position)});
  ARROW_ASSIGN_OR_RAISE(auto rows, arrow::ConcatenateRecordBatches(firsts, spec_->options.pool));
  ARROW_ASSIGN_OR_RAISE(blocks.first_keys, KeysOf(key_order_, *rows));
  return blocks;
}

/// Of one key column whose values are unique in the file: what a Bloom filter does not hold is in none of its blocks.
arrow::Result<bool> KeyBlocks::MayContain(const SplitFile& file, int64_t row, const WantedKey& key) const {
  if (key_order_.size() != 1) return true;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const FileHandle> handle, OpenFileHandle(*spec_->scan, file));
  const auto* pages = dynamic_cast<const PageBounds*>(handle.get());
  if (pages == nullptr) return true;
  ARROW_ASSIGN_OR_RAISE(const std::optional<Field> field, FirstKeyIn(file));
  return field ? pages->MayContain(row, *field, key.values.front()) : arrow::Result<bool>(true);
}

std::shared_ptr<const KeyBlock> KeyBlocks::Cached(const SplitFile& file, RowRange rows) const {
  return spec_->scan->session->state().cache.Get<KeyBlock>(CacheKey(file, rows));
}

std::string KeyBlocks::CacheKey(const SplitFile& file, RowRange rows) const {
  return file.path + cache_suffix_ + "@" + std::to_string(rows.begin);
}

arrow::Result<std::shared_ptr<const KeyBlock>> KeyBlocks::Load(const DataSplit& bucket, const SplitFile& file,
                                                               RowRange rows) const {
  RowRanges range;
  range.Append(rows);
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenRows(spec_, bucket, file, range));
  ARROW_ASSIGN_OR_RAISE(auto batches, reader->ToRecordBatches());
  auto block = std::make_shared<KeyBlock>();
  if (batches.size() == 1) {
    block->batch = batches[0];
  } else if (batches.empty()) {
    ARROW_ASSIGN_OR_RAISE(block->batch, arrow::RecordBatch::MakeEmpty(spec_->layout_schema, spec_->options.pool));
  } else {
    ARROW_ASSIGN_OR_RAISE(block->batch, arrow::ConcatenateRecordBatches(batches, spec_->options.pool));
  }
  block->first_row = rows.begin;
  if (block->batch->num_rows() != rows.end - rows.begin) {
    return Corrupt("data file ", file.path, " has ", block->batch->num_rows(), " rows from row ", rows.begin, " where ",
                   rows.end - rows.begin, " belong");
  }
  ARROW_ASSIGN_OR_RAISE(block->keys, KeysOf(key_order_, *block->batch));
  if (!sequence_order_.empty()) {
    arrow::ArrayVector columns;
    for (const int value : spec_->options.sequence_values) {
      columns.push_back(block->batch->column(spec_->layout.value_index(value)));
    }
    ARROW_ASSIGN_OR_RAISE(SortKeys sequences, SortKeys::Make(sequence_order_, columns));
    block->sequences = std::make_shared<const SortKeys>(std::move(sequences));
  }
  RechargeFileHandle(*spec_->scan, file);  // reading pages made it load their indexes
  block->memory_bytes = MemoryOf(*block);
  std::shared_ptr<const KeyBlock> shared = std::move(block);
  spec_->scan->session->state().cache.Put(CacheKey(file, rows), shared, shared->memory_bytes);
  return shared;
}

}  // namespace bactrian
