#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/status.h"

namespace bactrian {

/// `type` with every nested field nullable (map keys excepted, which Arrow never lets be null).
std::shared_ptr<arrow::DataType> RelaxNullability(const std::shared_ptr<arrow::DataType>& type);

/// `array` as `type` (which RelaxNullability made) where that can lose nothing: another encoding (large, view, dictionary),
/// another width or unit whose values fit. TIME alone is cut to milliseconds, as the reference does. kInvalid otherwise.
arrow::Result<std::shared_ptr<arrow::Array>> CastLossless(const std::shared_ptr<arrow::Array>& array,
                                                          const std::shared_ptr<arrow::DataType>& type,
                                                          arrow::MemoryPool* pool);

/// The same buffers under `type`, which differs from the array's in names, metadata and nullability at most.
std::shared_ptr<arrow::Array> WithType(const arrow::Array& array, const std::shared_ptr<arrow::DataType>& type);

}  // namespace bactrian
