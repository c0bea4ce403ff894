#include "overwrite.h"

#include "duckdb/planner/binder.hpp"
#include "errors.h"
#include "paimon_catalog.h"
#include "procedure.h"
#include "table_entry.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

struct OverwriteInfo final : duckdb::TableFunctionInfo {
  explicit OverwriteInfo(PaimonCatalog& paimon_catalog) : catalog(paimon_catalog) {}
  PaimonCatalog& catalog;
};

std::string Quote(const std::string& name) { return '"' + duckdb::StringUtil::Replace(name, "\"", "\"\"") + '"'; }

duckdb::unique_ptr<duckdb::SQLStatement> ParseOne(duckdb::ClientContext& context, const std::string& text,
                                                  duckdb::StatementType type) {
  duckdb::Parser parser = MakeParser(context);
  parser.ParseQuery(text);
  if (parser.statements.size() != 1 || parser.statements[0]->type != type) {
    throw duckdb::InvalidInputException("overwrite takes one query, not: %s", text);
  }
  return std::move(parser.statements[0]);
}

/// INSERT INTO the table: the query's columns are those that the partition does not fix, in order.
std::string InsertText(const std::string& catalog, const Identifier& identifier, std::string query, const ScanSource& source,
                       const PartitionSpec& partition) {
  while (!query.empty() && (query.back() == ';' || duckdb::StringUtil::CharacterIsSpace(query.back()))) query.pop_back();
  const std::string insert =
      "INSERT INTO " + Quote(catalog) + "." + Quote(identifier.database) + "." + Quote(identifier.object) + " ";
  if (partition.empty()) return insert + "(" + query + "\n)";
  std::string columns, fixed_columns, values;
  for (size_t i = 0; i < source.columns.size(); ++i) {
    const auto fixed = partition.find(source.fields()[i].name);
    if (fixed == partition.end()) {
      columns += (columns.empty() ? "" : ", ") + Quote(source.columns[i].name);
      continue;
    }
    const duckdb::Value value = ValueOrThrow(FromPaimonValue(fixed->second, *source.fields()[i].type));
    fixed_columns += ", " + Quote(source.columns[i].name);
    values += ", " + value.ToSQLString();
  }
  return insert + "(" + columns + fixed_columns + ") SELECT *" + values + " FROM (" + query + "\n)";
}

duckdb::unique_ptr<duckdb::LogicalOperator> BindOverwrite(duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
                                                          BindIndex bind_index, duckdb::vector<SqlName>& names) {
  PaimonCatalog& catalog = input.info->Cast<OverwriteInfo>().catalog;
  if (input.inputs[0].IsNull() || input.inputs[1].IsNull())
    throw duckdb::BinderException("overwrite needs a table and a query");
  const Identifier identifier = ResolveTableText(context, catalog, input.inputs[0].GetValue<std::string>());
  PaimonTableEntry& entry = FindTableEntry(context, catalog, identifier);
  OverwriteSpec spec;
  for (const auto& [name, value] : input.named_parameters) {
    if (value.IsNull()) continue;
    if (duckdb::StringUtil::CIEquals(NameText(name), "dynamic")) {
      spec.dynamic = value.GetValue<bool>();
    } else {
      spec.partition = ParsePartitionText(*entry.table()->schema(), value.GetValue<std::string>());
    }
  }
  const std::string query = input.inputs[1].GetValue<std::string>();
  ParseOne(context, query, duckdb::StatementType::SELECT_STATEMENT);  // one query that stands on its own
  const auto insert_statement =
      ParseOne(context, InsertText(NameText(catalog.GetName()), identifier, query, entry.source(), spec.partition),
               duckdb::StatementType::INSERT_STATEMENT);
  const auto binder = duckdb::Binder::CreateBinder(context, input.binder);
  const auto plan = binder->Bind(*insert_statement).plan;
  auto& insert = plan->Cast<duckdb::LogicalInsert>();
  names.push_back(ToSqlName("Count"));
  input.binder->GetStatementProperties().return_type = duckdb::StatementReturnType::QUERY_RESULT;  // as of any CALL
  return duckdb::make_uniq<LogicalOverwrite>(insert, bind_index, std::move(spec));
}

}  // namespace

duckdb::TableFunction MakeOverwriteFunction(PaimonCatalog& catalog) {
  const duckdb::vector<duckdb::LogicalType> arguments{duckdb::LogicalType::VARCHAR, duckdb::LogicalType::VARCHAR};
  duckdb::TableFunction function(ToSqlName(kOverwriteProcedure), arguments, nullptr);
  function.bind_operator = BindOverwrite;
  AddNamedParameter(function, "partition", duckdb::LogicalType::VARCHAR);
  AddNamedParameter(function, "dynamic", duckdb::LogicalType::BOOLEAN);
  function.function_info = duckdb::make_shared_ptr<OverwriteInfo>(catalog);
  return function;
}

LogicalOverwrite::LogicalOverwrite(LogicalInsert& insert, BindIndex bind_index, OverwriteSpec spec)
    : LogicalInsert(insert.table, bind_index), spec_(std::move(spec)) {
  column_index_map = std::move(insert.column_index_map);
  expected_types = std::move(insert.expected_types);
  bound_defaults = std::move(insert.bound_defaults);
  bound_constraints = std::move(insert.bound_constraints);
  children = std::move(insert.children);
}

duckdb::vector<duckdb::ColumnBinding> LogicalOverwrite::GetColumnBindings() { return GenerateColumnBindings(table_index, 1); }

}  // namespace bactrian::sql
