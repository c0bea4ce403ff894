// CREATE TABLE and AT in Paimon's terms.
#include <algorithm>

#include "constant_text.h"
#include "duckdb/parser/constraints/list.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/planner/tableref/bound_at_clause.hpp"
#include "errors.h"
#include "schema_entry.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

std::string ColumnName(const duckdb::ParsedExpression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) {
    throw duckdb::NotImplementedException("PARTITIONED BY takes columns, not %s", expression.ToString());
  }
  return NameText(expression.Cast<duckdb::ColumnRefExpression>().GetColumnName());
}

Field* FindField(Schema& schema, const std::string& name) {
  for (Field& field : schema.fields) {
    if (duckdb::StringUtil::CIEquals(field.name, name)) return &field;
  }
  throw duckdb::BinderException("table has no column \"%s\"", name);
}

void ApplyConstraint(Schema& schema, const duckdb::Constraint& constraint, const duckdb::ColumnList& columns) {
  switch (constraint.type) {
    case duckdb::ConstraintType::NOT_NULL: {
      Field* field = FindField(schema, NameText(columns.GetColumn(constraint.Cast<duckdb::NotNullConstraint>().index).Name()));
      field->type = field->type->WithNullable(false);
      return;
    }
    case duckdb::ConstraintType::UNIQUE: {
      const auto& unique = constraint.Cast<duckdb::UniqueConstraint>();
      if (!unique.is_primary_key) break;
      for (const auto& column : unique.GetLogicalIndexes(columns)) {
        schema.primary_keys.push_back(FindField(schema, NameText(columns.GetColumn(column).Name()))->name);
      }
      return;
    }
    default:
      break;
  }
  throw duckdb::NotImplementedException("a Paimon table cannot have the constraint %s", constraint.ToString());
}

}  // namespace

Schema ToPaimonSchema(duckdb::ClientContext& context, const duckdb::CreateTableInfo& info) {
  Schema schema;
  for (const auto& column : info.columns.Logical()) {
    const std::string& name = NameText(column.Name());
    if (column.Generated()) throw duckdb::NotImplementedException("a Paimon table cannot have the generated column %s", name);
    arrow::Result<TypePtr> type = FromLogicalType(column.Type(), /*nullable=*/true);
    if (!type.ok()) throw duckdb::NotImplementedException("column \"" + name + "\": " + type.status().message());
    Field field{.name = name, .type = *type};
    if (!column.Comment().IsNull()) field.description = column.Comment().ToString();
    if (column.HasDefaultValue()) {
      field.default_value = DefaultText(context, field.name, *field.type, column.DefaultValue());
    }
    schema.fields.push_back(std::move(field));
  }
  for (const auto& constraint : info.constraints) ApplyConstraint(schema, *constraint, info.columns);
  for (const auto& key : info.partition_keys) schema.partition_keys.push_back(FindField(schema, ColumnName(*key))->name);
  for (const auto& [option, value] : info.options) {
    const std::string text = OptionText(option, *value);
    if (const std::optional<std::string> column = ColumnOfTypeOption(option)) {
      Field* field = FindField(schema, *column);
      field->type = ParseColumnType(*column, text)->WithNullable(field->type->nullable());
    } else {
      schema.options[option] = text;
    }
  }
  if (!info.comment.IsNull()) schema.comment = info.comment.ToString();
  return schema;
}

Options TimeTravelOptions(duckdb::optional_ptr<duckdb::BoundAtClause> at) {
  if (!at) return {};
  const duckdb::Value& value = at->GetValue();
  if (value.IsNull()) throw duckdb::BinderException("AT takes a value that is not NULL");
  const std::string& unit = NameText(at->Unit());
  if (duckdb::StringUtil::CIEquals(unit, "version")) return {{"scan.version", value.ToString()}};
  if (duckdb::StringUtil::CIEquals(unit, "timestamp")) {
    const duckdb::Value timestamp = value.DefaultCastAs(duckdb::LogicalType::TIMESTAMP_TZ);
    const int64_t micros = timestamp.GetValueUnsafe<int64_t>();
    return {{"scan.timestamp-millis", std::to_string(micros / 1000 - (micros % 1000 < 0 ? 1 : 0))}};
  }
  throw duckdb::BinderException("AT (%s => …) is not known: use VERSION (a snapshot id or a tag) or TIMESTAMP", unit);
}

}  // namespace bactrian::sql
