#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>

#include "bactrian/status.h"

namespace bactrian {

/// `length` rows of `source` (an index into a list of arrays), from `start`.
struct Segment {
  uint32_t source = 0;
  uint32_t start = 0;
  uint32_t length = 0;
};

/// One array of the rows that `segments` name, in order. All sources have the type `type`; `num_rows` is the sum of lengths.
/// Fixed-width and text columns are copied with plain loops, nested ones through Arrow's builders.
arrow::Result<std::shared_ptr<arrow::Array>> Gather(const std::shared_ptr<arrow::DataType>& type,
                                                    std::span<const std::shared_ptr<arrow::Array>> sources,
                                                    std::span<const Segment> segments, int64_t num_rows,
                                                    arrow::MemoryPool* pool);

}  // namespace bactrian
