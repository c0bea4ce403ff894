#include "bactrian/table/write/partition_spec.h"

#include <arrow/scalar.h>

#include <algorithm>

namespace bactrian {

namespace {

arrow::Result<const Field*> PartitionField(const TableSchema& schema, const std::string& name) {
  const auto& keys = schema.partition_keys;
  if (std::find(keys.begin(), keys.end(), name) == keys.end()) return Invalid("column ", name, " is no partition key");
  return schema.FindField(name);
}

}  // namespace

arrow::Result<PartitionSpec> ParsePartitionSpec(const TableSchema& schema,
                                                const std::map<std::string, std::optional<std::string>>& values) {
  PartitionSpec spec;
  for (const auto& [name, text] : values) {
    ARROW_ASSIGN_OR_RAISE(const Field* field, PartitionField(schema, name));
    Value& value = spec[name];
    if (!text) continue;
    arrow::Result<Value> parsed = ParseValue(*text, *field->type);
    if (!parsed.ok()) return Invalid("partition ", name, ": ", parsed.status().message());
    value = std::move(*parsed);
  }
  return spec;
}

arrow::Status CheckPartitionSpec(const TableSchema& schema, const PartitionSpec& spec) {
  for (const auto& [name, value] : spec) {
    ARROW_ASSIGN_OR_RAISE(const Field* field, PartitionField(schema, name));
    if (!IsNull(value) && !ToScalar(value, *field->type).ok()) {
      return Invalid("partition ", name, ": the value is no ", field->type->ToSqlString());
    }
  }
  return arrow::Status::OK();
}

bool PartitionMatches(const PartitionSpec& spec, std::span<const Field> fields, std::span<const Value> values) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto it = spec.find(fields[i].name);
    if (it == spec.end()) continue;
    if (IsNull(it->second) != IsNull(values[i])) return false;
    if (!IsNull(values[i]) && CompareValues(it->second, values[i]) != std::strong_ordering::equal) return false;
  }
  return true;
}

}  // namespace bactrian
