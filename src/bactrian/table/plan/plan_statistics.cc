#include "bactrian/table/plan/plan_statistics.h"

#include <arrow/array.h>
#include <arrow/scalar.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bactrian/expr/cast.h"
#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/plan/file_stats.h"
#include "bactrian/table/schema_evolution.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

/// Whether a bound of this type can be the very value: text is cut when statistics are written.
bool HasExactBounds(const DataType& type) { return !type.is_string() && !type.is_binary() && !type.is_nested(); }

bool IsNan(const Value& value) {
  if (const auto* number = std::get_if<float>(&value)) return std::isnan(*number);
  if (const auto* number = std::get_if<double>(&value)) return std::isnan(*number);
  return false;
}

std::optional<Value> CastBound(const Value& value, const TypePtr& from, const TypePtr& to) {
  if (from->EqualsIgnoreNullable(*to)) return value;
  if (!CastKeepsOrder(*from, *to)) return std::nullopt;
  auto cast = Cast::Make(from, to);
  auto scalar = ToScalar(value, *from);
  if (!cast.ok() || !scalar.ok()) return std::nullopt;
  auto array = arrow::MakeArrayFromScalar(**scalar, 1);
  if (!array.ok()) return std::nullopt;
  auto result = (*cast)->Apply(*array, arrow::default_memory_pool());
  if (!result.ok()) return std::nullopt;
  auto element = (*result)->GetScalar(0);
  if (!element.ok() || !(*element)->is_valid) return std::nullopt;
  auto bound = FromScalar(**element, *to);
  if (!bound.ok()) return std::nullopt;
  return *std::move(bound);
}

/// Collects bounds of one column over files.
struct ColumnCollector {
  const Field* field = nullptr;
  int partition_key = -1;  ///< position among the partition keys
  bool known = true, exact = true, any = false;
  Value min, max;
  std::optional<int64_t> null_count = 0;

  void SetUnknown() {
    known = false;
    null_count.reset();
  }

  void AddValue(const Value& low, const Value& high) {
    if (IsNan(low) || IsNan(high)) known = false;
    if (!known) return;
    if (!any || CompareValues(low, min) < 0) min = low;
    if (!any || CompareValues(high, max) > 0) max = high;
    any = true;
  }

  void AddConstant(const Value& value, int64_t rows) {
    if (IsNull(value)) {
      if (null_count) *null_count += rows;
    } else {
      AddValue(value, value);
    }
  }

  void AddFile(const SplitFile& file, const TableSchema& data_schema) {
    const int64_t rows = file.meta->row_count;
    const std::vector<Field> fields = PhysicalFields(data_schema, *file.meta);
    const Field* data = FindFieldById(fields, field->id);
    if (!data) return AddConstant(Value(), rows);
    const std::optional<ColumnBounds> bounds = FileStats(data_schema, *file.meta).Bounds(*data);
    const bool same_type = data->type->EqualsIgnoreNullable(*field->type);
    if (!bounds || !bounds->null_count || !same_type) null_count.reset();
    if (null_count) *null_count += *bounds->null_count;
    if (bounds && bounds->null_count == rows) return;
    if (!bounds || !bounds->min || !bounds->max) {
      known = false;
      return;
    }
    exact &= same_type;
    const std::optional<Value> low = CastBound(*bounds->min, data->type, field->type);
    const std::optional<Value> high = CastBound(*bounds->max, data->type, field->type);
    if (low && high) {
      AddValue(*low, *high);
    } else {
      known = false;
    }
  }

  /// `rows_exact`: the result is all rows; `rows_kept`: it is some of them, as they are.
  ColumnStatistics Finish(bool rows_exact, bool rows_kept) const {
    ColumnStatistics statistics;
    if (rows_exact || (rows_kept && null_count == 0)) statistics.null_count = null_count;
    if (!known || !any) return statistics;
    // Writers may leave NaN, which is above all numbers, out of the bounds.
    const TypeRoot root = field->type->root();
    if (root == TypeRoot::kFloat || root == TypeRoot::kDouble) return statistics;
    statistics.precision = exact && rows_exact && HasExactBounds(*field->type) ? Precision::kExact : Precision::kBound;
    statistics.min = min;
    statistics.max = max;
    return statistics;
  }
};

}  // namespace

PlanStatistics ComputeStatistics(const ReadSpec& spec, const std::vector<std::shared_ptr<const Split>>& splits, bool filtered) {
  PlanStatistics statistics;
  bool counted = true, deletes = false, merged_values = false;
  const TableSchema& schema = *spec.context.schema;
  const std::string engine = CoreOptions(schema.options).GetString("merge-engine", "deduplicate");
  const bool computes_values = engine != "deduplicate" && engine != "first-row";
  std::vector<ColumnCollector> columns;
  for (const Field& field : spec.fields) {
    if (field.id == kValueKindFieldId || field.id == kSequenceNumberFieldId || field.id == kRowIdFieldId) continue;
    columns.emplace_back().field = &field;
    auto key = std::find(schema.partition_keys.begin(), schema.partition_keys.end(), field.name);
    if (key != schema.partition_keys.end())
      columns.back().partition_key = static_cast<int>(key - schema.partition_keys.begin());
  }
  std::map<int64_t, std::shared_ptr<const TableSchema>> schemas;
  for (const auto& split : splits) {
    const auto& data_split = static_cast<const DataSplit&>(*split);
    const std::optional<int64_t> exact = split->exact_row_count();
    counted &= exact.has_value();
    statistics.row_count += exact.value_or(split->row_count());
    statistics.bytes += split->bytes();
    merged_values |= !data_split.raw && computes_values;
    // Another branch's columns have other ids; rows that are gone are in files of the past; a file may hold old values only.
    const bool unknown = data_split.branch != nullptr || data_split.before.has_value() || data_split.evolves;
    for (const SplitFile& file : data_split.files) {
      deletes |= file.deletion.has_value();
      std::shared_ptr<const TableSchema> data_schema;
      if (!unknown) {
        std::shared_ptr<const TableSchema>& known = schemas[file.meta->schema_id];
        if (!known) known = spec.context.schemas->Load(file.meta->schema_id).ValueOr(nullptr);
        data_schema = known;
      }
      for (ColumnCollector& column : columns) {
        if (column.partition_key >= 0) {
          column.AddConstant(data_split.partition_values[column.partition_key], file.meta->row_count);
        } else if (data_schema) {
          column.AddFile(file, *data_schema);
        } else {
          column.SetUnknown();
        }
      }
    }
    if (data_split.before) {
      for (ColumnCollector& column : columns) column.SetUnknown();
    }
  }
  const bool rows_exact = counted && !filtered;
  for (ColumnCollector& column : columns) {
    // A sum lies outside of the bounds of what it adds up.
    if (merged_values)
      column.known &=
          std::find(schema.primary_keys.begin(), schema.primary_keys.end(), column.field->name) != schema.primary_keys.end();
  }
  statistics.row_count_precision = rows_exact ? Precision::kExact : Precision::kBound;
  if (spec.limit) statistics.row_count = std::min(statistics.row_count, *spec.limit);
  for (const ColumnCollector& column : columns) {
    statistics.columns.emplace(column.field->name, column.Finish(rows_exact && !deletes && !spec.limit, !merged_values));
  }
  return statistics;
}

}  // namespace bactrian
