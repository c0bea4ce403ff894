/// Bucket functions (format reference: binaryrow.md §6).
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <string_view>

#include "bactrian/value.h"

namespace bactrian {

enum class BucketFunction : uint8_t { kDefault, kMod, kHive };
arrow::Result<BucketFunction> ParseBucketFunction(std::string_view name);

/// The bucket of one key. `num_buckets` > 0. kUnsupported where the function does not take the types.
arrow::Result<int32_t> BucketOf(BucketFunction function, std::span<const TypePtr> types, std::span<const Value> key,
                                int32_t num_buckets);

/// Buckets of a batch's rows, int32, from its key columns (arrays of ToArrowType(types[i])). Column-wise; no row objects.
arrow::Result<std::shared_ptr<arrow::Array>> BucketsOf(BucketFunction function, std::span<const TypePtr> types,
                                                       std::span<const std::shared_ptr<arrow::Array>> key_columns,
                                                       int32_t num_buckets, arrow::MemoryPool* pool);

}  // namespace bactrian
