/// What differs between the DuckDB versions that this extension is built for: 1.5.6 and 2.0.1. One source, one build a version:
/// the C++ ABI is exact. How to write code that both compile:
///  - Names: 2.0 has `duckdb::Identifier` (compares without regard to case) where 1.5 has strings. Overrides take SqlName;
///    NameText() reads one, ToSqlName() makes one. `name` of a catalog entry is one, too. ToLookupName() makes that of an
///    EntryLookupInfo, which it must outlive.
///  - Catalog infos keep a QualifiedName in 2.0: TableNameOf(), SchemaNameOf(), ObjectNameOf(), ColumnNameOf(),
///    FillSchemaInfo(). A table entry derives from TableEntryWithColumns.
///  - Expressions have private members in 2.0: ChildrenOf(), ChildOf() of a cast, ValueOf(), BindingOf(), FunctionNameOf().
///    TypeOf(), PositionOf() and MakeBinding() of a ColumnBinding.
///    Comparisons and BETWEEN became functions: ask AsComparison() and AsBetween() before the expression's class.
///  - Callbacks of table functions take a `duckdb::BoundTableFunction` in 2.0: BoundFunction. SetName(), AddNamedParameter(),
///    AddVarargs() of a function; NamedParameters of a call. bind_operator gets a BindIndex. CatalogOf() and SchemaOf() of
///    USE.
///  - Filters of a scan: ForEachFilter(), FilterRows(), HasFilters(), RulesOut(), SoundFilters(). Its
///    statistics: ScanPartStatistics, SetTextBounds(); SetDescription(). A reader of files derives from ScanFileReader.
///  - Vectors know their size in 2.0: SetSize() in place of chunk.SetCardinality(), `chunk.data[c].SetValue(row, value)` in
///    place of chunk.SetValue(). TakeNulls().
///  - MakeParser() for a session's parser.
///  - DefaultTryCastAs() changes the value in 1.5 and gives another in 2.0: TryCast(). IsConsistent() lets current_date pass in
///    2.0: IsConstant().
/// Whatever else differs goes here as well, so that no other file asks for the version.
#pragma once

#include "duckdb.hpp"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/catalog/catalog_search_path.hpp"
#include "duckdb/common/multi_file/base_file_reader.hpp"
#include "duckdb/function/partition_stats.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/parser/expression/cast_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/parsed_data/alter_info.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/planner/expression/bound_aggregate_expression.hpp"
#include "duckdb/planner/expression/bound_between_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/table_filter.hpp"
#include "duckdb/storage/statistics/base_statistics.hpp"
#include "duckdb/storage/statistics/string_stats.hpp"
#include "duckdb/storage/table/column_segment.hpp"
#if BACTRIAN_DUCKDB_MAJOR >= 2
#include "duckdb/common/multi_file/table_function_multi_file.hpp"
#include "duckdb/main/profiler/profiling_node.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/table_filter_set.hpp"
#else
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/constant_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"
#endif

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace bactrian::sql {

// --- names -----------------------------------------------------------------------------------------------------------

#if BACTRIAN_DUCKDB_MAJOR >= 2
using SqlName = duckdb::Identifier;
/// What an EntryLookupInfo looks up; 1.5 keeps a reference to it.
using LookupName = duckdb::QualifiedName;
inline LookupName ToLookupName(const std::string& text) { return duckdb::QualifiedName(duckdb::Identifier(text)); }
/// Of a catalog that has one.
using DefaultSchemaName = duckdb::optional<duckdb::Identifier>;
inline const std::string& NameText(const duckdb::Identifier& name) { return name.GetIdentifierName(); }
#else
using SqlName = duckdb::string;
using LookupName = duckdb::string;
inline LookupName ToLookupName(const std::string& text) { return text; }
using DefaultSchemaName = duckdb::string;
#endif
inline const std::string& NameText(const std::string& name) { return name; }
inline SqlName ToSqlName(const std::string& text) { return SqlName(text); }

// --- what catalog statements carry -----------------------------------------------------------------------------------

#if BACTRIAN_DUCKDB_MAJOR >= 2
inline const std::string& TableNameOf(const duckdb::CreateTableInfo& info) { return NameText(info.GetTableName()); }
inline const std::string& SchemaNameOf(const duckdb::CreateSchemaInfo& info) {
  return NameText(info.GetQualifiedName().Schema());  // a path of catalog, schema and an empty name
}
/// Of what a DROP or an ALTER is about.
template <typename Info>
const std::string& ObjectNameOf(const Info& info) {
  return NameText(info.GetQualifiedName().Name());
}
/// Of the column that an ALTER COLUMN is about.
template <typename Info>
const std::string& ColumnNameOf(const Info& info) {
  if (info.column_path.size() > 1) {
    throw duckdb::NotImplementedException("ALTER COLUMN of a nested field is not supported for Paimon tables");
  }
  return NameText(info.column_path[0]);
}
inline void FillSchemaInfo(duckdb::CreateSchemaInfo& info, const duckdb::Catalog& catalog, const std::string& schema) {
  info.SetQualification(catalog.GetName(), ToSqlName(schema));
}
#else
inline const std::string& TableNameOf(const duckdb::CreateTableInfo& info) { return info.table; }
inline const std::string& SchemaNameOf(const duckdb::CreateSchemaInfo& info) { return info.schema; }
template <typename Info>
const std::string& ObjectNameOf(const Info& info) {
  return info.name;
}
template <typename Info>
const std::string& ColumnNameOf(const Info& info) {
  return info.column_name;
}
inline void FillSchemaInfo(duckdb::CreateSchemaInfo& info, const duckdb::Catalog& catalog, const std::string& schema) {
  info.catalog = catalog.GetName();
  info.schema = schema;
}
#endif

#if BACTRIAN_DUCKDB_MAJOR >= 2
/// A table of a catalog that keeps its columns itself.
class TableEntryWithColumns : public duckdb::TableCatalogEntry {
 public:
  TableEntryWithColumns(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info)
      : TableCatalogEntry(catalog, schema, info), columns_(info.columns.Copy()) {}
  const duckdb::ColumnList& GetColumns() const override { return columns_; }

 private:
  duckdb::ColumnList columns_;
};
#else
using TableEntryWithColumns = duckdb::TableCatalogEntry;
#endif

// --- expressions -----------------------------------------------------------------------------------------------------

/// The children of a bound conjunction, operator or function.
template <typename BoundExpression>
const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& ChildrenOf(const BoundExpression& expression) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  return expression.GetChildren();
#else
  return expression.children;
#endif
}

/// Whether a bound expression has the same value whenever it is asked: no column, no current_date, no random().
inline bool IsConstant(const duckdb::Expression& expression) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  return expression.IsConsistent() && !expression.RequiresRebind();
#else
  return expression.IsConsistent();
#endif
}

/// A comparison; the operands live as long as the expression.
struct Comparison {
  duckdb::ExpressionType type;
  const duckdb::Expression& left;
  const duckdb::Expression& right;
};

struct Between {
  const duckdb::Expression& input;
  duckdb::ExpressionType lower_type;
  const duckdb::Expression& lower;
  duckdb::ExpressionType upper_type;
  const duckdb::Expression& upper;
};

#if BACTRIAN_DUCKDB_MAJOR >= 2
inline const duckdb::ParsedExpression& ChildOf(const duckdb::CastExpression& cast) { return cast.Child(); }
inline duckdb::unique_ptr<duckdb::ParsedExpression> MakeConstant(const duckdb::Value& value) {
  return duckdb::ConstantExpression::FromValue(value);
}
inline duckdb::Value ValueOf(const duckdb::ConstantExpression& constant) { return constant.GetLiteral().ToValue(); }
inline const duckdb::Value& ValueOf(const duckdb::BoundConstantExpression& constant) { return constant.GetValue(); }
inline const duckdb::ColumnBinding& BindingOf(const duckdb::BoundColumnRefExpression& column) { return column.Binding(); }
inline const std::string& FunctionNameOf(const duckdb::BoundFunctionExpression& call) {
  return NameText(call.Function().GetName());
}

inline const std::string& FunctionNameOf(const duckdb::BoundAggregateExpression& call) {
  return NameText(call.Function().GetName());
}
inline bool HasFilter(const duckdb::BoundAggregateExpression& call) { return call.GetFilter() != nullptr; }
inline const duckdb::LogicalType& TypeOf(const duckdb::Expression& expression) { return expression.GetReturnType(); }
inline duckdb::idx_t PositionOf(const duckdb::ColumnBinding& binding) { return binding.column_index.GetIndex(); }
inline duckdb::ColumnBinding MakeBinding(duckdb::TableIndex table, size_t i) {
  return duckdb::ColumnBinding(table, duckdb::ProjectionIndex(i));
}

inline std::optional<Comparison> AsComparison(const duckdb::Expression& expression) {
  using duckdb::BoundComparisonExpression;
  if (!BoundComparisonExpression::IsComparison(expression)) return std::nullopt;
  const auto& call = expression.Cast<duckdb::BoundFunctionExpression>();
  return Comparison{call.GetExpressionType(), BoundComparisonExpression::Left(call), BoundComparisonExpression::Right(call)};
}

inline std::optional<Between> AsBetween(const duckdb::Expression& expression) {
  using duckdb::BoundBetweenExpression;
  if (expression.GetExpressionType() != duckdb::ExpressionType::COMPARE_BETWEEN ||
      expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) {
    return std::nullopt;
  }
  const auto& call = expression.Cast<duckdb::BoundFunctionExpression>();
  return Between{BoundBetweenExpression::Input(call), BoundBetweenExpression::LowerComparisonType(call),
                 BoundBetweenExpression::LowerBound(call), BoundBetweenExpression::UpperComparisonType(call),
                 BoundBetweenExpression::UpperBound(call)};
}
#else
inline const duckdb::ParsedExpression& ChildOf(const duckdb::CastExpression& cast) { return *cast.child; }
inline duckdb::unique_ptr<duckdb::ParsedExpression> MakeConstant(duckdb::Value value) {
  return duckdb::make_uniq<duckdb::ConstantExpression>(std::move(value));
}
inline const duckdb::Value& ValueOf(const duckdb::ConstantExpression& constant) { return constant.value; }
inline const duckdb::Value& ValueOf(const duckdb::BoundConstantExpression& constant) { return constant.value; }
inline const duckdb::ColumnBinding& BindingOf(const duckdb::BoundColumnRefExpression& column) { return column.binding; }
inline const std::string& FunctionNameOf(const duckdb::BoundFunctionExpression& call) { return call.function.name; }

inline const std::string& FunctionNameOf(const duckdb::BoundAggregateExpression& call) { return call.function.name; }
inline bool HasFilter(const duckdb::BoundAggregateExpression& call) { return call.filter != nullptr; }
inline const duckdb::LogicalType& TypeOf(const duckdb::Expression& expression) { return expression.return_type; }
inline duckdb::idx_t PositionOf(const duckdb::ColumnBinding& binding) { return binding.column_index; }
inline duckdb::ColumnBinding MakeBinding(duckdb::idx_t table, size_t i) { return duckdb::ColumnBinding(table, i); }

inline std::optional<Comparison> AsComparison(const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_COMPARISON) return std::nullopt;
  const auto& comparison = expression.Cast<duckdb::BoundComparisonExpression>();
  return Comparison{comparison.GetExpressionType(), *comparison.left, *comparison.right};
}

inline std::optional<Between> AsBetween(const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_BETWEEN) return std::nullopt;
  const auto& between = expression.Cast<duckdb::BoundBetweenExpression>();
  return Between{*between.input, between.LowerComparisonType(), *between.lower, between.UpperComparisonType(), *between.upper};
}
#endif

// --- table functions and their scans ---------------------------------------------------------------------------------

#if BACTRIAN_DUCKDB_MAJOR >= 2
using BoundFunction = duckdb::BoundTableFunction;
using BindIndex = duckdb::TableIndex;  ///< of what a bind_operator makes
using NamedParameters = duckdb::named_argument_map_t;
inline duckdb::TableFunction OverloadOf(const duckdb::shared_ptr<const duckdb::TableFunction>& function) { return *function; }
inline void SetName(duckdb::TableFunction& function, const std::string& name) { function.SetName(ToSqlName(name)); }
inline const std::string& FunctionNameOf(const BoundFunction& function) { return NameText(function.GetName()); }
/// A parameter that a call may give by name. It counts as given, NULL, where the call does not.
inline void AddNamedParameter(duckdb::TableFunction& function, const std::string& name, const duckdb::LogicalType& type) {
  function.GetSignature().AddKeywordOnly(ToSqlName(name), type, duckdb::Value(type));
}
/// Takes any further arguments by position.
inline void AddVarargs(duckdb::TableFunction& function) {
  function.GetSignature().AddArgs(ToSqlName("arguments"), duckdb::LogicalType::ANY);
}
inline const std::string& CatalogOf(const duckdb::CatalogSearchEntry& entry) { return NameText(entry.GetCatalog()); }
inline const std::string& SchemaOf(const duckdb::CatalogSearchEntry& entry) { return NameText(entry.GetSchema()); }

/// Lets a scan say which table it is of.
template <duckdb::optional_ptr<duckdb::TableCatalogEntry> (*kTableOf)(const duckdb::FunctionData&)>
void SetTableEntryOf(duckdb::TableFunction& function) {
  function.get_bind_info = nullptr;
  function.get_table_entry = [](duckdb::optional_ptr<const duckdb::FunctionData> data) { return kTableOf(*data); };
}
#else
using BoundFunction = duckdb::TableFunction;
using BindIndex = duckdb::idx_t;
using NamedParameters = duckdb::named_parameter_map_t;
inline duckdb::TableFunction OverloadOf(duckdb::TableFunction function) { return function; }
inline void SetName(duckdb::TableFunction& function, const std::string& name) { function.name = name; }
inline const std::string& FunctionNameOf(const BoundFunction& function) { return function.name; }
inline void AddNamedParameter(duckdb::TableFunction& function, const std::string& name, const duckdb::LogicalType& type) {
  function.named_parameters[name] = type;
}
inline void AddVarargs(duckdb::TableFunction& function) { function.varargs = duckdb::LogicalType::ANY; }
inline const std::string& CatalogOf(const duckdb::CatalogSearchEntry& entry) { return entry.catalog; }
inline const std::string& SchemaOf(const duckdb::CatalogSearchEntry& entry) { return entry.schema; }

template <duckdb::optional_ptr<duckdb::TableCatalogEntry> (*kTableOf)(const duckdb::FunctionData&)>
void SetTableEntryOf(duckdb::TableFunction& function) {
  function.get_bind_info = [](const duckdb::optional_ptr<duckdb::FunctionData> data) {
    auto table = kTableOf(*data);
    return table ? duckdb::BindInfo(*table) : duckdb::BindInfo(duckdb::ScanType::EXTERNAL);
  };
}
#endif

/// What a reader of ours in DuckDB's Parquet scan derives from. 2.0 takes every reader of that scan for one that wraps a table
/// function and asks it for the function's metrics: one without a function has none.
#if BACTRIAN_DUCKDB_MAJOR >= 2
class ScanFileReader : public duckdb::TableFunctionFileReader {
 public:
  explicit ScanFileReader(duckdb::OpenFileInfo file)
      : TableFunctionFileReader(duckdb::TableFunction(), std::move(file), NamedParameters(), {}) {}
};
#else
using ScanFileReader = duckdb::BaseFileReader;
#endif

inline bool HasFilters(const duckdb::TableFilterSet& filters) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  return filters.HasFilters();
#else
  return !filters.filters.empty();
#endif
}

/// What EXPLAIN ANALYZE shows of a scan that has run: names and values. In 2.0 also what DuckDB knows of it.
using ScanDescription = duckdb::InsertionOrderPreservingMap<std::string>;
template <ScanDescription (*kDescribe)(const duckdb::FunctionData&, duckdb::GlobalTableFunctionState&)>
void SetDescription(duckdb::TableFunction& function) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  static const auto general = function.get_metrics;  // of any multi-file scan
  function.get_metrics = [](duckdb::TableFunctionGetMetricsInput& input) {
    if (input.bind_data && input.global_state) {  // of two values of one name the first stays
      for (const auto& [name, value] : kDescribe(*input.bind_data, *input.global_state)) {
        input.operator_metrics.AddExtraInfo(name, value);
      }
    }
    general(input);
  };
#else
  function.dynamic_to_string = [](duckdb::TableFunctionDynamicToStringInput& input) {
    return kDescribe(*input.bind_data, *input.global_state);
  };
#endif
}

/// Statistics of a part of a scan for DuckDB's evaluation of aggregates.
class ScanPartStatistics : public duckdb::PartitionRowGroup {
 public:
  /// Whether min and max of the column are values of rows.
  virtual bool HasExactBounds(duckdb::idx_t column) const = 0;
#if BACTRIAN_DUCKDB_MAJOR >= 2
  bool MinMaxIsExact(const duckdb::StorageIndex& column) override { return HasExactBounds(column.GetPrimaryIndex()); }
  bool HasPendingWrites() override { return false; }
#else
  bool MinMaxIsExact(const duckdb::BaseStatistics&, const duckdb::StorageIndex& column) override {
    return HasExactBounds(column.GetPrimaryIndex());
  }
#endif
};

/// Bounds of text that may be no values.
inline void SetTextBounds(duckdb::BaseStatistics& statistics, const std::string& min, const std::string& max) {
  const duckdb::string_t low(min.data(), static_cast<uint32_t>(min.size()));
  const duckdb::string_t high(max.data(), static_cast<uint32_t>(max.size()));
#if BACTRIAN_DUCKDB_MAJOR >= 2
  duckdb::StringStats::SetMin(statistics, low, duckdb::StringStatsType::TRUNCATED_STATS);
  duckdb::StringStats::SetMax(statistics, high, duckdb::StringStatsType::TRUNCATED_STATS);
#else
  duckdb::StringStats::SetMin(statistics, low);
  duckdb::StringStats::SetMax(statistics, high);
#endif
}

#if BACTRIAN_DUCKDB_MAJOR < 2
/// Whether `is_one` is true of the filter or of any that it consists of.
template <typename IsOne>
bool ContainsFilter(const duckdb::TableFilter& filter, const IsOne& is_one) {
  const auto any_has = [&](const auto& filters) {
    return std::any_of(filters.begin(), filters.end(), [&](const auto& child) { return ContainsFilter(*child, is_one); });
  };
  if (is_one(filter)) return true;
  switch (filter.filter_type) {
    case duckdb::TableFilterType::OPTIONAL_FILTER: {
      const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
      return child != nullptr && ContainsFilter(*child, is_one);
    }
    case duckdb::TableFilterType::CONJUNCTION_AND:
      return any_has(filter.Cast<duckdb::ConjunctionAndFilter>().child_filters);
    case duckdb::TableFilterType::CONJUNCTION_OR:
      return any_has(filter.Cast<duckdb::ConjunctionOrFilter>().child_filters);
    default:
      return false;
  }
}

inline bool HasBloomFilter(const duckdb::TableFilter& filter) {
  return ContainsFilter(filter, [](const auto& one) { return one.filter_type == duckdb::TableFilterType::BLOOM_FILTER; });
}

/// 1.5 takes it for false of any NULL when it looks at statistics.
inline bool HasDistinctFrom(const duckdb::TableFilter& filter) {
  return ContainsFilter(filter, [](const auto& one) {
    return one.filter_type == duckdb::TableFilterType::CONSTANT_COMPARISON &&
           one.template Cast<duckdb::ConstantFilter>().comparison_type == duckdb::ExpressionType::COMPARE_DISTINCT_FROM;
  });
}
#endif

/// Whether no row with these statistics passes the filter.
inline bool RulesOut([[maybe_unused]] duckdb::ClientContext& context, const duckdb::TableFilter& filter,
                     duckdb::BaseStatistics& statistics) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  const auto* expression = dynamic_cast<const duckdb::ExpressionFilter*>(&filter);
  return expression != nullptr &&
         expression->CheckStatistics(context, statistics) == duckdb::FilterPropagateResult::FILTER_ALWAYS_FALSE;
#else
  return !HasDistinctFrom(filter) && filter.CheckStatistics(statistics) == duckdb::FilterPropagateResult::FILTER_ALWAYS_FALSE;
#endif
}

/// Calls `visit(index of the projected column, filter)` for each filter on one column.
template <typename Visit>
void ForEachFilter(const duckdb::TableFilterSet& filters, const Visit& visit) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  for (const auto& entry : filters) visit(entry.GetIndex().GetIndex(), entry.Filter());
#else
  for (const auto& [index, filter] : filters.filters) visit(index, *filter);
#endif
}

/// Filters that only spare work are left out where 1.5 goes wrong with them: a join's Bloom filter, which it cannot cast to the
/// type that a column has in a file (`is_cast(index of the projected column)`), and IS DISTINCT FROM in an OR
/// (HasDistinctFrom). Gives the filters that are left; nullptr where all are.
template <typename IsCast>
duckdb::unique_ptr<duckdb::TableFilterSet> SoundFilters([[maybe_unused]] const duckdb::TableFilterSet& filters,
                                                        [[maybe_unused]] const IsCast& is_cast) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  return nullptr;
#else
  const auto goes_wrong = [&](duckdb::idx_t index, const duckdb::TableFilter& filter) {
    if (HasBloomFilter(filter)) return is_cast(index);
    return filter.filter_type == duckdb::TableFilterType::OPTIONAL_FILTER && HasDistinctFrom(filter);
  };
  auto left = duckdb::make_uniq<duckdb::TableFilterSet>();
  bool all = true;
  for (const auto& [index, entry] : filters.filters) {
    const duckdb::TableFilter& filter = *entry;
    if (filter.filter_type != duckdb::TableFilterType::CONJUNCTION_AND) {
      if (goes_wrong(index, filter)) {
        all = false;
      } else {
        left->filters.emplace(index, filter.Copy());
      }
      continue;
    }
    auto conjunction = duckdb::make_uniq<duckdb::ConjunctionAndFilter>();
    for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
      if (goes_wrong(index, *child)) {
        all = false;
      } else {
        conjunction->child_filters.push_back(child->Copy());
      }
    }
    if (!conjunction->child_filters.empty()) left->filters.emplace(index, std::move(conjunction));
  }
  return all ? nullptr : std::move(left);
#endif
}

/// Keeps in `selection` those of its first `approved` rows that pass the filter.
inline void FilterRows(duckdb::Vector& vector, const duckdb::TableFilter& filter, duckdb::TableFilterState& state,
                       duckdb::idx_t rows, duckdb::SelectionVector& selection, duckdb::idx_t& approved) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  vector.Flatten();
  duckdb::ColumnSegment::FilterSelection(selection, vector, state, rows, approved);
#else
  duckdb::UnifiedVectorFormat format;
  vector.Flatten(rows);
  vector.ToUnifiedFormat(rows, format);
  duckdb::ColumnSegment::FilterSelection(selection, vector, format, filter, state, rows, approved);
#endif
}

// --- values and data
// --- parsing ---------------------------------------------------------------------------------------------------------

/// A parser with the session's settings.
inline duckdb::Parser MakeParser(duckdb::ClientContext& context) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  return duckdb::Parser(context);
#else
  return duckdb::Parser(context.GetParserOptions());
#endif
}

// ------------------------------------------------------------------------------------------------------------

/// nullopt where the value has none of that type.
inline std::optional<duckdb::Value> TryCast(duckdb::Value value, const duckdb::LogicalType& type) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  auto cast = value.DefaultTryCastAs(type);
  return cast ? std::optional<duckdb::Value>(*cast) : std::nullopt;
#else
  return value.DefaultTryCastAs(type) ? std::optional<duckdb::Value>(std::move(value)) : std::nullopt;
#endif
}

/// After its vectors were filled; for a single value, set the size first and then `chunk.data[0].SetValue(0, value)`.
inline void SetSize(duckdb::DataChunk& chunk, duckdb::idx_t rows) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  chunk.SetChildCardinality(rows);
#else
  chunk.SetCardinality(rows);
#endif
}

/// Makes `vector` flat, and NULL wherever `nulls` is.
inline void TakeNulls(duckdb::Vector& nulls, duckdb::idx_t rows, duckdb::Vector& vector) {
  duckdb::UnifiedVectorFormat format;
#if BACTRIAN_DUCKDB_MAJOR >= 2
  vector.Flatten();
  nulls.ToUnifiedFormat(format);
#else
  vector.Flatten(rows);
  nulls.ToUnifiedFormat(rows, format);
#endif
  for (duckdb::idx_t row = 0; row < rows; ++row) {
    if (!format.validity.RowIsValid(format.sel->get_index(row))) duckdb::FlatVector::SetNull(vector, row, true);
  }
}

/// Of the time of day.
inline int64_t MicrosOf(duckdb::dtime_t time) {
#if BACTRIAN_DUCKDB_MAJOR >= 2
  return time.value;
#else
  return time.micros;
#endif
}

}  // namespace bactrian::sql
