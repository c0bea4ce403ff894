#include "bactrian/format/filtered_read.h"

#include <arrow/api.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/evaluate.h"

namespace bactrian {
namespace {

/// Passes on the rows for which a predicate is true, without the columns that only the predicate needs.
class FilteredReader final : public arrow::RecordBatchReader {
 public:
  FilteredReader(std::shared_ptr<arrow::RecordBatchReader> source, std::shared_ptr<const BoundPredicate> predicate,
                 std::vector<int> predicate_columns, std::vector<int> columns, arrow::MemoryPool* pool)
      : source_(std::move(source)),
        predicate_(std::move(predicate)),
        predicate_columns_(std::move(predicate_columns)),
        columns_(std::move(columns)),
        pool_(pool) {
    arrow::FieldVector fields;
    for (const int column : columns_) fields.push_back(source_->schema()->field(column));
    schema_ = arrow::schema(std::move(fields), source_->schema()->metadata());
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    for (;;) {
      ARROW_RETURN_NOT_OK(source_->ReadNext(out));
      if (*out == nullptr) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(const auto filtered, (*out)->SelectColumns(predicate_columns_));
      mask_.resize(static_cast<size_t>(filtered->num_rows()));
      ARROW_RETURN_NOT_OK(predicate_->Evaluate(*filtered, mask_.data()));
      ARROW_ASSIGN_OR_RAISE(*out, (*out)->SelectColumns(columns_));
      ARROW_ASSIGN_OR_RAISE(*out, FilterByMask(*out, mask_.data(), pool_));
      if ((*out)->num_rows() > 0) return arrow::Status::OK();
    }
  }

 private:
  const std::shared_ptr<arrow::RecordBatchReader> source_;
  const std::shared_ptr<const BoundPredicate> predicate_;
  const std::vector<int> predicate_columns_;
  const std::vector<int> columns_;
  arrow::MemoryPool* const pool_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<uint8_t> mask_;
};

/// The column among `fields` that holds `field`, which is added if there is none.
int ColumnOf(const Field& field, std::vector<Field>* fields) {
  const auto same = std::find_if(fields->begin(), fields->end(), [&](const Field& other) {
    return other.name == field.name && other.type->EqualsIgnoreNullable(*field.type);
  });
  const auto index = static_cast<int>(same - fields->begin());
  if (same == fields->end()) fields->push_back(field);
  return index;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadFiltered(const ReadRequest& request, const UnfilteredRead& read) {
  if (request.predicate == nullptr || request.predicate->op() == PredicateOp::kTrue) return read(request.fields);
  std::vector<Field> fields = request.fields;
  std::vector<Field> predicate_fields;
  std::vector<int> predicate_columns;
  for (const std::string& name : ColumnsOf(request.predicate)) {
    const auto known = std::find_if(request.predicate_fields.begin(), request.predicate_fields.end(),
                                    [&](const Field& field) { return field.name == name; });
    if (known == request.predicate_fields.end()) return Invalid("predicate over unknown column ", name);
    predicate_fields.push_back(*known);
    predicate_columns.push_back(ColumnOf(*known, &fields));
  }
  ARROW_ASSIGN_OR_RAISE(auto predicate, BoundPredicate::Bind(request.predicate, predicate_fields));
  std::vector<int> columns;
  for (size_t i = 0; i < request.fields.size(); ++i) columns.push_back(static_cast<int>(i));
  if (request.position_column.has_value()) columns.push_back(static_cast<int>(fields.size()));
  ARROW_ASSIGN_OR_RAISE(auto source, read(fields));
  return std::make_shared<FilteredReader>(std::move(source), std::move(predicate), std::move(predicate_columns),
                                          std::move(columns), request.pool ? request.pool : arrow::default_memory_pool());
}

}  // namespace bactrian
