#include "bactrian/table/system/row_text.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/memory_pool.h>
#include <arrow/scalar.h>

#include <algorithm>
#include <optional>

#include "bactrian/expr/cast.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/partition_path.h"

namespace bactrian {
namespace {

/// What a file says of one column, in the types of its own schema.
struct ColumnSlot {
  Value min, max;
  std::optional<int64_t> null_count;
};

/// The columns that a file's value statistics have slots for, in order.
std::vector<std::string> StatsColumns(const DataFileMeta& file, const TableSchema& data_schema) {
  if (file.value_stats_cols) return *file.value_stats_cols;
  if (file.write_cols) return *file.write_cols;
  std::vector<std::string> names;
  for (const Field& field : data_schema.fields) names.push_back(field.name);
  return names;
}

arrow::Result<std::map<std::string, ColumnSlot>> DecodeStats(const DataFileMeta& file, const TableSchema& data_schema) {
  const std::vector<std::string> names = StatsColumns(file, data_schema);
  std::vector<TypePtr> types;
  for (const std::string& name : names) {
    const Field* field = data_schema.FindField(name);
    types.push_back(field != nullptr ? field->type : DataType::Bigint());  // _ROW_ID, _SEQUENCE_NUMBER
  }
  const SimpleStats& stats = file.value_stats;
  std::vector<Value> min(types.size()), max(types.size());
  if (!stats.min_values.empty() && !stats.max_values.empty()) {
    ARROW_ASSIGN_OR_RAISE(min, DecodeSerializedRow(stats.min_values, types));
    ARROW_ASSIGN_OR_RAISE(max, DecodeSerializedRow(stats.max_values, types));
  }
  std::map<std::string, ColumnSlot> slots;
  for (size_t i = 0; i < names.size(); ++i) {
    slots[names[i]] = {min[i], max[i], i < stats.null_counts.size() ? stats.null_counts[i] : std::nullopt};
  }
  return slots;
}

arrow::Result<Value> CastValue(const Value& value, const TypePtr& from, const TypePtr& to) {
  if (IsNull(value) || from->WithNullable(true)->Equals(*to->WithNullable(true))) return value;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const Cast> cast, Cast::Make(from, to));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Scalar> scalar, ToScalar(value, *from));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> array, arrow::MakeArrayFromScalar(*scalar, 1));
  ARROW_ASSIGN_OR_RAISE(array, cast->Apply(array, arrow::default_memory_pool()));
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
  ARROW_ASSIGN_OR_RAISE(const auto slots, DecodeStats(file, *data_schema));
  std::vector<const Field*> columns;
  for (const Field& field : schema_->fields) columns.push_back(&field);
  std::sort(columns.begin(), columns.end(), [](const Field* a, const Field* b) { return a->name < b->name; });
  StatsText text{"{", "{", "{"};
  for (const Field* column : columns) {
    auto data_field = std::find_if(data_schema->fields.begin(), data_schema->fields.end(),
                                   [&](const Field& field) { return field.id == column->id; });
    const bool written = data_field != data_schema->fields.end() &&
                         (!file.write_cols || std::find(file.write_cols->begin(), file.write_cols->end(), data_field->name) !=
                                                  file.write_cols->end());
    ColumnSlot slot;
    if (!written) {
      slot.null_count = file.row_count;  // all of it is null
    } else if (auto found = slots.find(data_field->name); found != slots.end()) {
      slot = found->second;
      ARROW_ASSIGN_OR_RAISE(slot.min, CastValue(slot.min, data_field->type, column->type));
      ARROW_ASSIGN_OR_RAISE(slot.max, CastValue(slot.max, data_field->type, column->type));
    }
    ARROW_ASSIGN_OR_RAISE(const std::string min, JavaText(slot.min, *column->type));
    ARROW_ASSIGN_OR_RAISE(const std::string max, JavaText(slot.max, *column->type));
    AppendMember(column->name, slot.null_count ? std::to_string(*slot.null_count) : "null", &text.null_counts);
    AppendMember(column->name, min, &text.min);
    AppendMember(column->name, max, &text.max);
  }
  text.null_counts += "}";
  text.min += "}";
  text.max += "}";
  return text;
}

}  // namespace bactrian
