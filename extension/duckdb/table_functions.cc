#include "table_functions.h"

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/main/client_data.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/optimizer/optimizer.hpp"
#include "duckdb/parser/qualified_name.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/planner.hpp"
#include "errors.h"
#include "multi_file_reader.h"
#include "paimon_catalog.h"
#include "plan_rows.h"
#include "procedure.h"
#include "scan_function.h"
#include "scan_options.h"
#include "scan_serialization.h"
#include "table_entry.h"

namespace bactrian::sql {

namespace {

constexpr char kScan[] = "paimon_scan";
constexpr char kPlan[] = "paimon_plan";
constexpr char kFilter[] = "filter";

struct TableFunctionContext final : duckdb::TableFunctionInfo {
  explicit TableFunctionContext(std::shared_ptr<Session> shared) : session(std::move(shared)) {}
  std::shared_ptr<Session> session;
};

PaimonCatalog& FindCatalog(duckdb::ClientContext& context, const std::string& text) {
  const auto parts = duckdb::QualifiedName::ParseComponents(text);
  const SqlName name =
      parts.size() == 3 ? parts[0] : ToSqlName(CatalogOf(duckdb::ClientData::Get(context).catalog_search_path->GetDefault()));
  auto& catalog = duckdb::Catalog::GetCatalog(context, name);
  if (catalog.GetCatalogType() != "paimon") {
    throw duckdb::BinderException("\"%s\" is neither a path nor a table \"catalog.database.table\" of a Paimon catalog", text);
  }
  return catalog.Cast<PaimonCatalog>();
}

/// A table by its directory (anything with a slash) or by its name.
std::shared_ptr<Table> OpenTable(duckdb::ClientContext& context, const duckdb::TableFunctionBindInput& input) {
  if (input.inputs[0].IsNull()) throw duckdb::BinderException("a table is needed, not NULL");
  const std::string text = input.inputs[0].GetValue<std::string>();
  const Options options = ScanOptionsOf(context, input.named_parameters);
  if (text.find('/') != std::string::npos) {
    return ValueOrThrow(input.info->Cast<TableFunctionContext>().session->OpenTable(text, options));
  }
  PaimonCatalog& catalog = FindCatalog(context, text);
  return ValueOrThrow(catalog.catalog().GetTable(ResolveTableText(context, catalog, text), options));
}

duckdb::unique_ptr<duckdb::LogicalOperator> BindScan(duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
                                                     BindIndex bind_index, duckdb::vector<SqlName>& names) {
  const std::shared_ptr<const ScanSource> source = ScanSource::Make(OpenTable(context, input));
  duckdb::vector<duckdb::LogicalType> types;
  for (const auto& column : source->columns) {
    names.push_back(ToSqlName(column.name));
    types.push_back(column.type);
  }
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
  duckdb::TableFunction function = MakeScanFunction(context, PaimonFileList::Make(source), nullptr, bind_data);
  auto get = duckdb::make_uniq<duckdb::LogicalGet>(bind_index, BoundFunction(function), std::move(bind_data), std::move(types),
                                                   names, PaimonVirtualColumns());
  for (size_t i = 0; i < names.size(); ++i) get->AddColumnId(i);
  return get;
}

/// The scan of a plan; nullptr when the optimiser has seen that no row can match.
const PaimonFileList* FindScan(duckdb::LogicalOperator& op) {
  if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    const auto& get = op.Cast<duckdb::LogicalGet>();
    if (FunctionNameOf(get.function) != kScanFunctionName) return nullptr;  // of a subquery in the filter
    return &get.bind_data->Cast<duckdb::MultiFileBindData>().file_list->Cast<PaimonFileList>();
  }
  for (auto& child : op.children) {
    if (const PaimonFileList* found = FindScan(*child)) return found;
  }
  return nullptr;
}

std::string Call(const duckdb::TableFunctionBindInput& input) {
  std::string call = std::string(kScan) + "(" + input.inputs[0].ToSQLString();
  for (const auto& [name, value] : input.named_parameters) {
    if (!duckdb::StringUtil::CIEquals(NameText(name), kFilter) && !value.IsNull())
      call += ", " + NameText(name) + " => " + value.ToSQLString();
  }
  return call + ")";
}

struct PlanBindData final : duckdb::FunctionData {
  Rows rows;
  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<PlanBindData>(*this); }
  bool Equals(const FunctionData& other) const override { return this == &other; }
  bool SupportStatementCache() const override { return false; }
};

struct PlanState final : duckdb::GlobalTableFunctionState {
  size_t next = 0;
};

/// Plans the query that has this scan and filter, and says what came of it.
duckdb::unique_ptr<duckdb::FunctionData> BindPlan(duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
                                                  duckdb::vector<duckdb::LogicalType>& types, duckdb::vector<SqlName>& names) {
  for (const auto& [name, type] : PlanColumns()) {
    names.push_back(ToSqlName(name));
    types.push_back(type);
  }
  const std::shared_ptr<Table> table = OpenTable(context, input);  // its errors first
  std::string query = "SELECT * FROM " + Call(input);
  const auto filter = input.named_parameters.find(ToSqlName(kFilter));
  if (filter != input.named_parameters.end() && !filter->second.IsNull()) {
    query += " WHERE (" + filter->second.GetValue<std::string>() + "\n)";
  }
  duckdb::Parser parser = MakeParser(context);
  parser.ParseQuery(query);
  if (parser.statements.size() != 1) throw duckdb::BinderException("filter is one condition");
  duckdb::Planner planner(context);
  planner.CreatePlan(std::move(parser.statements[0]));
  duckdb::Optimizer optimizer(*planner.binder, context);
  const auto plan = optimizer.Optimize(std::move(planner.plan));
  auto data = duckdb::make_uniq<PlanBindData>();
  const PaimonFileList* files = FindScan(*plan);
  data->rows = files != nullptr ? PlanRows(files->source(), files->plan()) : EmptyPlanRows();
  return data;
}

void ExecutePlan(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  EmitRows(input.bind_data->Cast<PlanBindData>().rows, input.global_state->Cast<PlanState>().next, output);
}

}  // namespace

void RegisterTableFunctions(duckdb::DatabaseInstance& database, std::shared_ptr<Session> session) {
  duckdb::ExtensionLoader loader(database, "paimon");
  const auto info = duckdb::make_shared_ptr<TableFunctionContext>(std::move(session));
  const duckdb::vector<duckdb::LogicalType> arguments{duckdb::LogicalType::VARCHAR};
  duckdb::TableFunction scan(ToSqlName(kScan), arguments, nullptr);
  scan.bind_operator = BindScan;
  scan.function_info = info;
  AddScanParameters(scan);
  loader.RegisterFunction(std::move(scan));

  duckdb::TableFunction plan(
      ToSqlName(kPlan), arguments, ExecutePlan, BindPlan,
      [](duckdb::ClientContext&, duckdb::TableFunctionInitInput&) -> duckdb::unique_ptr<duckdb::GlobalTableFunctionState> {
        return duckdb::make_uniq<PlanState>();
      });
  plan.function_info = info;
  AddScanParameters(plan);
  AddNamedParameter(plan, kFilter, duckdb::LogicalType::VARCHAR);
  loader.RegisterFunction(std::move(plan));
}

}  // namespace bactrian::sql
