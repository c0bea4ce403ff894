#include "command_options.h"

#include <iostream>

#include "engine.h"

namespace bactrian::cli {

const std::map<std::string, OutputFormat> kFormats{
    {"box", OutputFormat::kBox}, {"csv", OutputFormat::kCsv}, {"json", OutputFormat::kJson}};

CLI::Option* AddWarehouse(CLI::App& command, std::string& warehouse) {
  return command.add_option("-w,--warehouse", warehouse, "the folder that holds the databases")->envname("BACTRIAN_WAREHOUSE");
}

void AddFormat(CLI::App& command, OutputFormat& format, const std::map<std::string, OutputFormat>& formats) {
  std::string names;
  for (const auto& [name, value] : formats) names += (names.empty() ? "" : ", ") + name;
  command.add_option("--format", format, "output: " + names + " (default: as a table on a terminal, else csv)")
      ->transform(CLI::Transformer(formats, CLI::ignore_case))
      ->type_name("FORMAT");
}

void PrintSql(const std::string& warehouse, bool read_only, const std::string& sql, OutputFormat format) {
  Engine engine({.warehouse = warehouse, .read_only = read_only});
  engine.Run(sql, [&](duckdb::QueryResult& result) { PrintResult(*engine.connection().context, result, format, std::cout); });
}

}  // namespace bactrian::cli
