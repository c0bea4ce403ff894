#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "result_printer.h"

namespace bactrian::cli {

/// --warehouse, or the environment's BACTRIAN_WAREHOUSE.
CLI::Option* AddWarehouse(CLI::App& command, std::string& warehouse);

/// --format of commands that print what SQL gives.
extern const std::map<std::string, OutputFormat> kFormats;
void AddFormat(CLI::App& command, OutputFormat& format, const std::map<std::string, OutputFormat>& formats = kFormats);

/// Runs SQL over a warehouse and prints every result.
void PrintSql(const std::string& warehouse, bool read_only, const std::string& sql, OutputFormat format);

}  // namespace bactrian::cli
