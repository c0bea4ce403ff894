#include "changes_function.h"

#include <string>
#include <vector>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/common/types/timestamp.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "errors.h"
#include "multi_file_reader.h"
#include "paimon_catalog.h"
#include "scan_function.h"

namespace bactrian::sql {

namespace {

constexpr char kChanges[] = "paimon_changes";

/// The parts of a name of SQL: "a"."b c".d
std::vector<std::string> NameParts(const std::string& text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool doubled = quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"';
    if (text[i] == '"' && !doubled) {
      quoted = !quoted;
    } else if (text[i] == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
      i += doubled ? 1 : 0;
    }
  }
  return parts;
}

/// The audit log of a table named "[catalog.][database.]table", under these options.
std::shared_ptr<Table> OpenLog(duckdb::ClientContext& context, const std::string& text, const Options& options) {
  std::vector<std::string> parts = NameParts(text);
  if (parts.size() > 3) throw duckdb::BinderException("%s: \"%s\" is no name of a table", kChanges, text);
  if (parts.size() < 2) parts.insert(parts.begin(), PaimonCatalog::kDefaultDatabase);
  if (parts.size() < 3) parts.insert(parts.begin(), std::string());  // the catalog of USE
  auto& catalog = duckdb::Catalog::GetCatalog(context, ToSqlName(parts[0]));
  if (catalog.GetCatalogType() != "paimon") {
    throw duckdb::BinderException("%s reads tables of Paimon catalogs, which \"%s\" is not", kChanges, text);
  }
  Identifier log{parts[1], parts[2]};
  if (log.system_table()) throw duckdb::BinderException("%s does not read system tables", kChanges);
  log.object += "$audit_log";
  return ValueOrThrow(catalog.Cast<PaimonCatalog>().catalog().GetTable(log, options));
}

bool IsTime(const duckdb::Value& value) {
  return value.type().id() == duckdb::LogicalTypeId::TIMESTAMP || value.type().id() == duckdb::LogicalTypeId::TIMESTAMP_TZ;
}

std::string PositionText(const duckdb::Value& value) {
  if (value.IsNull()) throw duckdb::BinderException("%s needs a start and an end, not NULL", kChanges);
  if (!IsTime(value)) return value.ToString();
  return std::to_string(duckdb::Timestamp::GetEpochMs(duckdb::timestamp_t(value.GetValueUnsafe<int64_t>())));
}

Options RangeOptions(const duckdb::vector<duckdb::Value>& inputs) {
  if (IsTime(inputs[1]) != IsTime(inputs[2])) {
    throw duckdb::BinderException("%s takes two snapshots, two tags or two timestamps", kChanges);
  }
  Options options;
  options[IsTime(inputs[1]) ? "incremental-between-timestamp" : "incremental-between"] =
      PositionText(inputs[1]) + "," + PositionText(inputs[2]);
  if (inputs.size() > 3 && !inputs[3].IsNull()) options["incremental-between-scan-mode"] = inputs[3].ToString();
  return options;
}

duckdb::unique_ptr<duckdb::LogicalOperator> Bind(duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
                                                 BindIndex bind_index, duckdb::vector<SqlName>& names) {
  if (input.inputs[0].IsNull()) throw duckdb::BinderException("%s needs a table, not NULL", kChanges);
  const std::shared_ptr<const ScanSource> source =
      ScanSource::Make(OpenLog(context, input.inputs[0].ToString(), RangeOptions(input.inputs)));
  duckdb::vector<duckdb::LogicalType> types;
  for (const ScanSource::Column& column : source->columns) {
    names.push_back(ToSqlName(column.name));
    types.push_back(column.type);
  }
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
  duckdb::TableFunction scan = MakeScanFunction(context, PaimonFileList::Make(source), nullptr, bind_data);
  auto get = duckdb::make_uniq<duckdb::LogicalGet>(bind_index, BoundFunction(std::move(scan)), std::move(bind_data),
                                                   std::move(types), names, PaimonVirtualColumns());
  for (duckdb::idx_t i = 0; i < names.size(); ++i) get->AddColumnId(i);
  return get;
}

}  // namespace

void RegisterChangesFunction(duckdb::DatabaseInstance& database) {
  duckdb::TableFunctionSet changes(kChanges);
  duckdb::vector<duckdb::LogicalType> arguments = {duckdb::LogicalType::VARCHAR, duckdb::LogicalType::ANY,
                                                   duckdb::LogicalType::ANY};
  for (const bool with_mode : {false, true}) {
    if (with_mode) arguments.push_back(duckdb::LogicalType::VARCHAR);
    duckdb::TableFunction function(kChanges, arguments, nullptr);
    function.bind_operator = Bind;
    changes.AddFunction(std::move(function));
  }
  duckdb::ExtensionLoader loader(database, "paimon");
  loader.RegisterFunction(std::move(changes));
}

}  // namespace bactrian::sql
