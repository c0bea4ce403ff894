#include "bactrian/types/bucket.h"

#include <arrow/builder.h>

#include <bit>

#include "bactrian/types/binary_cells.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/binary_rows.h"
#include "bactrian/types/hive_hash.h"

namespace bactrian {
namespace {

arrow::Status CheckKey(BucketFunction function, std::span<const TypePtr> types, size_t num_columns, int32_t num_buckets) {
  if (types.size() != num_columns) return Invalid(num_columns, " bucket-key columns for ", types.size(), " types");
  if (num_buckets <= 0) return Invalid("a row has no bucket among ", num_buckets);
  if (function == BucketFunction::kMod &&
      (types.size() != 1 || (types[0]->root() != TypeRoot::kInt && types[0]->root() != TypeRoot::kBigint))) {
    return Unsupported("bucket function mod takes one column of INT or BIGINT");
  }
  if (function == BucketFunction::kHive) {
    for (const TypePtr& type : types) {
      if (!HasHiveHash(*type)) return Unsupported("bucket function hive does not take ", type->ToSqlString());
    }
  }
  return arrow::Status::OK();
}

int32_t DefaultBucket(std::string_view row, int32_t num_buckets) { return std::abs(HashBinaryRow(row) % num_buckets); }

int32_t ModBucket(int64_t value, int32_t num_buckets) { return static_cast<int32_t>(FloorMod(value, num_buckets)); }

int32_t HiveBucket(uint32_t hash, int32_t num_buckets) { return static_cast<int32_t>(hash & 0x7fffffffU) % num_buckets; }

void ModBuckets(const arrow::Array& column, int32_t num_buckets, int32_t* buckets) {
  for (int64_t i = 0; i < column.length(); ++i) {
    const int64_t value = column.IsNull(i)                         ? 0
                          : column.type_id() == arrow::Type::INT32 ? static_cast<const arrow::Int32Array&>(column).Value(i)
                                                                   : static_cast<const arrow::Int64Array&>(column).Value(i);
    buckets[i] = ModBucket(value, num_buckets);
  }
}

}  // namespace

arrow::Result<BucketFunction> ParseBucketFunction(std::string_view name) {
  if (name == "default") return BucketFunction::kDefault;
  if (name == "mod") return BucketFunction::kMod;
  if (name == "hive") return BucketFunction::kHive;
  return Invalid("option 'bucket-function.type': '", name, "' is none of default, mod, hive");
}

arrow::Result<int32_t> BucketOf(BucketFunction function, std::span<const TypePtr> types, std::span<const Value> key,
                                int32_t num_buckets) {
  ARROW_RETURN_NOT_OK(CheckKey(function, types, key.size(), num_buckets));
  // The encoder checks the values' kinds for the other functions too.
  ARROW_ASSIGN_OR_RAISE(const std::string row, EncodeBinaryRow(types, key));
  switch (function) {
    case BucketFunction::kDefault:
      break;
    case BucketFunction::kMod:
      return ModBucket(IsNull(key[0]) ? 0 : std::get<int64_t>(key[0]), num_buckets);
    case BucketFunction::kHive: {
      uint32_t hash = 0;
      for (size_t i = 0; i < key.size(); ++i) hash = hash * 31 + HiveHash(key[i], *types[i]);
      return HiveBucket(hash, num_buckets);
    }
  }
  return DefaultBucket(row, num_buckets);
}

arrow::Result<std::shared_ptr<arrow::Array>> BucketsOf(BucketFunction function, std::span<const TypePtr> types,
                                                       std::span<const std::shared_ptr<arrow::Array>> key_columns,
                                                       int32_t num_buckets, arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(CheckKey(function, types, key_columns.size(), num_buckets));
  if (key_columns.empty()) return Invalid("buckets of rows without a bucket key");
  for (size_t c = 0; c < types.size(); ++c) ARROW_RETURN_NOT_OK(CheckArrowType(*types[c], *key_columns[c]->type()));
  const int64_t num_rows = key_columns[0]->length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(num_rows * static_cast<int64_t>(sizeof(int32_t)), pool));
  auto* buckets = reinterpret_cast<int32_t*>(buffer->mutable_data());
  switch (function) {
    case BucketFunction::kDefault: {
      EncodedRows rows;
      ARROW_RETURN_NOT_OK(EncodeBinaryRows(types, key_columns, num_rows, &rows));
      for (int64_t i = 0; i < num_rows; ++i) buckets[i] = DefaultBucket(rows.Row(i), num_buckets);
      break;
    }
    case BucketFunction::kMod:
      ModBuckets(*key_columns[0], num_buckets, buckets);
      break;
    case BucketFunction::kHive: {
      std::vector<uint32_t> hashes(static_cast<size_t>(num_rows));
      for (size_t c = 0; c < types.size(); ++c) CombineHiveHashes(*types[c], *key_columns[c], hashes);
      for (int64_t i = 0; i < num_rows; ++i) buckets[i] = HiveBucket(hashes[static_cast<size_t>(i)], num_buckets);
      break;
    }
  }
  return std::make_shared<arrow::Int32Array>(num_rows, std::move(buffer));
}

}  // namespace bactrian
