#include "bactrian/table/write/batch_conformer.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include <set>

#include "bactrian/expr/cast.h"
#include "bactrian/table/write/lossless_cast.h"
#include "bactrian/table/write/value_checks.h"

namespace bactrian {

namespace {

arrow::Result<std::shared_ptr<arrow::Scalar>> DefaultOf(const Field& field, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const Cast> cast, Cast::Make(DataType::String(), field.type));
  ARROW_ASSIGN_OR_RAISE(auto text, arrow::MakeArrayFromScalar(arrow::StringScalar(*field.default_value), 1, pool));
  arrow::Result<std::shared_ptr<arrow::Array>> value = cast->Apply(text, pool);
  if (!value.ok()) {
    return Invalid("column ", field.name, ": default '", *field.default_value, "' is no ", field.type->ToSqlString(), ": ",
                   value.status().message());
  }
  return (*value)->GetScalar(0);
}

}  // namespace

arrow::Result<BatchConformer> BatchConformer::Make(std::shared_ptr<const TableSchema> schema,
                                                   const PartitionSpec& static_partition, arrow::MemoryPool* pool) {
  BatchConformer result;
  result.pool_ = pool;
  ARROW_ASSIGN_OR_RAISE(result.arrow_schema_, ToArrowSchema(schema->fields));
  for (size_t i = 0; i < schema->fields.size(); ++i) {
    const Field& field = schema->fields[i];
    result.relaxed_types_.push_back(RelaxNullability(result.arrow_schema_->field(static_cast<int>(i))->type()));
    result.defaults_.emplace_back();
    if (field.default_value) {
      ARROW_ASSIGN_OR_RAISE(result.defaults_.back(), DefaultOf(field, pool));
    }
    result.static_values_.emplace_back();
    if (const auto it = static_partition.find(field.name); it != static_partition.end()) {
      ARROW_ASSIGN_OR_RAISE(result.static_values_.back(), ToScalar(it->second, *field.type));
    }
  }
  result.schema_ = std::move(schema);
  return result;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchConformer::Conform(const arrow::RecordBatch& batch) const {
  if (arrow::Status valid = batch.Validate(); !valid.ok()) return Invalid("malformed batch: ", valid.message());
  std::vector<std::shared_ptr<arrow::Array>> given(schema_->fields.size());
  for (int i = 0; i < batch.num_columns(); ++i) {
    const std::string& name = batch.column_name(i);
    const int column = schema_->FieldIndex(name);
    if (column < 0) return Invalid("the table has no column ", name);
    if (given[column] != nullptr) return Invalid("column ", name, " occurs twice in a batch");
    given[column] = batch.column(i);
  }
  arrow::ArrayVector columns;
  for (int i = 0; i < arrow_schema_->num_fields(); ++i) {
    if (given[i] == nullptr) {
      ARROW_ASSIGN_OR_RAISE(given[i], MissingColumn(i, batch.num_rows()));
    }
    ARROW_ASSIGN_OR_RAISE(auto column, ConformColumn(i, given[i]));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(arrow_schema_, batch.num_rows(), std::move(columns));
}

arrow::Result<std::shared_ptr<arrow::Array>> BatchConformer::MissingColumn(int column, int64_t num_rows) const {
  for (const auto& constant : {static_values_[column], defaults_[column]}) {
    if (constant != nullptr) return arrow::MakeArrayFromScalar(*constant, num_rows, pool_);
  }
  return arrow::MakeArrayOfNull(relaxed_types_[column], num_rows, pool_);
}

arrow::Result<std::shared_ptr<arrow::Array>> BatchConformer::ConformColumn(int column,
                                                                           const std::shared_ptr<arrow::Array>& given) const {
  const Field& field = schema_->fields[column];
  arrow::Result<std::shared_ptr<arrow::Array>> cast = CastLossless(given, relaxed_types_[column], pool_);
  if (!cast.ok()) return cast.status().WithMessage("column ", field.name, ": ", cast.status().message());
  std::shared_ptr<arrow::Array> array = std::move(*cast);
  ARROW_RETURN_NOT_OK(CheckValues(*array, *field.type, field.name));
  // The reference's rule: a null in a column that has a default is written as the default.
  if (defaults_[column] != nullptr && array->null_count() > 0) {
    arrow::compute::ExecContext context(pool_);
    ARROW_ASSIGN_OR_RAISE(arrow::Datum filled, arrow::compute::CallFunction("coalesce", {array, defaults_[column]}, &context));
    array = filled.make_array();
  }
  return WithType(*array, arrow_schema_->field(column)->type());
}

}  // namespace bactrian
