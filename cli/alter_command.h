#pragma once

#include <CLI/CLI.hpp>

namespace bactrian::cli {

/// The command `alter`: schema changes in Paimon's own terms.
void AddAlter(CLI::App& app);

}  // namespace bactrian::cli
