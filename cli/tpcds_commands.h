#pragma once

#include <CLI/CLI.hpp>

namespace bactrian::cli {

/// The command `tpcds` with load, run and compare.
void AddTpcds(CLI::App& app);

}  // namespace bactrian::cli
