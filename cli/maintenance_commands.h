#pragma once

#include <CLI/CLI.hpp>

namespace bactrian::cli {

/// The commands that change what a table holds or keeps: overwrite, truncate, drop-partition, compact, expire, remove-orphans,
/// tag, branch, rollback.
void AddMaintenance(CLI::App& app);

}  // namespace bactrian::cli
