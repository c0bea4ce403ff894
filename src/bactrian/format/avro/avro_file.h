/// Avro object container files, ours because manifests need early rejection and root unions (format reference: manifest.md §1).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"
#include "bactrian/io/file_store.h"

namespace bactrian {

/// Looks at some leading fields of a record; false drops the record before the rest of it is decoded. `ints` and `bytes` hold
/// the values by their place in `field_names` (the one that does not apply, and both for a null or missing field, is 0 or
/// empty).
struct AvroHeadFilter {
  std::vector<std::string> field_names;  ///< numbers and bytes; the filter is applied once the last of them is read
  std::function<bool(std::span<const int64_t> ints, std::span<const std::string_view> bytes)> accept;
};

/// An Avro container in memory or streamed block by block.
class AvroFileReader {
 public:
  /// Parses header and schema. kCorrupt names `path`. Codecs null, deflate, snappy, zstandard (and bzip2, xz: kUnsupported).
  static arrow::Result<std::unique_ptr<AvroFileReader>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                             std::string path, int64_t length);
  virtual ~AvroFileReader() = default;

  /// Batches with the schema ToArrowSchema(fields): fields resolved by name against the writer's schema, nested ones too;
  /// missing ones null, extra ones skipped. One block at a time is in memory. `head_filter` may be null.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const std::vector<Field>& fields, int64_t batch_rows,
                                                                        const AvroHeadFilter* head_filter,
                                                                        arrow::MemoryPool* pool) = 0;
  /// Rows in the file, from the block headers (reads them all).
  virtual arrow::Result<int64_t> CountRows() = 0;
};

struct AvroWriteOptions {
  std::string codec = "zstandard";  ///< an Avro codec name: null, deflate, snappy, zstandard
  int32_t zstd_level = 1;
  std::string root_name = "org.apache.paimon.avro.generated.record";
  int64_t block_bytes = 64 << 10;
};

/// Writes batches of ToArrowSchema(fields) under the schema text that the reference's AvroSchemaConverter makes for the fields.
class AvroFileWriter {
 public:
  static arrow::Result<std::unique_ptr<AvroFileWriter>> Make(std::shared_ptr<arrow::io::OutputStream> sink,
                                                             const std::vector<Field>& fields, const AvroWriteOptions& options);
  virtual ~AvroFileWriter() = default;
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  virtual arrow::Result<int64_t> bytes_written() const = 0;
  virtual arrow::Status Close() = 0;  ///< flushes the last block and closes the sink
};

/// The Avro schema (compact JSON) for a record of `fields`.
arrow::Result<std::string> AvroSchemaJson(const std::vector<Field>& fields, std::string_view root_name);

}  // namespace bactrian
