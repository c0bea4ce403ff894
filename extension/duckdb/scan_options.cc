#include "scan_options.h"

#include <algorithm>

#include "bactrian/table.h"
#include "bactrian/table/plan/scan_target.h"
#include "errors.h"

namespace bactrian::sql {

namespace {

constexpr const char* kScanOptions[] = {"scan.mode",
                                        "scan.snapshot-id",
                                        "scan.tag-name",
                                        "scan.version",
                                        "scan.timestamp",
                                        "scan.timestamp-millis",
                                        "scan.watermark",
                                        "scan.creation-time-millis",
                                        "scan.file-creation-time-millis",
                                        "incremental-between",
                                        "incremental-between-timestamp",
                                        "incremental-between-scan-mode",
                                        "incremental-to-auto-tag"};
constexpr char kOptionsParameter[] = "options";

/// "scan_snapshot_id" for "scan.snapshot-id".
std::string ParameterName(std::string option) {
  std::replace_if(
      option.begin(), option.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return option;
}

std::string SettingName(const std::string& option) { return "paimon_" + ParameterName(option); }

}  // namespace

void RegisterScanSettings(duckdb::DBConfig& config) {
  for (const char* option : kScanOptions) {
    config.AddExtensionOption(ToSqlName(SettingName(option)),
                              "option " + std::string(option) + " of every Paimon table that is read",
                              duckdb::LogicalType::VARCHAR);
  }
}

Options SessionScanOptions(duckdb::ClientContext& context) {
  Options options;
  for (const char* option : kScanOptions) {
    duckdb::Value value;
    if (context.TryGetCurrentSetting(ToSqlName(SettingName(option)), value) && !value.IsNull())
      options[option] = value.ToString();
  }
  return options;
}

void AddScanParameters(duckdb::TableFunction& function) {
  for (const char* option : kScanOptions) {
    AddNamedParameter(function, ParameterName(option), duckdb::LogicalType::ANY);  // 2.0 casts no number to text unasked
  }
  AddNamedParameter(function, kOptionsParameter,
                    duckdb::LogicalType::MAP(duckdb::LogicalType::VARCHAR, duckdb::LogicalType::VARCHAR));
}

Options ScanOptionsOf(duckdb::ClientContext& context, const NamedParameters& parameters) {
  Options options;
  for (const char* option : kScanOptions) {
    const auto found = parameters.find(ToSqlName(ParameterName(option)));
    if (found != parameters.end() && !found->second.IsNull()) options[option] = found->second.ToString();
  }
  const auto others = parameters.find(ToSqlName(kOptionsParameter));
  if (others != parameters.end() && !others->second.IsNull()) {
    for (const duckdb::Value& entry : duckdb::MapValue::GetChildren(others->second)) {
      const auto& pair = duckdb::StructValue::GetChildren(entry);
      if (pair[1].IsNull()) throw duckdb::InvalidInputException("option %s is NULL", pair[0].ToString());
      options[pair[0].ToString()] = pair[1].ToString();
    }
  }
  // A scan that says which state it reads has the whole say; else the session's part comes in.
  if (!NamesScanTarget(options)) options.merge(SessionScanOptions(context));
  return options;
}

std::shared_ptr<Table> WritableTable(bactrian::Catalog& catalog, const std::shared_ptr<Table>& table) {
  if (!NamesScanTarget(table->schema()->options)) return table;
  std::shared_ptr<Table> latest = ValueOrThrow(catalog.GetTable(table->identifier()));
  if (latest->schema()->id == table->schema()->id) return latest;
  throw duckdb::InvalidInputException(
      "table \"%s\" is read at an earlier schema (SET paimon_…): RESET that before writing to it", table->identifier().object);
}

}  // namespace bactrian::sql
