#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bactrian/format/avro/avro_codec.h"
#include "bactrian/format/avro/avro_schema.h"
#include "bactrian/status.h"

namespace bactrian {

/// An object container file: its header, parsed. Immutable; shared by threads.
class AvroContainer {
 public:
  static constexpr int64_t kSyncBytes = 16;

  /// kCorrupt, naming `path`, for anything but a container; kUnsupported for a codec that is not built in.
  static arrow::Result<std::shared_ptr<const AvroContainer>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                                  std::string path, int64_t length);

  const AvroNode& schema() const { return *schema_; }
  /// The record type behind the root, which is the record itself or a union of null and it.
  const AvroNode& record() const { return *root_.value; }
  const AvroNullable& root() const { return root_; }
  const std::string& codec() const { return codec_; }
  const std::string& path() const { return path_; }
  /// Rough bytes of memory that this keeps.
  int64_t memory_bytes() const;

 private:
  friend class AvroBlockReader;
  AvroContainer() = default;

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string path_;
  int64_t length_ = 0;
  std::shared_ptr<arrow::Buffer> head_;  ///< the file's first bytes: all of a small one
  AvroNodePtr schema_;
  AvroNullable root_;
  std::string codec_;
  std::string sync_;
  int64_t data_offset_ = 0;  ///< of the first block
};

/// Walks the blocks of a container. Not thread-safe; any number of them may walk one container. Errors name the path.
class AvroBlockReader {
 public:
  /// `read_ahead`: how many bytes a request fetches at least; small where only heads of blocks are wanted.
  static arrow::Result<AvroBlockReader> Make(std::shared_ptr<const AvroContainer> container, int64_t read_ahead);

  /// Moves to the next block and reads its head; false at the end of the file. Blocks whose data is not asked for are not read.
  arrow::Result<bool> Next();
  int64_t num_records() const { return num_records_; }
  /// The expanded records of the block; valid until the next call of any method.
  arrow::Result<std::string_view> ReadData();

 private:
  AvroBlockReader(std::shared_ptr<const AvroContainer> container, std::unique_ptr<AvroCodec> codec, int64_t read_ahead);
  /// At least `size` bytes at `offset` (fewer only at the end of the file).
  arrow::Result<std::string_view> Peek(int64_t offset, int64_t size);
  arrow::Status Error(const arrow::Status& status, int64_t offset) const;

  std::shared_ptr<const AvroContainer> container_;
  std::unique_ptr<AvroCodec> codec_;
  int64_t read_ahead_;
  std::shared_ptr<arrow::Buffer> window_;
  int64_t window_offset_ = 0;
  int64_t offset_ = 0, next_offset_ = 0;
  int64_t data_offset_ = 0, data_bytes_ = 0;
  int64_t num_records_ = 0;
};

/// Records in the file, from the heads of its blocks, whose data is not read.
arrow::Result<int64_t> CountAvroRows(const std::shared_ptr<const AvroContainer>& container);

}  // namespace bactrian
