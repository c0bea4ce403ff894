#include "constant_text.h"

#include "compat.h"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/expression_binder/constant_binder.hpp"
#include "errors.h"
#include "type_mapping.h"

namespace bactrian::sql {

std::string OptionText(const std::string& option, const duckdb::ParsedExpression& expression) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::CONSTANT) {
    return ValueOf(expression.Cast<duckdb::ConstantExpression>()).ToString();
  }
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF) return expression.ToString();  // WITH (a = b)
  throw duckdb::InvalidInputException("option %s: a constant is wanted, not %s", option, expression.ToString());
}

std::optional<std::string> ColumnOfTypeOption(const std::string& option) {
  constexpr char kPrefix[] = "column-type.";
  if (!duckdb::StringUtil::StartsWith(duckdb::StringUtil::Lower(option), kPrefix)) return std::nullopt;
  return option.substr(sizeof kPrefix - 1);
}

TypePtr ParseColumnType(const std::string& column, const std::string& text) {
  arrow::Result<TypePtr> type = ParseSqlType(text);
  if (!type.ok()) throw duckdb::InvalidInputException("column \"" + column + "\": " + type.status().message());
  return *type;
}

std::optional<std::string> DefaultText(duckdb::ClientContext& context, const std::string& column, const DataType& type,
                                       const duckdb::ParsedExpression& expression) {
  const auto binder = duckdb::Binder::CreateBinder(context);
  duckdb::ConstantBinder constant_binder(*binder, context, "DEFAULT");
  auto copy = expression.Copy();
  const auto bound = constant_binder.Bind(copy);
  if (!IsConstant(*bound)) {
    throw duckdb::InvalidInputException("column \"%s\": a default value must be a constant, not %s", column,
                                        expression.ToString());
  }
  const duckdb::Value value = duckdb::ExpressionExecutor::EvaluateScalar(context, *bound);
  if (value.IsNull()) return std::nullopt;
  if (type.is_nested()) throw duckdb::NotImplementedException("column \"%s\": nested types have no default values", column);
  const duckdb::LogicalType logical_type = ValueOrThrow(ToLogicalType(type));
  const duckdb::Value cast = value.CastAs(context, logical_type);
  return type.is_binary() ? duckdb::StringValue::Get(cast) : cast.ToString();
}

}  // namespace bactrian::sql
