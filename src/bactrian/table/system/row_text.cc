#include "bactrian/table/system/row_text.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/memory_pool.h>
#include <arrow/scalar.h>

#include <algorithm>
#include <optional>

#include "bactrian/expr/cast.h"
#include "bactrian/table/plan/file_stats.h"
#include "bactrian/table/schema_evolution.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/partition_path.h"

namespace bactrian {
namespace {

/// A bound that cannot be cast is not known.
arrow::Result<Value> CastBound(const std::optional<Value>& bound, const TypePtr& from, const TypePtr& to) {
  const Value value = bound.value_or(Value());
  if (IsNull(value) || from->WithNullable(true)->Equals(*to->WithNullable(true))) return value;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const Cast> cast, Cast::Make(from, to));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Scalar> scalar, ToScalar(value, *from));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> array, arrow::MakeArrayFromScalar(*scalar, 1));
  auto result_array = cast->Apply(array, arrow::default_memory_pool());
  if (!result_array.ok()) return Value();
  array = *std::move(result_array);
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Scalar> result, array->GetScalar(0));
  return FromScalar(*result, *to);
}

void AppendMember(const std::string& name, const std::string& text, std::string* out) {
  *out += (out->size() > 1 ? ", " : "") + name + "=" + text;
}

}  // namespace

arrow::Result<std::string> RowText(std::string_view serialized_row, std::span<const TypePtr> types) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Value> values, DecodeSerializedRow(serialized_row, types));
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += IsNull(values[i]) ? "null" : FormatValue(values[i], *types[i]);
  }
  return text + "}";
}

arrow::Result<std::string> JavaText(const Value& value, const DataType& type) {
  if (IsNull(value)) return std::string("null");
  if (type.is_string()) return std::get<std::string>(value);
  if (std::holds_alternative<std::string>(value)) return std::string("[B");  // Java prints an address
  ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> text, PartitionValueText(value, type, /*legacy_name=*/true));
  return text.value_or("null");
}

arrow::Result<std::string> KeyText(std::string_view serialized_row, std::span<const TypePtr> types) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Value> values, DecodeSerializedRow(serialized_row, types));
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const std::string part, JavaText(values[i], *types[i]));
    text += (i > 0 ? ", " : "") + part;
  }
  return text + "]";
}

arrow::Result<StatsText> StatsPrinter::Print(const DataFileMeta& file) const {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> data_schema, schemas_.Load(file.schema_id));
  const FileStats stats(*data_schema, file);
  const std::vector<Field> written = PhysicalFields(*data_schema, file);
  std::vector<const Field*> columns;
  for (const Field& field : schema_->fields) columns.push_back(&field);
  std::sort(columns.begin(), columns.end(), [](const Field* a, const Field* b) { return a->name < b->name; });
  StatsText text{"{", "{", "{"};
  for (const Field* column : columns) {
    const Field* data_field = FindFieldById(written, column->id);
    std::optional<int64_t> null_count = file.row_count;  // of a column that the file lacks
    Value min, max;
    if (data_field != nullptr) {
      const ColumnBounds bounds = stats.Bounds(*data_field).value_or(ColumnBounds());
      null_count = bounds.null_count;
      ARROW_ASSIGN_OR_RAISE(min, CastBound(bounds.min, data_field->type, column->type));
      ARROW_ASSIGN_OR_RAISE(max, CastBound(bounds.max, data_field->type, column->type));
    }
    ARROW_ASSIGN_OR_RAISE(const std::string min_text, JavaText(min, *column->type));
    ARROW_ASSIGN_OR_RAISE(const std::string max_text, JavaText(max, *column->type));
    AppendMember(column->name, null_count ? std::to_string(*null_count) : "null", &text.null_counts);
    AppendMember(column->name, min_text, &text.min);
    AppendMember(column->name, max_text, &text.max);
  }
  text.null_counts += "}";
  text.min += "}";
  text.max += "}";
  return text;
}

}  // namespace bactrian
