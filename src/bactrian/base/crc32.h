#pragma once

#include <arrow/util/crc32.h>

#include <cstdint>
#include <string_view>

namespace bactrian {

/// CRC-32 as java.util.zip.CRC32 and zlib compute it (not CRC-32C). `previous` continues an earlier part's.
inline uint32_t Crc32(std::string_view bytes, uint32_t previous = 0) {
  return arrow::internal::crc32(previous, bytes.data(), bytes.size());
}

}  // namespace bactrian
