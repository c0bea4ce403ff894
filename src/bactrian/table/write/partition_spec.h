#pragma once

#include <span>

#include "bactrian/write.h"

namespace bactrian {

/// kInvalid for a column that is no partition key and for a value of another type than the column's.
arrow::Status CheckPartitionSpec(const TableSchema& schema, const PartitionSpec& spec);

/// Whether a partition, given by its fields and values, lies in the spec.
bool PartitionMatches(const PartitionSpec& spec, std::span<const Field> fields, std::span<const Value> values);

}  // namespace bactrian
