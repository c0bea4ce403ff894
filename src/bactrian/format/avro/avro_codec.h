#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bactrian/status.h"

namespace bactrian {

/// Compresses and expands the blocks of a container. Not thread-safe; keeps its buffers from block to block.
class AvroCodec {
 public:
  /// No block may expand to more.
  static constexpr int64_t kMaxBlockBytes = int64_t{1} << 30;

  virtual ~AvroCodec() = default;
  /// null, deflate, snappy, zstandard; kUnsupported, naming it, for others. `zstd_level` concerns writing.
  static arrow::Result<std::unique_ptr<AvroCodec>> Make(std::string_view name, int32_t zstd_level = 1);

  /// Views stay valid until the next call (for null: as long as `block`). Malformed data is kCorrupt.
  virtual arrow::Result<std::string_view> Decompress(std::string_view block) = 0;
  virtual arrow::Result<std::string_view> Compress(std::string_view data) = 0;
};

}  // namespace bactrian
