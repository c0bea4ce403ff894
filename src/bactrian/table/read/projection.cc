#include "bactrian/table/read/projection.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>

#include "bactrian/table/read/read_spec.h"
#include "bactrian/table/schema_evolution.h"

namespace bactrian {
namespace {

/// `data` without the nested fields that `query` does not have.
TypePtr PruneNested(const TypePtr& data, const TypePtr& query) {
  if (data->root() != query->root()) return data;
  auto child = [&](size_t i) { return PruneNested(data->children()[i], query->children()[i]); };
  switch (data->root()) {
    case TypeRoot::kArray:
      return DataType::Array(child(0), data->nullable());
    case TypeRoot::kMap:
      return DataType::Map(child(0), child(1), data->nullable());
    case TypeRoot::kRow: {
      std::vector<Field> fields;
      for (const Field& field : data->fields()) {
        const Field* wanted = FindFieldById(query->fields(), field.id);
        if (!wanted) continue;
        fields.push_back(field);
        fields.back().type = PruneNested(field.type, wanted->type);
      }
      // One field must stay: it tells which rows are null.
      if (fields.empty()) return data;
      return DataType::Row(std::move(fields), data->nullable());
    }
    default:
      return data;
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> Constant(const Value& value, const DataType& type, int64_t length,
                                                      arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, ToScalar(value, type));
  return arrow::MakeArrayFromScalar(*scalar, length, pool);
}

}  // namespace

arrow::Result<std::shared_ptr<const Projection>> Projection::Make(std::span<const Field> query_fields,
                                                                  std::span<const Field> data_fields,
                                                                  const std::vector<std::string>& partition_keys,
                                                                  bool string_views) {
  auto projection = std::make_shared<Projection>();
  projection->reads_views_ = string_views;
  for (const Field& query : query_fields) {
    Column& column = projection->columns_.emplace_back();
    column.type = query.type;
    auto key = std::find(partition_keys.begin(), partition_keys.end(), query.name);
    const Field* data = FindFieldById(data_fields, query.id);
    if (key != partition_keys.end()) {
      column.source = Source::kPartition;
      column.index = static_cast<int>(key - partition_keys.begin());
    } else if (query.id == kValueKindFieldId && !data) {
      column.source = Source::kRowKind;
    } else if (data) {
      column.source = Source::kFile;
      column.index = static_cast<int>(projection->file_fields_.size());
      Field& field = projection->file_fields_.emplace_back(*data);
      field.type = PruneNested(data->type, query.type);
      if (!field.type->EqualsIgnoreNullable(*query.type)) {
        ARROW_ASSIGN_OR_RAISE(column.cast, Cast::Make(field.type, query.type));
        // A cast takes plain arrays, and the switch is one for the whole file.
        if (data->type->is_string() || data->type->is_binary() || data->type->is_nested()) projection->reads_views_ = false;
      }
    }
  }
  ARROW_ASSIGN_OR_RAISE(projection->schema_, BatchSchema(query_fields, string_views));
  return projection;
}

arrow::Result<std::shared_ptr<arrow::Array>> Projection::MakeColumn(const Column& column, const arrow::RecordBatch& batch,
                                                                    std::span<const Value> partition,
                                                                    arrow::MemoryPool* pool) const {
  const int64_t rows = batch.num_rows();
  switch (column.source) {
    case Source::kPartition:
      return Constant(partition[column.index], *column.type, rows, pool);
    case Source::kRowKind:
      return arrow::MakeArrayFromScalar(arrow::Int8Scalar(0), rows, pool);
    case Source::kNull: {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::DataType> type, ToArrowType(*column.type));
      return arrow::MakeArrayOfNull(type, rows, pool);
    }
    case Source::kFile:
      break;
  }
  std::shared_ptr<arrow::Array> array = batch.column(column.index);
  return column.cast ? column.cast->Apply(array, pool) : array;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Projection::Apply(const arrow::RecordBatch& batch,
                                                                     std::span<const Value> partition,
                                                                     arrow::MemoryPool* pool) const {
  arrow::ArrayVector arrays;
  arrays.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> array, MakeColumn(columns_[i], batch, partition, pool));
    const std::shared_ptr<arrow::DataType>& type = schema_->field(static_cast<int>(i))->type();
    if (!array->type()->Equals(*type)) {
      arrow::compute::ExecContext context(pool);
      ARROW_ASSIGN_OR_RAISE(array, arrow::compute::Cast(*array, type, arrow::compute::CastOptions::Safe(), &context));
    }
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(arrays));
}

}  // namespace bactrian
