#include "bactrian/format/parquet/writer_properties.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

constexpr int64_t kSampleValues = 20000;   // of one leaf
constexpr double kMaxDistinctShare = 0.6;  // above it a dictionary does not pay
constexpr int64_t kMinValuesToJudge = 100;
constexpr int64_t kMaxWriteBatchRows = 8192;
/// Few enough for readers to skip and to share out, enough for a dictionary to pay. DuckDB writes as many.
constexpr int64_t kDefaultMaxRowGroupRows = 122'880;
/// Pages end by their bytes: readers pay for each page, DuckDB's a fifth of its time at 20,000 rows a page.
constexpr int64_t kDefaultMaxPageRows = kDefaultMaxRowGroupRows;

/// How often the values of one leaf repeat.
class LeafSample {
 public:
  void Add(const arrow::Array& array) {
    const int64_t count = std::min(array.length(), kSampleValues - seen_);
    if (count <= 0) return;
    const int bit_width = arrow::is_fixed_width(array.type_id()) ? array.type()->bit_width() : 0;
    if (bit_width == 32) return AddFixed<uint32_t>(array, count);
    if (bit_width == 64) return AddFixed<uint64_t>(array, count);
    for (int64_t i = 0; i < count; ++i) {
      if (array.IsNull(i)) continue;
      if (bit_width >= 8) {
        const auto* values = array.data()->GetValues<uint8_t>(1, 0);
        Insert(HashOf({reinterpret_cast<const char*>(values) + (array.offset() + i) * (bit_width / 8), size_t(bit_width / 8)}));
      } else if (arrow::is_binary_like(array.type_id())) {
        Insert(HashOf(static_cast<const arrow::BinaryArray&>(array).GetView(i)));
      }
    }
  }
  bool RepeatsEnough() const {
    return seen_ < kMinValuesToJudge || static_cast<double>(distinct_) <= kMaxDistinctShare * static_cast<double>(seen_);
  }

 private:
  static constexpr size_t kSlots = 32768;  // a power of two above kSampleValues

  template <typename T>
  void AddFixed(const arrow::Array& array, int64_t count) {
    const T* values = array.data()->GetValues<T>(1);
    for (int64_t i = 0; i < count; ++i) {
      if (!array.IsNull(i)) Insert(static_cast<uint32_t>((values[i] * 0x9E3779B97F4A7C15ULL) >> 32));
    }
  }
  static uint32_t HashOf(std::string_view bytes) { return static_cast<uint32_t>(std::hash<std::string_view>()(bytes)); }

  /// Values of one hash count as one: too few to matter. 0 marks a free slot.
  void Insert(uint32_t hash) {
    if (slots_.empty()) slots_.resize(kSlots);
    ++seen_;
    hash = std::max<uint32_t>(hash, 1);
    size_t slot = hash % kSlots;
    while (slots_[slot] != 0 && slots_[slot] != hash) slot = (slot + 1) % kSlots;
    distinct_ += slots_[slot] == 0;
    slots_[slot] = hash;
  }

  std::vector<uint32_t> slots_;
  int64_t seen_ = 0, distinct_ = 0;
};

/// Adds the leaves below `array` in schema order; `*next` is the ordinal of the first.
void AddLeaves(const arrow::Array& array, std::vector<LeafSample>* leaves, size_t* next) {
  switch (array.type_id()) {
    case arrow::Type::STRUCT:
      for (const auto& child : static_cast<const arrow::StructArray&>(array).fields()) AddLeaves(*child, leaves, next);
      return;
    case arrow::Type::LIST:
    case arrow::Type::MAP:  // of a struct of key and value
      return AddLeaves(*static_cast<const arrow::ListArray&>(array).values(), leaves, next);
    case arrow::Type::FIXED_SIZE_LIST:
      return AddLeaves(*static_cast<const arrow::FixedSizeListArray&>(array).values(), leaves, next);
    default:
      (*leaves)[(*next)++].Add(array);
  }
}

arrow::Result<arrow::Compression::type> ParseCompression(const std::string& text) {
  static const std::map<std::string_view, arrow::Compression::type> kCodecs = {
      {"zstd", arrow::Compression::ZSTD},
      {"zstandard", arrow::Compression::ZSTD},
      {"snappy", arrow::Compression::SNAPPY},
      {"gzip", arrow::Compression::GZIP},
      {"lz4", arrow::Compression::LZ4_HADOOP},
      {"lz4_raw", arrow::Compression::LZ4},
      {"brotli", arrow::Compression::BROTLI},
      {"none", arrow::Compression::UNCOMPRESSED},
      {"uncompressed", arrow::Compression::UNCOMPRESSED}};
  std::string lower;
  for (char c : text) lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  const auto codec = kCodecs.find(lower);
  if (codec == kCodecs.end()) return Invalid("option file.compression: parquet has no codec '", text, "'");
  return codec->second;
}

class PropertiesMaker {
 public:
  PropertiesMaker(const Options& options, arrow::MemoryPool* pool) : options_(options), core_(options) {
    builder_.memory_pool(pool);
  }

  arrow::Result<std::shared_ptr<parquet::WriterProperties>> Make(
      const parquet::SchemaDescriptor& schema, const std::vector<std::shared_ptr<arrow::RecordBatch>>& sample) {
    builder_.created_by("bactrian version 0.1.0")->enable_write_page_index()->enable_store_decimal_as_integer();
    // Long strings keep their bounds: what prunes a file later is worth some bytes of footer.
    ARROW_RETURN_NOT_OK(SetCompression());
    ARROW_RETURN_NOT_OK(SetSizes());
    std::vector<LeafSample> leaves(schema.num_columns());
    for (const auto& batch : sample) {
      size_t next = 0;
      for (const auto& column : batch->columns()) AddLeaves(*column, &leaves, &next);
    }
    for (int i = 0; i < schema.num_columns(); ++i) ARROW_RETURN_NOT_OK(SetColumn(*schema.Column(i), leaves[i]));
    return builder_.build();
  }

 private:
  arrow::Status SetCompression() {
    ARROW_ASSIGN_OR_RAISE(const auto codec, ParseCompression(core_.GetString("file.compression", "zstd")));
    builder_.compression(codec);
    if (codec == arrow::Compression::ZSTD) {
      ARROW_ASSIGN_OR_RAISE(const int64_t level, core_.GetInt("file.compression.zstd-level", 1));
      if (level < 1 || level > 22) return Invalid("option file.compression.zstd-level: ", level, " is not within 1 and 22");
      builder_.compression_level(static_cast<int>(level));
    }
    return arrow::Status::OK();
  }

  arrow::Status SetSizes() {
    ARROW_ASSIGN_OR_RAISE(const int64_t page_bytes, core_.GetMemorySize("parquet.page.size", parquet::kDefaultDataPageSize));
    ARROW_ASSIGN_OR_RAISE(const int64_t page_rows, core_.GetInt("parquet.page.row.count.limit", kDefaultMaxPageRows));
    ARROW_ASSIGN_OR_RAISE(const int64_t dictionary_bytes,
                          core_.GetMemorySize("parquet.dictionary.page.size", parquet::DEFAULT_DICTIONARY_PAGE_SIZE_LIMIT));
    ARROW_ASSIGN_OR_RAISE(const int64_t row_group_rows, core_.GetInt("parquet.block.row.count.limit", kDefaultMaxRowGroupRows));
    if (page_bytes <= 0) return Invalid("option parquet.page.size must be positive, is ", page_bytes);
    if (page_rows <= 0) return Invalid("option parquet.page.row.count.limit must be positive, is ", page_rows);
    if (row_group_rows <= 0) return Invalid("option parquet.block.row.count.limit must be positive, is ", row_group_rows);
    builder_.max_row_group_length(row_group_rows);
    builder_.data_pagesize(page_bytes)->max_rows_per_page(page_rows)->dictionary_pagesize_limit(dictionary_bytes);
    // Pages are cut between write batches only.
    builder_.write_batch_size(std::clamp<int64_t>(page_bytes / 64, 1, kMaxWriteBatchRows));
    const std::string version = core_.GetString("parquet.writer.version", "v1");
    if (version == "v2" || version == "PARQUET_2_0") builder_.data_page_version(parquet::ParquetDataPageVersion::V2);
    return arrow::Status::OK();
  }

  arrow::Status SetColumn(const parquet::ColumnDescriptor& column, const LeafSample& leaf) {
    const std::string path = column.path()->ToDotString();
    ARROW_ASSIGN_OR_RAISE(const bool dictionary, core_.GetBool(KeyFor("parquet.enable.dictionary", path), true));
    const bool asked_for = options_.contains("parquet.enable.dictionary#" + path);
    if (dictionary && (asked_for || leaf.RepeatsEnough())) {
      builder_.enable_dictionary(path);
    } else {
      builder_.disable_dictionary(path);
    }
    ARROW_ASSIGN_OR_RAISE(const bool bloom, core_.GetBool(KeyFor("parquet.bloom.filter.enabled", path), false));
    if (!bloom || column.physical_type() == parquet::Type::BOOLEAN) return arrow::Status::OK();
    parquet::BloomFilterOptions filter;
    ARROW_ASSIGN_OR_RAISE(filter.fpp, core_.GetDouble(KeyFor("parquet.bloom.filter.fpp", path), 0.01));
    if (!(filter.fpp > 0 && filter.fpp < 1)) return Invalid("option parquet.bloom.filter.fpp must be within 0 and 1");
    ARROW_ASSIGN_OR_RAISE(const int64_t ndv, core_.GetInt(KeyFor("parquet.bloom.filter.expected.ndv", path), -1));
    if (ndv >= 0) filter.ndv = ndv;
    builder_.enable_bloom_filter(path, filter);
    return arrow::Status::OK();
  }

  /// The option for one column if given, else the one for all.
  std::string KeyFor(const std::string& key, const std::string& path) const {
    return options_.contains(key + "#" + path) ? key + "#" + path : key;
  }

  const Options& options_;
  CoreOptions core_;
  parquet::WriterProperties::Builder builder_;
};

}  // namespace

arrow::Result<std::shared_ptr<parquet::WriterProperties>> MakeWriterProperties(
    const Options& options, const parquet::SchemaDescriptor& schema,
    const std::vector<std::shared_ptr<arrow::RecordBatch>>& sample, arrow::MemoryPool* pool) {
  return PropertiesMaker(options, pool).Make(schema, sample);
}

}  // namespace bactrian
