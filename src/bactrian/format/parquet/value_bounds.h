/// Parquet's encoded bounds and Bloom filter hashes in terms of Paimon values.
#pragma once

#include <parquet/schema.h>

#include <optional>
#include <string_view>

#include "bactrian/value.h"

namespace parquet {
class BloomFilter;
}

namespace bactrian {

/// Whether min and max of this column are in the order of the Paimon type. Not so for INT96, for unsigned integers, and where
/// the file does not say how it ordered.
bool HasTrustedOrder(const parquet::ColumnDescriptor& column, const DataType& type);

/// A plainly encoded bound as the value that reading it as `type` would give; nullopt where the bytes do not fit the type.
std::optional<Value> DecodeBound(const parquet::ColumnDescriptor& column, const DataType& type, std::string_view bytes);

/// Whether a column chunk with this filter may hold `literal`; true where the filter cannot tell.
bool BloomMayContain(const parquet::BloomFilter& filter, const parquet::ColumnDescriptor& column, const DataType& type,
                     const Value& literal);

}  // namespace bactrian
