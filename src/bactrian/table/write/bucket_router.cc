#include "bactrian/table/write/bucket_router.h"

#include <arrow/array.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "bactrian/table/write/partition_spec.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

arrow::Result<std::unique_ptr<BucketRouter>> BucketRouter::Make(const TableSchema& schema, int32_t num_buckets,
                                                                const PartitionSpec& static_partition,
                                                                arrow::MemoryPool* pool) {
  auto router = std::make_unique<BucketRouter>();
  router->num_buckets_ = num_buckets;
  router->pool_ = pool;
  router->static_partition_ = static_partition;
  router->partition_fields_ = schema.PartitionFields();
  std::vector<arrow::TypeHolder> key_types;
  std::vector<std::shared_ptr<arrow::DataType>> owned_types;
  for (const Field& field : router->partition_fields_) {
    router->partition_types_.push_back(field.type);
    router->partition_columns_.push_back(schema.FieldIndex(field.name));
    ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field.type));
    key_types.emplace_back(std::move(type));
  }
  if (num_buckets > 0) {
    const CoreOptions options(schema.options);
    ARROW_ASSIGN_OR_RAISE(router->function_, ParseBucketFunction(options.GetString("bucket-function.type", "default")));
    for (const std::string& name : schema.BucketKeys()) {
      const int column = schema.FieldIndex(name);
      if (column < 0) return Invalid("option bucket-key: the table has no column ", name);
      router->bucket_key_columns_.push_back(column);
      router->bucket_key_types_.push_back(schema.fields[column].type);
    }
    if (router->bucket_key_columns_.empty()) return Invalid("a table with fixed buckets needs option bucket-key");
    key_types.emplace_back(arrow::int32());
  }
  router->exec_context_ = std::make_unique<arrow::compute::ExecContext>(pool);
  ARROW_ASSIGN_OR_RAISE(router->grouper_, arrow::compute::Grouper::Make(key_types, router->exec_context_.get()));
  return router;
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> BucketRouter::KeyColumns(const arrow::RecordBatch& batch) const {
  std::vector<std::shared_ptr<arrow::Array>> keys;
  for (const int column : partition_columns_) keys.push_back(batch.column(column));
  if (num_buckets_ > 0) {
    std::vector<std::shared_ptr<arrow::Array>> bucket_key;
    for (const int column : bucket_key_columns_) bucket_key.push_back(batch.column(column));
    ARROW_ASSIGN_OR_RAISE(auto buckets, BucketsOf(function_, bucket_key_types_, bucket_key, num_buckets_, pool_));
    keys.push_back(std::move(buckets));
  }
  return keys;
}

arrow::Result<std::vector<uint32_t>> BucketRouter::Route(const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(auto keys, KeyColumns(batch));
  arrow::compute::ExecBatch key_batch(std::vector<arrow::Datum>(keys.begin(), keys.end()), batch.num_rows());
  ARROW_ASSIGN_OR_RAISE(arrow::Datum ids, grouper_->Consume(arrow::compute::ExecSpan(key_batch)));
  const auto array = std::static_pointer_cast<arrow::UInt32Array>(ids.make_array());
  std::vector<uint32_t> groups(array->raw_values(), array->raw_values() + array->length());
  if (grouper_->num_groups() > buckets_.size()) ARROW_RETURN_NOT_OK(AddNewGroups());
  ARROW_RETURN_NOT_OK(CheckStaticPartition(groups));
  return groups;
}

arrow::Status BucketRouter::AddNewGroups() {
  ARROW_ASSIGN_OR_RAISE(arrow::compute::ExecBatch uniques, grouper_->GetUniques());
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const arrow::Datum& column : uniques.values) columns.push_back(column.make_array());
  for (int64_t group = static_cast<int64_t>(buckets_.size()); group < uniques.length; ++group) {
    std::vector<Value> values;
    for (size_t i = 0; i < partition_fields_.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto scalar, columns[i]->GetScalar(group));
      ARROW_ASSIGN_OR_RAISE(Value value, FromScalar(*scalar, *partition_types_[i]));
      values.push_back(std::move(value));
    }
    BucketId id;
    ARROW_ASSIGN_OR_RAISE(id.partition, EncodeSerializedRow(partition_types_, values));
    if (num_buckets_ > 0) {
      id.bucket = static_cast<const arrow::Int32Array&>(*columns.back()).Value(group);
      id.total_buckets = num_buckets_;
    }
    buckets_.push_back(std::move(id));
    outside_.push_back(!PartitionMatches(static_partition_, partition_fields_, values));
    any_outside_ = any_outside_ || outside_.back();
  }
  return arrow::Status::OK();
}

arrow::Status BucketRouter::CheckStaticPartition(const std::vector<uint32_t>& groups) const {
  if (!any_outside_) return arrow::Status::OK();
  for (const uint32_t group : groups) {
    if (!outside_[group]) continue;
    ARROW_ASSIGN_OR_RAISE(std::vector<Value> values, DecodeSerializedRow(buckets_[group].partition, partition_types_));
    std::string text;
    for (size_t i = 0; i < values.size(); ++i) {
      text += (i > 0 ? ", " : "") + partition_fields_[i].name + "=" + FormatValue(values[i], *partition_types_[i]);
    }
    return Invalid("a row of partition ", text, " lies outside of the static partition");
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
