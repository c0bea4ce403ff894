/// Hive's hash of atomic values, for the bucket function of that name (format reference: binaryrow.md §6).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <span>

#include "bactrian/value.h"

namespace bactrian {

bool HasHiveHash(const DataType& type);

/// Of one value of a type for which HasHiveHash(); 0 for null.
uint32_t HiveHash(const Value& value, const DataType& type);

/// hashes[i] = 31 * hashes[i] + the hash of row i of an array of ToArrowType(type).
void CombineHiveHashes(const DataType& type, const arrow::Array& column, std::span<uint32_t> hashes);

}  // namespace bactrian
