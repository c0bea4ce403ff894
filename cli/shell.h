#pragma once

#include "engine.h"
#include "result_printer.h"

namespace bactrian::cli {

/// Reads statements from the terminal until .quit or the end of input, with history (kept in ~/.bactrian_history) and
/// completion of keywords, tables and columns. Errors are printed and the next statement is asked for; Ctrl-C stops a query
/// that runs.
void RunShell(Engine& engine, OutputFormat format);

}  // namespace bactrian::cli
