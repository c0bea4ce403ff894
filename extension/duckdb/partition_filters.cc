#include "partition_filters.h"

#include <algorithm>
#include <optional>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "type_mapping.h"

namespace bactrian::sql {

using duckdb::Expression;

namespace {

class PartitionFilters {
 public:
  PartitionFilters(duckdb::ClientContext& context, const ScanSource& source, const duckdb::MultiFilePushdownInfo& info)
      : context_(context), source_(source), info_(info) {}

  /// Whether the filter's value is known in every partition, and is true.
  bool HoldsFor(const Expression& filter, const Plan& plan) const {
    if (filter.IsVolatile() || filter.HasSubquery() || filter.HasParameter() || !AsksForKeysOnly(filter)) return false;
    const std::vector<Value>* last = nullptr;  // splits of one partition lie side by side
    for (const auto& split : plan.splits()) {
      const std::vector<Value>& partition = split->partition();
      if (last != nullptr && partition == *last) continue;
      if (!IsTrue(filter, partition)) return false;
      last = &partition;
    }
    return last != nullptr;
  }

 private:
  /// The column that an expression is.
  std::optional<size_t> ColumnOf(const Expression& expression) const {
    if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_COLUMN_REF) return std::nullopt;
    const auto& binding = BindingOf(expression.Cast<duckdb::BoundColumnRefExpression>());
    if (binding.table_index != info_.table_index || PositionOf(binding) >= info_.column_ids.size()) return std::nullopt;
    const duckdb::column_t column = info_.column_ids[PositionOf(binding)];
    return column < source_.fields().size() ? std::optional<size_t>(column) : std::nullopt;
  }

  bool AsksForKeysOnly(const Expression& expression) const {
    if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
      const std::optional<size_t> column = ColumnOf(expression);
      return column && source_.PartitionKeyIndex(source_.fields()[*column].name);
    }
    bool keys_only = true;
    duckdb::ExpressionIterator::EnumerateChildren(
        expression, [&](const Expression& child) { keys_only = keys_only && AsksForKeysOnly(child); });
    return keys_only;
  }

  bool IsTrue(const Expression& filter, const std::vector<Value>& partition) const {
    auto expression = filter.Copy();
    duckdb::Value result;
    return PutValues(expression, partition) && expression->IsFoldable() &&
           duckdb::ExpressionExecutor::TryEvaluateScalar(context_, *expression, result) && !result.IsNull() &&
           result.GetValue<bool>();
  }

  /// Puts a partition's values in the place of its keys.
  bool PutValues(duckdb::unique_ptr<Expression>& expression, const std::vector<Value>& partition) const {
    if (expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
      const Field& field = source_.fields()[*ColumnOf(*expression)];
      const size_t key = *source_.PartitionKeyIndex(field.name);
      if (key >= partition.size()) return false;
      arrow::Result<duckdb::Value> value = FromPaimonValue(partition[key], *field.type);
      if (!value.ok()) return false;
      expression = duckdb::make_uniq<duckdb::BoundConstantExpression>(value->DefaultCastAs(TypeOf(*expression)));
      return true;
    }
    bool put = true;
    duckdb::ExpressionIterator::EnumerateChildren(
        *expression, [&](duckdb::unique_ptr<Expression>& child) { put = put && PutValues(child, partition); });
    return put;
  }

  duckdb::ClientContext& context_;
  const ScanSource& source_;
  const duckdb::MultiFilePushdownInfo& info_;
};

}  // namespace

void DropPartitionFilters(duckdb::ClientContext& context, const ScanSource& source, const Plan& plan,
                          const duckdb::MultiFilePushdownInfo& info, duckdb::vector<duckdb::unique_ptr<Expression>>& filters) {
  if (source.table->schema()->partition_keys.empty()) return;
  const PartitionFilters partitions(context, source, info);
  filters.erase(
      std::remove_if(filters.begin(), filters.end(), [&](const auto& filter) { return partitions.HoldsFor(*filter, plan); }),
      filters.end());
}

}  // namespace bactrian::sql
