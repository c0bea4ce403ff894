#include "column_mapping.h"

#include <algorithm>

#include "type_mapping.h"

namespace bactrian::sql {

using duckdb::LogicalTypeId;
using duckdb::MultiFileColumnDefinition;

namespace {

/// Ids for what a schema does not name; field ids are never negative.
constexpr int32_t kUnknownField = -1;

MultiFileColumnDefinition GlobalColumn(const std::string& name, const duckdb::LogicalType& type, const Field& field) {
  MultiFileColumnDefinition column(ToSqlName(name), type);
  column.identifier = duckdb::Value::INTEGER(field.id);
  column.default_expression = MakeConstant(duckdb::Value(type));
  if (type.id() == LogicalTypeId::STRUCT) {
    const auto& child_types = duckdb::StructType::GetChildTypes(type);
    for (size_t i = 0; i < child_types.size(); ++i) {
      column.children.push_back(GlobalColumn(NameText(child_types[i].first), child_types[i].second, field.type->fields()[i]));
    }
  }
  return column;
}

const Field* FindByName(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

const Field* FindById(const std::vector<Field>& fields, int32_t id) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

/// Equal but for nullability, at any depth: names, ids and types.
bool SameShape(const DataType& a, const DataType& b) {
  if (a.root() != b.root() || a.length() != b.length() || a.precision() != b.precision() || a.scale() != b.scale() ||
      a.children().size() != b.children().size() || a.fields().size() != b.fields().size()) {
    return false;
  }
  for (size_t i = 0; i < a.children().size(); ++i) {
    if (!SameShape(*a.children()[i], *b.children()[i])) return false;
  }
  for (size_t i = 0; i < a.fields().size(); ++i) {
    const Field &x = a.fields()[i], &y = b.fields()[i];
    if (x.id != y.id || x.name != y.name || !SameShape(*x.type, *y.type)) return false;
  }
  return true;
}

/// Casts that give the same value in DuckDB and in the reference, and that keep order.
bool IsWidening(const DataType& from, const DataType& to) {
  if (from.is_integer() && to.is_integer()) return from.root() <= to.root();
  if (from.root() == TypeRoot::kFloat && to.root() == TypeRoot::kDouble) return true;
  return from.is_string() && to.is_string() && to.root() == TypeRoot::kVarchar && from.length() <= to.length();
}

/// TIMESTAMP WITH LOCAL TIME ZONE of precision 7 to 9 is cut by DuckDB's reader; the library's refuses.
bool HasFineLtz(const DataType& type) {
  if (type.root() == TypeRoot::kTimestampLtz && type.precision() > 6) return true;
  return std::any_of(type.children().begin(), type.children().end(), [](const TypePtr& child) { return HasFineLtz(*child); }) ||
         std::any_of(type.fields().begin(), type.fields().end(), [](const Field& field) { return HasFineLtz(*field.type); });
}

}  // namespace

duckdb::vector<MultiFileColumnDefinition> GlobalColumns(const ScanSource& source) {
  duckdb::vector<MultiFileColumnDefinition> columns;
  for (size_t i = 0; i < source.columns.size(); ++i) {
    const auto& column = source.columns[i];
    columns.push_back(GlobalColumn(column.name, column.type, source.fields()[i]));
  }
  return columns;
}

void AssignFieldIds(duckdb::vector<MultiFileColumnDefinition>& columns, const std::vector<Field>& file_fields) {
  int32_t unknown = kUnknownField;
  for (MultiFileColumnDefinition& column : columns) {
    const Field* field = FindByName(file_fields, NameText(column.name));
    column.identifier = duckdb::Value::INTEGER(field != nullptr ? field->id : unknown--);
    if (column.type.id() == LogicalTypeId::STRUCT && field != nullptr) {
      AssignFieldIds(column.children, field->type->fields());
    } else {
      column.children.clear();  // lists and maps are taken whole
    }
  }
}

bool DecodesAlike(const Field& wanted, const std::vector<Field>& file_fields,
                  const duckdb::vector<MultiFileColumnDefinition>& columns) {
  const Field* field = FindById(file_fields, wanted.id);
  if (field == nullptr) return true;  // NULL in both
  const auto column = std::find_if(columns.begin(), columns.end(), [&](const MultiFileColumnDefinition& candidate) {
    return candidate.identifier.GetValue<int32_t>() == wanted.id;
  });
  if (column == columns.end()) return false;
  if (HasFineLtz(*field->type)) return false;
  if (!SameShape(*field->type, *wanted.type) && !IsWidening(*field->type, *wanted.type)) return false;
  arrow::Result<duckdb::LogicalType> expected = ToLogicalType(*field->type);
  return expected.ok() && *expected == column->type;
}

}  // namespace bactrian::sql
