#include "procedure.h"

#include <algorithm>

#include "bactrian/base/wall_clock.h"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/catalog/catalog_search_path.hpp"
#include "duckdb/main/client_data.hpp"
#include "duckdb/parser/parsed_data/create_table_function_info.hpp"
#include "duckdb/parser/qualified_name.hpp"
#include "duckdb/planner/binder.hpp"
#include "errors.h"
#include "overwrite.h"
#include "paimon_catalog.h"
#include "paimon_transaction.h"
#include "table_entry.h"

namespace bactrian::sql {

namespace {

constexpr char kTableParameter[] = "table";
constexpr char kDefaultPartitionName[] = "__DEFAULT_PARTITION__";

struct ProcedureInfo final : duckdb::TableFunctionInfo {
  ProcedureInfo(PaimonCatalog& paimon_catalog, const Procedure& called) : catalog(paimon_catalog), procedure(called) {}
  PaimonCatalog& catalog;
  const Procedure& procedure;
};

struct ProcedureBindData final : duckdb::FunctionData {
  ProcedureBindData(PaimonCatalog& paimon_catalog, const Procedure& called) : catalog(paimon_catalog), procedure(called) {}
  PaimonCatalog& catalog;
  const Procedure& procedure;
  std::map<std::string, duckdb::Value> arguments;

  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<ProcedureBindData>(*this); }
  bool Equals(const FunctionData& other) const override { return this == &other; }
  bool SupportStatementCache() const override { return false; }
};

struct ProcedureState final : duckdb::GlobalTableFunctionState {
  std::optional<Rows> rows;  ///< what the call did, once it has run
  size_t next = 0;
};

/// Arguments by name: positional ones are the first parameters, as the reference has it.
std::map<std::string, duckdb::Value> NamedArguments(duckdb::ClientContext& context, const Procedure& procedure,
                                                    const duckdb::TableFunctionBindInput& input) {
  std::map<std::string, duckdb::Value> arguments;
  for (const auto& [name, value] : input.named_parameters) {
    if (!value.IsNull()) arguments[duckdb::StringUtil::Lower(NameText(name))] = value;
  }
  if (input.inputs.size() > procedure.parameters.size()) {
    throw duckdb::BinderException("%s takes at most %d arguments", procedure.name, procedure.parameters.size());
  }
  for (size_t i = 0; i < input.inputs.size(); ++i) {
    const auto& [name, type] = procedure.parameters[i];
    if (arguments.count(name) > 0) throw duckdb::BinderException("%s: argument \"%s\" is given twice", procedure.name, name);
    arguments[name] = input.inputs[i].CastAs(context, type);
  }
  if (arguments.count(kTableParameter) == 0 || arguments[kTableParameter].IsNull()) {
    throw duckdb::BinderException("%s needs the argument \"table\"", procedure.name);
  }
  return arguments;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<duckdb::LogicalType>& types, duckdb::vector<SqlName>& names) {
  const auto& info = input.info->Cast<ProcedureInfo>();
  auto data = duckdb::make_uniq<ProcedureBindData>(info.catalog, info.procedure);
  data->arguments = NamedArguments(context, info.procedure, input);
  for (const auto& [name, type] : info.procedure.result) {
    names.push_back(ToSqlName(name));
    types.push_back(type);
  }
  // DuckDB then refuses the call for a read-only catalog.
  input.binder->GetStatementProperties().RegisterDBModify(info.catalog, context, duckdb::DatabaseModificationType::ALTER_TABLE);
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Init(duckdb::ClientContext&, duckdb::TableFunctionInitInput&) {
  return duckdb::make_uniq<ProcedureState>();
}

Rows RunProcedure(duckdb::ClientContext& context, const ProcedureBindData& data) {
  const Identifier identifier =
      ResolveTableText(context, data.catalog, data.arguments.at(kTableParameter).GetValue<std::string>());
  auto& transaction = PaimonTransaction::Get(context, data.catalog);
  transaction.CheckNoPendingRows(identifier);
  Rows rows =
      data.procedure.run({context, data.catalog, ValueOrThrow(data.catalog.catalog().GetTable(identifier)), data.arguments});
  transaction.ForgetTable(identifier);
  return rows;
}

void Execute(duckdb::ClientContext& context, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& state = input.global_state->Cast<ProcedureState>();
  if (!state.rows) state.rows = RunProcedure(context, input.bind_data->Cast<ProcedureBindData>());
  EmitRows(*state.rows, state.next, output);
}

}  // namespace

void EmitRows(const Rows& rows, size_t& next, duckdb::DataChunk& chunk) {
  const size_t count = std::min<size_t>(rows.size() - next, STANDARD_VECTOR_SIZE);
  SetSize(chunk, count);
  for (size_t i = 0; i < count; ++i, ++next) {
    for (size_t column = 0; column < rows[next].size(); ++column) chunk.data[column].SetValue(i, rows[next][column]);
  }
}

std::optional<duckdb::Value> ProcedureCall::Find(const std::string& parameter) const {
  const auto found = arguments.find(parameter);
  if (found == arguments.end() || found->second.IsNull()) return std::nullopt;
  return found->second;
}

std::optional<std::string> ProcedureCall::Text(const std::string& parameter) const {
  const auto value = Find(parameter);
  return value ? std::optional(value->GetValue<std::string>()) : std::nullopt;
}

std::optional<int64_t> ProcedureCall::Integer(const std::string& parameter) const {
  const auto value = Find(parameter);
  return value ? std::optional(value->GetValue<int64_t>()) : std::nullopt;
}

bool ProcedureCall::Flag(const std::string& parameter) const {
  const auto value = Find(parameter);
  return value && value->GetValue<bool>();
}

std::string ProcedureCall::RequireText(const std::string& parameter) const {
  const auto text = Text(parameter);
  if (!text) throw duckdb::InvalidInputException("the argument \"%s\" is needed", parameter);
  return *text;
}

std::optional<int64_t> ProcedureCall::MillisSince(const std::string& parameter) const {
  const auto value = Find(parameter);
  if (!value) return std::nullopt;
  const int64_t micros = value->GetValueUnsafe<int64_t>();
  const int64_t millis = WallClockMillis() - micros / 1000;
  if (millis < 0) throw duckdb::InvalidInputException("\"%s\" lies in the future", parameter);
  return millis;
}

std::vector<PartitionSpec> ProcedureCall::Partitions(const std::string& parameter) const {
  const auto text = Text(parameter);
  if (!text) return {PartitionSpec{}};
  if (text->find('=') == std::string::npos) {
    throw duckdb::InvalidInputException("partitions are \"key=value,…;…\", not \"%s\"", *text);
  }
  std::vector<PartitionSpec> specs;
  for (const std::string& part : duckdb::StringUtil::Split(*text, ';')) {
    specs.push_back(ParsePartitionText(*table->schema(), part));
  }
  return specs;
}

PartitionSpec ParsePartitionText(const TableSchema& schema, const std::string& text) {
  const auto option = schema.options.find("partition.default-name");
  const std::string null_name = option == schema.options.end() ? kDefaultPartitionName : option->second;
  std::map<std::string, std::optional<std::string>> values;
  for (const std::string& part : duckdb::StringUtil::Split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) throw duckdb::InvalidInputException("a partition is \"key=value,…\", not \"%s\"", text);
    std::string key = part.substr(0, equals), value = part.substr(equals + 1);
    duckdb::StringUtil::Trim(key);
    values[key] = value == null_name ? std::nullopt : std::optional(value);
  }
  if (values.empty()) throw duckdb::InvalidInputException("a partition is \"key=value,…\", not \"%s\"", text);
  return ValueOrThrow(ParsePartitionSpec(schema, values));
}

Identifier ResolveTableText(duckdb::ClientContext& context, PaimonCatalog& catalog, const std::string& text) {
  std::vector<std::string> parts;
  for (const auto& part : duckdb::QualifiedName::ParseComponents(text)) parts.push_back(NameText(part));
  if (parts.empty() || parts.size() > 3) throw duckdb::BinderException("\"%s\" is no name of a table", text);
  if (parts.size() == 3 && !duckdb::StringUtil::CIEquals(parts[0], NameText(catalog.GetName()))) {
    throw duckdb::BinderException("table \"%s\" is not of the catalog \"%s\"", text, NameText(catalog.GetName()));
  }
  std::string database = PaimonCatalog::kDefaultDatabase;
  if (parts.size() > 1) {
    database = parts[parts.size() - 2];
  } else if (const auto& path = duckdb::ClientData::Get(context).catalog_search_path->GetDefault();
             CatalogOf(path) == NameText(catalog.GetName())) {
    database = SchemaOf(path);
  }
  const LookupName lookup_name = ToLookupName(database);
  const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::SCHEMA_ENTRY, lookup_name);
  auto schema = catalog.LookupSchema(catalog.GetCatalogTransaction(context), lookup, duckdb::OnEntryNotFound::THROW_EXCEPTION);
  const std::optional<Identifier> identifier = schema->Cast<PaimonSchemaEntry>().Resolve(parts.back());
  if (!identifier) throw duckdb::CatalogException("Table with name %s does not exist!", text);
  return *identifier;
}

PaimonTableEntry& FindTableEntry(duckdb::ClientContext& context, PaimonCatalog& catalog, const Identifier& identifier) {
  const auto transaction = catalog.GetCatalogTransaction(context);
  const LookupName schema_name = ToLookupName(identifier.database), table_name = ToLookupName(identifier.object);
  auto schema = catalog.LookupSchema(transaction, duckdb::EntryLookupInfo(duckdb::CatalogType::SCHEMA_ENTRY, schema_name),
                                     duckdb::OnEntryNotFound::THROW_EXCEPTION);
  auto entry = schema->LookupEntry(transaction, duckdb::EntryLookupInfo(duckdb::CatalogType::TABLE_ENTRY, table_name));
  if (!entry) throw duckdb::CatalogException("Table with name %s does not exist!", identifier.ToString());
  return entry->Cast<PaimonTableEntry>();
}

duckdb::unique_ptr<duckdb::CatalogEntry> MakeProcedureEntry(PaimonCatalog& catalog, duckdb::SchemaCatalogEntry& schema,
                                                            const std::string& name) {
  std::optional<duckdb::TableFunction> function;
  if (name == kOverwriteProcedure) function = MakeOverwriteFunction(catalog);
  for (const Procedure& procedure : Procedures()) {
    if (procedure.name != name) continue;
    function.emplace(ToSqlName(name), duckdb::vector<duckdb::LogicalType>(), Execute, Bind, Init);
    AddVarargs(*function);
    for (const auto& [parameter, type] : procedure.parameters) AddNamedParameter(*function, parameter, type);
    function->function_info = duckdb::make_shared_ptr<ProcedureInfo>(catalog, procedure);
  }
  if (!function) return nullptr;
  duckdb::CreateTableFunctionInfo info(std::move(*function));
  return duckdb::make_uniq<duckdb::TableFunctionCatalogEntry>(catalog, schema, info);
}

}  // namespace bactrian::sql
