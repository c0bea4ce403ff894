#include "tpcds_result.h"

#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/query_node.hpp"
#include "duckdb/parser/statement/select_statement.hpp"

namespace bactrian::cli {

namespace {

/// FNV-1a: the same on every machine, so that results can be compared with a file of another one.
uint64_t HashBytes(std::string_view bytes, uint64_t seed) {
  for (const char byte : bytes) seed = (seed ^ static_cast<uint8_t>(byte)) * 0x100000001b3U;
  return seed;
}

constexpr uint64_t kSeed = 0xcbf29ce484222325U;

uint64_t HashValue(const duckdb::Value& value, uint64_t seed) {
  if (value.IsNull()) return HashBytes("\1N", seed);
  const auto type = value.type().id();
  if (type == duckdb::LogicalTypeId::DOUBLE || type == duckdb::LogicalTypeId::FLOAT) {
    char text[32];
    const int length = std::snprintf(text, sizeof text, "%.9g", value.GetValue<double>());
    return HashBytes({text, static_cast<size_t>(length)}, HashBytes("\1", seed));
  }
  return HashBytes(value.ToString(), HashBytes("\1", seed));
}

/// The result's column that an ORDER BY term names, if it is no more than that.
std::optional<size_t> ColumnOf(const duckdb::ParsedExpression& term, const duckdb::vector<duckdb::string>& names) {
  if (term.GetExpressionClass() == duckdb::ExpressionClass::CONSTANT) {
    const duckdb::Value& position = term.Cast<duckdb::ConstantExpression>().value;
    if (!position.type().IsIntegral() || position.IsNull()) return std::nullopt;
    const auto index = static_cast<size_t>(position.GetValue<int64_t>() - 1);
    return index < names.size() ? std::optional(index) : std::nullopt;
  }
  if (term.GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) return std::nullopt;
  const auto& name = term.Cast<duckdb::ColumnRefExpression>().GetColumnName();
  for (size_t i = 0; i < names.size(); ++i) {
    if (duckdb::StringUtil::CIEquals(names[i], name)) return i;
  }
  return std::nullopt;
}

/// The leading columns that the statement sorts by: of these, the sequence of values is fixed.
std::vector<size_t> SortColumns(const duckdb::SQLStatement& statement, const duckdb::vector<duckdb::string>& names) {
  std::vector<size_t> columns;
  if (statement.type != duckdb::StatementType::SELECT_STATEMENT) return columns;
  for (const auto& modifier : statement.Cast<duckdb::SelectStatement>().node->modifiers) {
    if (modifier->type != duckdb::ResultModifierType::ORDER_MODIFIER) continue;
    for (const auto& order : modifier->Cast<duckdb::OrderModifier>().orders) {
      const std::optional<size_t> column = ColumnOf(*order.expression, names);
      if (!column) return columns;
      columns.push_back(*column);
    }
  }
  return columns;
}

}  // namespace

ResultDigest DigestOf(const duckdb::SQLStatement& statement, duckdb::MaterializedQueryResult& result) {
  const std::vector<size_t> sort_columns = SortColumns(statement, result.names);
  ResultDigest digest;
  uint64_t rows = 0, order = kSeed;
  for (const auto& row : result.Collection().Rows()) {
    uint64_t hash = kSeed;
    for (duckdb::idx_t i = 0; i < result.ColumnCount(); ++i) hash = HashValue(row.GetValue(i), hash);
    rows += hash * (hash | 1);  // a sum of plain FNV values would let differences cancel out
    for (const size_t column : sort_columns) order = HashValue(row.GetValue(column), order);
    ++digest.rows;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(rows),
                static_cast<unsigned long long>(order));
  digest.hash = text;
  return digest;
}

}  // namespace bactrian::cli
