/// What a data-file format does for the rest: open, read a projection of chosen rows, write. One small interface; formats
/// are registered by RegisterAllFormats() (no static constructors).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/base/row_ranges.h"
#include "bactrian/base/task_pool.h"
#include "bactrian/data_type.h"
#include "bactrian/io/file_store.h"
#include "bactrian/predicate.h"
#include "bactrian/schema.h"

namespace bactrian {

/// Which layers may drop rows or pages before decoding; results are the same whatever is off (tests switch them off).
struct PruningSwitches {
  bool row_groups = true;  ///< row-group or stripe statistics
  bool pages = true;       ///< page index
  bool bloom_filters = true;
  bool late_materialization = true;  ///< filter columns first
};

struct ReadRequest {
  /// Columns to return, in order, typed as the file's schema declares them (the schema with the file's schema id). Found in
  /// the file by name; nested ROW fields likewise, fewer of them is a nested projection. One that the file lacks is null.
  std::vector<Field> fields{};
  /// Exact: only rows for which it is true are returned. Over columns of the file by name, which need not be among
  /// `fields`; their types are in `predicate_fields`.
  PredicatePtr predicate{};
  std::vector<Field> predicate_fields{};
  /// Exact: only these row positions of the file. Combined with the predicate by AND.
  std::optional<RowRanges> selection{};
  /// If set, an int64 column of this name, the row's position in the file, follows the fields.
  std::optional<std::string> position_column{};
  int64_t batch_rows = 16384;  ///< at most this many rows a batch; batches are never empty
  bool string_views = false;   ///< STRING and BYTES columns as utf8_view, binary_view
  PruningSwitches pruning{};
  /// Stored bytes to hold before they are decoded, which takes a page or block of each column anyhow.
  int64_t read_ahead_bytes = 64 << 20;
  arrow::MemoryPool* pool = nullptr;  ///< nullptr: the default pool
};

/// An open data file: footer parsed, immutable, shared by threads, cacheable by (path, length).
class FileHandle {
 public:
  virtual ~FileHandle() = default;
  virtual int64_t num_rows() const = 0;
  /// Rough bytes of memory that the handle keeps (for the session's cache).
  virtual int64_t memory_bytes() const = 0;
  /// Batches in file order with the schema ToArrowSchema(fields) [+ position]. Starts no thread. The reader keeps the handle
  /// alive; one reader belongs to one thread at a time.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const ReadRequest& request) const = 0;
};

/// Full, untruncated statistics of one top-level column of a written file. Modes are applied by the table writer.
struct ColumnStats {
  Value min, max;  ///< null when unknown, all-null, or a type without order
  std::optional<int64_t> null_count;
};

struct FileWriteResult {
  int64_t size = 0;
  int64_t num_rows = 0;
  std::vector<ColumnStats> columns;  ///< one a written field
};

/// Writes one file. Not thread-safe. Destroyed without Finish() it leaves a partial file, which the caller deletes.
class FileWriter {
 public:
  virtual ~FileWriter() = default;
  /// `batch` has the schema ToArrowSchema(fields).
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  /// Estimated bytes of the file so far, buffered data included: for rolling.
  virtual int64_t bytes_written() const = 0;
  /// Bytes that it holds in memory: for the budget of a writer with many open files.
  virtual int64_t buffered_bytes() const { return bytes_written(); }
  /// Encodes rows that are held back to learn how to encode them: they take less memory then.
  virtual arrow::Status EncodeHeld() { return arrow::Status::OK(); }
  virtual arrow::Result<FileWriteResult> Finish() = 0;
};

struct WriteRequest {
  std::vector<Field> fields;
  Options options{};  ///< the table's options: file.compression, file.compression.zstd-level, file.block-size, parquet.*, …
  arrow::MemoryPool* pool = nullptr;
  TaskPool* tasks = nullptr;  ///< whose idle threads may help to encode; must outlive the writer
};

class FileFormat {
 public:
  virtual ~FileFormat() = default;
  virtual std::string_view identifier() const = 0;  ///< "parquet", "orc", "avro", …
  virtual arrow::Result<std::shared_ptr<FileHandle>> Open(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                          int64_t length) const = 0;
  virtual arrow::Result<std::unique_ptr<FileWriter>> OpenWriter(const std::shared_ptr<FileStore>& store,
                                                                const std::string& path, const WriteRequest& request) const = 0;
};

/// Registers the built-in formats. Idempotent, thread-safe; the Session calls it.
void RegisterAllFormats();
/// Adds a format, which must live as long as the process, or replaces one of its identifier.
void RegisterFormat(const FileFormat* format);
/// By identifier in any case. kUnsupported, naming the format, when it is not registered.
arrow::Result<const FileFormat*> GetFormat(std::string_view identifier);
/// The format that a data file's name tells (layout.md §2: the last extension, or the one before a codec's).
arrow::Result<const FileFormat*> FormatOfFile(std::string_view file_name);

}  // namespace bactrian
