/// What an ORC file says of its stripes and types, beyond what Arrow's adapter shows (the ORC specification, v1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/status.h"

namespace bactrian {

enum class OrcCompression : uint32_t { kNone = 0, kZlib = 1, kSnappy = 2, kLz4 = 4, kZstd = 5 };
enum class OrcTypeKind : uint32_t { kTimestamp = 9, kStruct = 12, kTimestampInstant = 18 };
enum class OrcStreamKind : uint32_t { kPresent = 0, kData = 1, kSecondary = 5 };

struct OrcStripe {
  uint64_t offset = 0, index_length = 0, data_length = 0, footer_length = 0, num_rows = 0;
};

struct OrcType {
  uint32_t kind = 0;
  std::vector<uint32_t> subtypes;  ///< column ids, in schema order
};

struct OrcTail {
  uint32_t compression = 0;
  uint64_t block_size = 0;
  std::vector<OrcStripe> stripes;
  std::vector<OrcType> types;  ///< by column id; 0 is the root

  /// From ORCFileReader::GetSerializedFileTail(). nullopt if malformed.
  static std::optional<OrcTail> Parse(std::string_view serialized);
};

struct OrcStream {
  uint32_t kind = 0, column = 0;
  uint64_t length = 0;
};

struct OrcStripeFooter {
  std::vector<OrcStream> streams;   ///< in file order, from the start of the stripe
  std::vector<uint32_t> encodings;  ///< by column id
  std::string writer_timezone;
  static std::optional<OrcStripeFooter> Parse(std::string_view bytes);
};

/// Takes a stream or footer out of its compressed chunks.
arrow::Result<std::string> OrcDecompress(std::string_view bytes, uint32_t compression, uint64_t block_size);

}  // namespace bactrian
