#pragma once

#include <ostream>
#include <string>

#include "duckdb.hpp"

namespace bactrian::cli {

enum class OutputFormat { kBox, kCsv, kJson, kArrow };

/// Box on a terminal, CSV into a file or pipe.
OutputFormat DefaultFormat();

/// Writes a result in full. kBox: a frame, cut to the terminal's size; kCsv: a header line and RFC 4180 lines, NULL is an empty
/// field and the empty string is ""; kJson: an array of objects, one a line; kArrow: an IPC stream. A statement without
/// rows of its own prints nothing but, as a box, the number of rows it changed. Throws Failure.
void PrintResult(duckdb::ClientContext& context, duckdb::QueryResult& result, OutputFormat format, std::ostream& out);

/// One value as JSON text: numbers and booleans as such, binary as hexadecimal text, NaN and infinities as text, MAP as a list
/// of {key, value}.
std::string ToJson(const duckdb::Value& value);

}  // namespace bactrian::cli
