#include "filter_pushdown.h"

#include <cmath>
#include <functional>
#include <optional>

#include "duckdb/planner/expression/list.hpp"
#include "type_mapping.h"

namespace bactrian::sql {

using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;

namespace {

/// The field that an expression reads, nullptr if it is more than a column.
using FieldOf = std::function<const Field*(const Expression&)>;

std::optional<PredicateOp> ToOp(ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL:
      return PredicateOp::kEqual;
    case ExpressionType::COMPARE_NOTEQUAL:
      return PredicateOp::kNotEqual;
    case ExpressionType::COMPARE_LESSTHAN:
      return PredicateOp::kLess;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return PredicateOp::kLessOrEqual;
    case ExpressionType::COMPARE_GREATERTHAN:
      return PredicateOp::kGreater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return PredicateOp::kGreaterOrEqual;
    default:
      return std::nullopt;
  }
}

/// SQL has one zero, Paimon's order has -0.0 below 0.0: a bound of zero takes in both. Above a bound there may be NaN, of which
/// a file's maximum says nothing, so lower bounds alone prune nothing.
template <typename Float>
PredicatePtr CompareFloat(PredicateOp op, const Field& field, Float value) {
  if (std::isnan(value)) return nullptr;
  const auto compare = [&](PredicateOp o, Float v) { return Predicate::Compare(o, field.name, {Value{v}}); };
  const Float low = value == Float{0} ? -Float{0} : value, high = value == Float{0} ? Float{0} : value;
  switch (op) {
    case PredicateOp::kEqual:
      return Predicate::And({compare(PredicateOp::kGreaterOrEqual, low), compare(PredicateOp::kLessOrEqual, high)});
    case PredicateOp::kLess:
    case PredicateOp::kLessOrEqual:
      return compare(op, high);
    default:
      return nullptr;
  }
}

PredicatePtr TranslateComparison(ExpressionType type, const Field& field, const duckdb::Value& constant) {
  const std::optional<PredicateOp> op = ToOp(type);
  if (!op || constant.IsNull()) return nullptr;
  const std::optional<Value> literal = ToPaimonValue(constant, *field.type);
  if (!literal) return nullptr;
  if (const auto* value = std::get_if<float>(&*literal)) return CompareFloat(*op, field, *value);
  if (const auto* value = std::get_if<double>(&*literal)) return CompareFloat(*op, field, *value);
  return Predicate::Compare(*op, field.name, {*literal});
}

/// nullptr if a value has no literal: then IN is true for rows that the predicate would drop.
PredicatePtr TranslateIn(const Field& field, const duckdb::vector<duckdb::Value>& constants) {
  std::vector<Value> literals;
  for (const duckdb::Value& constant : constants) {
    if (constant.IsNull()) continue;  // IN is not true because of a NULL
    std::optional<Value> literal = ToPaimonValue(constant, *field.type);
    if (!literal || std::holds_alternative<float>(*literal) || std::holds_alternative<double>(*literal)) return nullptr;
    literals.push_back(std::move(*literal));
  }
  return Predicate::Compare(PredicateOp::kIn, field.name, std::move(literals));
}

PredicatePtr TranslateExpression(const Expression& expression, const FieldOf& field_of);

PredicatePtr TranslateConjunction(const duckdb::BoundConjunctionExpression& conjunction, const FieldOf& field_of) {
  const bool is_and = conjunction.GetExpressionType() == ExpressionType::CONJUNCTION_AND;
  std::vector<PredicatePtr> children;
  for (const auto& child : ChildrenOf(conjunction)) {
    PredicatePtr translated = TranslateExpression(*child, field_of);
    if (translated != nullptr) {
      children.push_back(std::move(translated));
    } else if (!is_and) {
      return nullptr;
    }
  }
  if (children.empty()) return nullptr;
  return is_and ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
}

PredicatePtr TranslateOperator(const duckdb::BoundOperatorExpression& op, const FieldOf& field_of) {
  const auto& children = ChildrenOf(op);
  const Field* field = field_of(*children[0]);
  if (field == nullptr) return nullptr;
  switch (op.GetExpressionType()) {
    case ExpressionType::OPERATOR_IS_NULL:
      return Predicate::Compare(PredicateOp::kIsNull, field->name);
    case ExpressionType::OPERATOR_IS_NOT_NULL:
      return Predicate::Compare(PredicateOp::kIsNotNull, field->name);
    case ExpressionType::COMPARE_IN: {
      duckdb::vector<duckdb::Value> constants;
      for (size_t i = 1; i < children.size(); ++i) {
        if (children[i]->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return nullptr;
        constants.push_back(ValueOf(children[i]->Cast<duckdb::BoundConstantExpression>()));
      }
      return TranslateIn(*field, constants);
    }
    default:
      return nullptr;
  }
}

PredicatePtr TranslateBetween(const Between& between, const FieldOf& field_of) {
  const Field* field = field_of(between.input);
  if (field == nullptr) return nullptr;
  std::vector<PredicatePtr> bounds;
  const auto add = [&](ExpressionType type, const Expression& bound) {
    if (bound.GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return;
    PredicatePtr translated = TranslateComparison(type, *field, ValueOf(bound.Cast<duckdb::BoundConstantExpression>()));
    if (translated != nullptr) bounds.push_back(std::move(translated));
  };
  add(between.lower_type, between.lower);
  add(between.upper_type, between.upper);
  return bounds.empty() ? nullptr : Predicate::And(std::move(bounds));
}

/// DuckDB rewrites LIKE 'x%', '%x' and '%x%' into these.
PredicatePtr TranslateFunction(const duckdb::BoundFunctionExpression& function, const FieldOf& field_of) {
  const auto& children = ChildrenOf(function);
  if (children.size() != 2 || children[1]->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return nullptr;
  const Field* field = field_of(*children[0]);
  const duckdb::Value& constant = ValueOf(children[1]->Cast<duckdb::BoundConstantExpression>());
  if (field == nullptr || !field->type->is_string() || constant.IsNull() ||
      constant.type().id() != duckdb::LogicalTypeId::VARCHAR) {
    return nullptr;
  }
  const std::string& name = FunctionNameOf(function);
  PredicateOp op;
  if (name == "prefix" || name == "starts_with" || name == "^@") {
    op = PredicateOp::kStartsWith;
  } else if (name == "suffix" || name == "ends_with") {
    op = PredicateOp::kEndsWith;
  } else if (name == "contains") {
    op = PredicateOp::kContains;
  } else {
    return nullptr;
  }
  return Predicate::Compare(op, field->name, {Value{duckdb::StringValue::Get(constant)}});
}

PredicatePtr TranslateBinary(const Comparison& comparison, const FieldOf& field_of) {
  const Expression *left = &comparison.left, *right = &comparison.right;
  ExpressionType type = comparison.type;
  if (left->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT) {
    std::swap(left, right);
    type = duckdb::FlipComparisonExpression(type);
  }
  if (right->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return nullptr;
  const Field* field = field_of(*left);
  if (field == nullptr) return nullptr;
  return TranslateComparison(type, *field, ValueOf(right->Cast<duckdb::BoundConstantExpression>()));
}

PredicatePtr TranslateExpression(const Expression& expression, const FieldOf& field_of) {
  if (const auto comparison = AsComparison(expression)) return TranslateBinary(*comparison, field_of);
  if (const auto between = AsBetween(expression)) return TranslateBetween(*between, field_of);
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_CONJUNCTION:
      return TranslateConjunction(expression.Cast<duckdb::BoundConjunctionExpression>(), field_of);
    case ExpressionClass::BOUND_OPERATOR:
      return TranslateOperator(expression.Cast<duckdb::BoundOperatorExpression>(), field_of);
    case ExpressionClass::BOUND_FUNCTION:
      return TranslateFunction(expression.Cast<duckdb::BoundFunctionExpression>(), field_of);
    default:
      return nullptr;
  }
}

}  // namespace

PredicatePtr TranslateFilters(const ScanSource& source, const duckdb::MultiFilePushdownInfo& info,
                              const duckdb::vector<duckdb::unique_ptr<Expression>>& filters) {
  const FieldOf field_of = [&](const Expression& expression) -> const Field* {
    if (expression.GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) return nullptr;
    const auto& binding = BindingOf(expression.Cast<duckdb::BoundColumnRefExpression>());
    if (binding.table_index != info.table_index || binding.column_index >= info.column_ids.size()) return nullptr;
    const duckdb::column_t column = info.column_ids[binding.column_index];
    if (column >= source.fields().size()) return nullptr;
    const Field& field = source.fields()[column];
    // To DuckDB 1.5 the VARIANT null is NULL; the files' null counts leave it out.
    return field.type->root() == TypeRoot::kVariant ? nullptr : &field;
  };
  std::vector<PredicatePtr> conjuncts;
  for (const auto& filter : filters) {
    PredicatePtr translated = TranslateExpression(*filter, field_of);
    if (translated != nullptr) conjuncts.push_back(std::move(translated));
  }
  return conjuncts.empty() ? nullptr : Predicate::And(std::move(conjuncts));
}

}  // namespace bactrian::sql
