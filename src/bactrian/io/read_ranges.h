#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bactrian/status.h"

namespace arrow::io {
struct ReadRange;
}

namespace bactrian {

/// When two ranges are near enough to be one request.
struct ReadCoalescing {
  int64_t max_gap = 32 << 10;      ///< bytes read in vain between two wanted ranges
  int64_t max_request = 16 << 20;  ///< a joined request grows no larger than this
};

/// The bytes of `ranges`, in their order (which may be any; they may overlap), with few requests: near ranges are read
/// together and returned as slices. Ranges must lie within [0, file_length), else kCorrupt, naming `path`: offsets come from
/// files. The buffers of one joined request stay in memory until the last of them is released.
arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> ReadRanges(arrow::io::RandomAccessFile& file,
                                                                      std::span<const arrow::io::ReadRange> ranges,
                                                                      int64_t file_length, std::string_view path,
                                                                      const ReadCoalescing& coalescing = {});

}  // namespace bactrian
