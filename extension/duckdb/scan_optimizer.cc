#include "scan_optimizer.h"

#include <algorithm>
#include <map>
#include <optional>

#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/column_binding_replacer.hpp"
#include "duckdb/optimizer/optimizer.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/expression/list.hpp"
#include "duckdb/planner/operator/list.hpp"
#include "file_list.h"
#include "file_statistics.h"
#include "scan_serialization.h"
#include "type_mapping.h"

namespace bactrian::sql {

using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;

namespace {

constexpr size_t kMaxPartitionRows = 10'000;  ///< rows of constants in a plan

/// A scan of ours below an operator, and the columns that expressions above projections mean there.
struct ScanBelow {
  duckdb::LogicalGet* get = nullptr;
  duckdb::vector<duckdb::ColumnBinding> bindings;  ///< of the columns asked for, in the scan

  duckdb::MultiFileBindData& bind_data() const { return get->bind_data->Cast<duckdb::MultiFileBindData>(); }
  const PaimonFileList& files() const { return bind_data().file_list->Cast<PaimonFileList>(); }
  /// The table's column that the i-th binding is; nullopt for a virtual one.
  std::optional<size_t> column(size_t i) const {
    const duckdb::ColumnIndex& id = get->GetColumnIds()[PositionOf(bindings[i])];
    if (id.IsVirtualColumn() || id.GetPrimaryIndex() >= files().source().columns.size()) return std::nullopt;
    return id.GetPrimaryIndex();
  }
};

/// Goes down through projections that pass the columns on as they are.
std::optional<ScanBelow> FindScan(LogicalOperator& top, duckdb::vector<duckdb::ColumnBinding> bindings) {
  LogicalOperator* op = &top;
  while (op->type == LogicalOperatorType::LOGICAL_PROJECTION) {
    for (duckdb::ColumnBinding& binding : bindings) {
      const duckdb::Expression& expression = *op->expressions[PositionOf(binding)];
      if (expression.GetExpressionType() != duckdb::ExpressionType::BOUND_COLUMN_REF) return std::nullopt;
      binding = BindingOf(expression.Cast<duckdb::BoundColumnRefExpression>());
    }
    op = op->children[0].get();
  }
  if (op->type != LogicalOperatorType::LOGICAL_GET) return std::nullopt;
  auto& get = op->Cast<duckdb::LogicalGet>();
  if (FunctionNameOf(get.function) != kScanFunctionName || get.extra_info.sample_options) return std::nullopt;
  return ScanBelow{&get, std::move(bindings)};
}

// --- count(*) by partition -------------------------------------------------------------------------------------------

bool IsPlainCount(const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_AGGREGATE) return false;
  const auto& aggregate = expression.Cast<duckdb::BoundAggregateExpression>();
  return FunctionNameOf(aggregate) == "count_star" && !HasFilter(aggregate) && !aggregate.IsDistinct();
}

/// The scan whose partitions the aggregate counts: groups are partition keys, nothing but count(*) is asked for.
std::optional<ScanBelow> CountedScan(const duckdb::LogicalAggregate& aggregate) {
  if (aggregate.groups.empty() || aggregate.grouping_sets.size() > 1 || !aggregate.grouping_functions.empty()) return {};
  if (!std::all_of(aggregate.expressions.begin(), aggregate.expressions.end(),
                   [](const auto& expression) { return IsPlainCount(*expression); })) {
    return {};
  }
  duckdb::vector<duckdb::ColumnBinding> bindings;
  for (const auto& group : aggregate.groups) {
    if (group->GetExpressionType() != duckdb::ExpressionType::BOUND_COLUMN_REF) return {};
    bindings.push_back(BindingOf(group->Cast<duckdb::BoundColumnRefExpression>()));
  }
  std::optional<ScanBelow> scan = FindScan(*aggregate.children[0], std::move(bindings));
  if (!scan || HasFilters(scan->get->table_filters)) return {};
  for (size_t i = 0; i < aggregate.groups.size(); ++i) {
    const std::optional<size_t> column = scan->column(i);
    if (!column || !scan->files().source().PartitionKeyIndex(scan->files().source().fields()[*column].name)) return {};
  }
  return scan;
}

using GroupKey = std::vector<std::string>;  ///< values as text, which tells NULL apart

struct Group {
  duckdb::vector<duckdb::Value> values;
  int64_t rows = 0;
};

/// Rows of each combination of values; nullopt where they are not known exactly.
std::optional<std::map<GroupKey, Group>> CountPartitions(const ScanBelow& scan) {
  std::map<GroupKey, Group> groups;
  const ScanSource& source = scan.files().source();
  for (const auto& split : scan.files().plan().splits()) {
    const std::optional<int64_t> rows = split->exact_row_count();
    if (!rows || !HoldsRowsAsStored(source, *split)) return {};
    if (*rows == 0) continue;
    GroupKey key;
    Group group;
    for (size_t i = 0; i < scan.bindings.size(); ++i) {
      const Field& field = source.fields()[*scan.column(i)];
      const size_t position = *source.PartitionKeyIndex(field.name);
      if (position >= split->partition().size()) return {};
      arrow::Result<duckdb::Value> value = FromPaimonValue(split->partition()[position], *field.type);
      if (!value.ok()) return {};
      key.push_back(value->IsNull() ? std::string() : "=" + value->ToString());
      group.values.push_back(*std::move(value));
    }
    Group& counted = groups.try_emplace(std::move(key), std::move(group)).first->second;
    counted.rows += *rows;
    if (groups.size() > kMaxPartitionRows) return {};
  }
  return groups;
}

/// Puts constants where `op` counts partitions, and notes which bindings are now others.
void ReplaceCount(duckdb::Binder& binder, duckdb::unique_ptr<LogicalOperator>& op,
                  duckdb::vector<duckdb::ReplacementBinding>& replaced) {
  for (auto& child : op->children) ReplaceCount(binder, child, replaced);
  if (op->type != LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY) return;
  auto& aggregate = op->Cast<duckdb::LogicalAggregate>();
  const std::optional<ScanBelow> scan = CountedScan(aggregate);
  if (!scan) return;
  const auto groups = CountPartitions(*scan);
  if (!groups || groups->empty()) return;
  duckdb::vector<duckdb::LogicalType> types;
  for (const auto& group : aggregate.groups) types.push_back(TypeOf(*group));
  for (const auto& count : aggregate.expressions) types.push_back(TypeOf(*count));
  duckdb::vector<duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>> rows;
  for (const auto& [key, group] : *groups) {
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> row;
    for (size_t i = 0; i < group.values.size(); ++i) {
      row.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(group.values[i].DefaultCastAs(types[i])));
    }
    for (size_t i = 0; i < aggregate.expressions.size(); ++i) {
      row.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value::BIGINT(group.rows)));
    }
    rows.push_back(std::move(row));
  }
  const auto table = binder.GenerateTableIndex();
  for (size_t i = 0; i < types.size(); ++i) {
    const size_t groups_count = aggregate.groups.size();
    const duckdb::ColumnBinding before =
        i < groups_count ? MakeBinding(aggregate.group_index, i) : MakeBinding(aggregate.aggregate_index, i - groups_count);
    replaced.emplace_back(before, MakeBinding(table, i));
  }
  auto constants = duckdb::make_uniq<duckdb::LogicalExpressionGet>(table, std::move(types), std::move(rows));
  constants->children.push_back(duckdb::make_uniq<duckdb::LogicalDummyScan>(binder.GenerateTableIndex()));
  constants->ResolveOperatorTypes();
  op = std::move(constants);
}

void CountPartitionsInPlan(duckdb::OptimizerExtensionInput& input, duckdb::unique_ptr<LogicalOperator>& plan) {
  duckdb::ColumnBindingReplacer replacer;
  ReplaceCount(input.optimizer.binder, plan, replacer.replacement_bindings);
  if (!replacer.replacement_bindings.empty()) replacer.VisitOperator(*plan);
}

// --- LIMIT -----------------------------------------------------------------------------------------------------------

/// A bare scan gives its rows in the order of its files: the offset leaves out whole files, and those after it that have enough
/// rows are all that is read.
void LimitFiles(duckdb::LogicalLimit& limit) {
  if (limit.limit_val.Type() != duckdb::LimitNodeType::CONSTANT_VALUE) return;
  const duckdb::idx_t wanted = limit.limit_val.GetConstantValue();
  duckdb::idx_t offset = 0;
  if (limit.offset_val.Type() == duckdb::LimitNodeType::CONSTANT_VALUE) {
    offset = limit.offset_val.GetConstantValue();
  } else if (limit.offset_val.Type() != duckdb::LimitNodeType::UNSET) {
    return;
  }
  const std::optional<ScanBelow> scan = FindScan(*limit.children[0], {});
  if (!scan || HasFilters(scan->get->table_filters)) return;
  const auto partitions = PartitionStatisticsOf(scan->files());
  std::vector<size_t> chosen;
  duckdb::idx_t rows = 0;  // of the files chosen
  for (size_t i = 0; i < partitions.size() && (rows < offset || rows - offset < wanted); ++i) {
    if (partitions[i].count == 0) continue;
    if (chosen.empty() && offset >= partitions[i].count) {
      offset -= partitions[i].count;
      continue;
    }
    rows += partitions[i].count;
    chosen.push_back(i);
  }
  if (rows < offset || rows - offset < wanted || chosen.empty()) return;
  if (limit.offset_val.Type() == duckdb::LimitNodeType::CONSTANT_VALUE) {
    limit.offset_val = duckdb::BoundLimitNode::ConstantValue(static_cast<int64_t>(offset));
  }
  scan->bind_data().file_list = scan->files().Choose(std::move(chosen));
}

// --- ORDER BY … LIMIT ------------------------------------------------------------------------------------------------

/// Where an item comes when the least values are wanted first (or the greatest): items of unknown bounds lead, since the top
/// rows may be in them; those without values come last.
struct Rank {
  enum Group : uint8_t { kUnknown, kBounded, kWithoutValues } group = kUnknown;
  duckdb::Value bound = duckdb::Value();
};

Rank RankOf(const ScanBelow& scan, const PaimonFileList::Item& item, size_t column, bool descending) {
  const auto statistics = ItemStatistics(scan.files(), item, column);
  if (!statistics) return {};
  if (!statistics->CanHaveNoNull()) return {.group = Rank::kWithoutValues};
  if (statistics->GetStatsType() == duckdb::StatisticsType::STRING_STATS) {
    const std::string bound = descending ? duckdb::StringStats::Max(*statistics) : duckdb::StringStats::Min(*statistics);
    return {.group = Rank::kBounded, .bound = duckdb::Value::BLOB(duckdb::const_data_ptr_cast(bound.data()), bound.size())};
  }
  if (statistics->GetStatsType() != duckdb::StatisticsType::NUMERIC_STATS || !duckdb::NumericStats::HasMinMax(*statistics)) {
    return {};
  }
  return {.group = Rank::kBounded,
          .bound = descending ? duckdb::NumericStats::Max(*statistics) : duckdb::NumericStats::Min(*statistics)};
}

void OrderFiles(const duckdb::LogicalTopN& top) {
  const duckdb::BoundOrderByNode& order = top.orders[0];
  if (order.expression->GetExpressionType() != duckdb::ExpressionType::BOUND_COLUMN_REF) return;
  const auto scan = FindScan(*top.children[0], {BindingOf(order.expression->Cast<duckdb::BoundColumnRefExpression>())});
  if (!scan) return;
  const std::optional<size_t> column = scan->column(0);
  const auto& items = scan->files().items();
  if (!column || items.size() < 2) return;
  const bool descending = order.type == duckdb::OrderType::DESCENDING;
  std::vector<std::pair<Rank, size_t>> ranked;
  for (size_t i = 0; i < items.size(); ++i) ranked.emplace_back(RankOf(*scan, items[i], *column, descending), i);
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    if (a.first.group != b.first.group || a.first.group != Rank::kBounded) return a.first.group < b.first.group;
    return descending ? b.first.bound < a.first.bound : a.first.bound < b.first.bound;
  });
  std::vector<size_t> order_of_items;
  for (const auto& [rank, i] : ranked) order_of_items.push_back(i);
  scan->bind_data().file_list = scan->files().Choose(std::move(order_of_items));
}

void ChooseFiles(LogicalOperator& op) {
  if (op.type == LogicalOperatorType::LOGICAL_LIMIT) LimitFiles(op.Cast<duckdb::LogicalLimit>());
  if (op.type == LogicalOperatorType::LOGICAL_TOP_N) OrderFiles(op.Cast<duckdb::LogicalTopN>());
  for (auto& child : op.children) ChooseFiles(*child);
}

}  // namespace

void RegisterScanOptimizer(duckdb::DatabaseInstance& database) {
  duckdb::OptimizerExtension extension;
  extension.pre_optimize_function = CountPartitionsInPlan;
  extension.optimize_function = [](duckdb::OptimizerExtensionInput&, duckdb::unique_ptr<LogicalOperator>& plan) {
    ChooseFiles(*plan);
  };
  duckdb::OptimizerExtension::Register(duckdb::DBConfig::GetConfig(database), std::move(extension));
}

}  // namespace bactrian::sql
