#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/format/file_format.h"
#include "bactrian/merge/sort_keys.h"
#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/read/merge_spec.h"

namespace bactrian {

/// Decoded consecutive rows of a data file. Immutable.
struct KeyBlock {
  std::shared_ptr<arrow::RecordBatch> batch;  ///< in the merge's layout, deleted rows included
  SortKeys keys;
  std::shared_ptr<const SortKeys> sequences;  ///< null when the table has no sequence fields
  int64_t first_row = 0;                      ///< of the file
  int64_t memory_bytes = 0;
};

struct FoundRecord {
  std::shared_ptr<const KeyBlock> block;
  uint32_t row = 0;  ///< of the block
};

/// A key to look for: row `row` of `keys`, and its values.
struct WantedKey {
  const SortKeys& keys;
  int64_t row = 0;
  std::vector<Value> values = {};
};

/// Finds records in data files by key, through the session's cache: where a file's pages begin and what bounds they have, and
/// the rows of pages that were read. A file without page bounds of its first key column is read in blocks of kBlockRows rows,
/// whose first keys come from reading its key columns once. Immutable, thread-safe.
class KeyBlocks {
 public:
  static constexpr int64_t kBlockRows = 4096;

  static arrow::Result<std::shared_ptr<const KeyBlocks>> Make(std::shared_ptr<const MergeSpec> spec);

  /// nullopt: the file has no such key, or it is deleted.
  arrow::Result<std::optional<FoundRecord>> Find(const DataSplit& bucket, const SplitFile& file, const WantedKey& key) const;

  const std::vector<SortColumn>& key_order() const { return key_order_; }

 private:
  struct FileBlocks;

  explicit KeyBlocks(std::shared_ptr<const MergeSpec> spec) : spec_(std::move(spec)) {}
  arrow::Result<std::shared_ptr<const FileBlocks>> BlocksOf(const DataSplit& bucket, const SplitFile& file) const;
  arrow::Result<FileBlocks> FromPageBounds(const SplitFile& file, const FileHandle& handle) const;
  arrow::Result<FileBlocks> FromKeys(const DataSplit& bucket, const SplitFile& file) const;
  arrow::Result<std::shared_ptr<const KeyBlock>> Load(const DataSplit& bucket, const SplitFile& file, RowRange rows) const;
  std::shared_ptr<const KeyBlock> Cached(const SplitFile& file, RowRange rows) const;
  std::string CacheKey(const SplitFile& file, RowRange rows) const;
  arrow::Result<std::optional<Field>> FirstKeyIn(const SplitFile& file) const;
  arrow::Result<bool> MayContain(const SplitFile& file, int64_t row, const WantedKey& key) const;
  arrow::Result<bool> IsDeleted(const SplitFile& file, int64_t row) const;

  std::shared_ptr<const MergeSpec> spec_;
  std::shared_ptr<const MergeSpec> key_spec_;  ///< of the key columns alone
  std::vector<SortColumn> key_order_, sequence_order_;
  std::string cache_suffix_;  ///< tells blocks of different columns apart
};

}  // namespace bactrian
