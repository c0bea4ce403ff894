#include "bactrian/table/read/merge_spec.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/conjuncts.h"
#include "bactrian/merge/table_merge.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

using ReaderPtr = std::shared_ptr<arrow::RecordBatchReader>;

int IndexOf(const std::vector<Field>& fields, std::string_view name) {
  auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

arrow::Result<std::shared_ptr<const ReadSpec>> FileSpec(const ReadSpec& scan, std::vector<Field> fields, PredicatePtr predicate,
                                                        bool string_views) {
  auto spec = std::make_shared<ReadSpec>(scan);
  spec->fields = std::move(fields);
  spec->predicate = std::move(predicate);
  spec->limit.reset();
  spec->string_views = string_views;
  spec->stored_kinds = true;
  ARROW_ASSIGN_OR_RAISE(spec->schema, BatchSchema(spec->fields, string_views));
  return spec;
}

/// What goes out: the scan's fields, then what only its predicate needs; at least one column, to count rows by.
arrow::Status ChooseOutput(const ReadSpec& scan, MergeSpec* spec) {
  spec->output = scan.fields;
  for (const std::string& column : ColumnsOf(scan.predicate)) {
    if (IndexOf(spec->output, column) < 0) spec->output.push_back(*scan.context.schema->FindField(column));
  }
  if (spec->output.empty()) spec->output.push_back(ValueKindField());
  if (scan.predicate->op() != PredicateOp::kTrue) {
    ARROW_ASSIGN_OR_RAISE(spec->residual, BoundPredicate::Bind(scan.predicate, spec->output));
  }
  return arrow::Status::OK();
}

int LayoutColumn(const KeyValueLayout& layout, const Field& field) {
  if (field.id == kValueKindFieldId) return layout.kind_index();
  if (field.id == kSequenceNumberFieldId) return layout.sequence_index();
  return layout.value_index(IndexOf(layout.values, field.name));
}

/// A file's batches in the merge's layout.
class LayoutReader final : public arrow::RecordBatchReader {
 public:
  LayoutReader(std::shared_ptr<const MergeSpec> spec, ReaderPtr source, int64_t file_sequence)
      : spec_(std::move(spec)),
        source_(std::move(source)),
        sequences_{source_->schema()->GetFieldIndex(std::string(kSequenceNumberColumn)),
                   std::make_shared<arrow::Int64Scalar>(file_sequence)},
        kinds_{source_->schema()->GetFieldIndex(std::string(kValueKindColumn)), std::make_shared<arrow::Int8Scalar>(0)} {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->layout_schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
    if (!*batch) return arrow::Status::OK();
    arrow::ArrayVector columns;
    for (const int column : spec_->key_columns) columns.push_back((*batch)->column(column));
    ARROW_RETURN_NOT_OK(Append(&sequences_, **batch, &columns));
    ARROW_RETURN_NOT_OK(Append(&kinds_, **batch, &columns));
    for (size_t value = 0; value < spec_->layout.values.size(); ++value) {
      columns.push_back((*batch)->column(static_cast<int>(value)));
    }
    *batch = arrow::RecordBatch::Make(spec_->layout_schema, (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  struct SystemColumn {
    int index = -1;  // in a batch, or
    std::shared_ptr<arrow::Scalar> value;
    std::shared_ptr<arrow::Array> values = nullptr;  // as many as were needed so far
  };

  arrow::Status Append(SystemColumn* column, const arrow::RecordBatch& batch, arrow::ArrayVector* columns) {
    if (column->index >= 0) {
      columns->push_back(batch.column(column->index));
      return arrow::Status::OK();
    }
    if (!column->values || column->values->length() < batch.num_rows()) {
      ARROW_ASSIGN_OR_RAISE(column->values, arrow::MakeArrayFromScalar(*column->value, batch.num_rows(), spec_->options.pool));
    }
    columns->push_back(column->values->Slice(0, batch.num_rows()));
    return arrow::Status::OK();
  }

  std::shared_ptr<const MergeSpec> spec_;
  ReaderPtr source_;
  SystemColumn sequences_, kinds_;
};

}  // namespace

arrow::Result<std::shared_ptr<const MergeSpec>> MakeMergeSpec(std::shared_ptr<const ReadSpec> scan) {
  const TableSchema& schema = *scan->context.schema;
  auto spec = std::make_shared<MergeSpec>();
  ARROW_RETURN_NOT_OK(ChooseOutput(*scan, spec.get()));
  std::vector<std::string> names;
  for (const Field& field : spec->output) {
    if (field.id != kValueKindFieldId && field.id != kSequenceNumberFieldId) names.push_back(field.name);
  }
  ARROW_ASSIGN_OR_RAISE(names, ColumnsToMerge(schema, names));
  KeyValueLayout& layout = spec->layout;
  for (const std::string& name : names) layout.values.push_back(*schema.FindField(name));
  for (const std::string& name : schema.TrimmedPrimaryKeys()) layout.keys.push_back(*schema.FindField(name));
  ARROW_ASSIGN_OR_RAISE(spec->layout_schema, layout.ArrowSchema());

  std::vector<Field> fields = layout.values;
  for (const Field& key : layout.keys) {
    if (IndexOf(fields, key.name) < 0) fields.push_back(key);
    spec->key_columns.push_back(IndexOf(fields, key.name));
  }
  ARROW_ASSIGN_OR_RAISE(spec->sequence_of_file, CoreOptions(schema.options).GetBool("sequence.snapshot-ordering", false));
  if (!spec->sequence_of_file) fields.push_back(SequenceNumberField());
  fields.push_back(ValueKindField());

  ARROW_ASSIGN_OR_RAISE(spec->options, MakeTableMergeOptions(schema, layout));
  spec->options.keep_retracts = scan->keep_deletes;
  spec->options.batch_rows = scan->batch_rows;
  spec->options.pool = scan->session->memory_pool();
  for (const Field& field : spec->output) {
    spec->options.output_columns.push_back(LayoutColumn(layout, field));
    spec->shows_sequences |= field.id == kSequenceNumberFieldId;
    spec->shows_kinds |= field.id == kValueKindFieldId;
  }
  ARROW_ASSIGN_OR_RAISE(
      spec->overlapping,
      FileSpec(*scan, fields, ConjunctsOver(scan->predicate, schema.primary_keys, /*inside=*/true), /*string_views=*/false));
  fields = scan->fields;
  spec->alone_adds_kind = IndexOf(fields, kValueKindColumn) < 0;
  if (spec->alone_adds_kind) fields.push_back(ValueKindField());
  ARROW_ASSIGN_OR_RAISE(spec->alone, FileSpec(*scan, fields, scan->predicate, scan->string_views));
  spec->scan = std::move(scan);
  return spec;
}

ReaderPtr MakeLayoutReader(std::shared_ptr<const MergeSpec> spec, ReaderPtr source, int64_t file_sequence) {
  return std::make_shared<LayoutReader>(std::move(spec), std::move(source), file_sequence);
}

}  // namespace bactrian
