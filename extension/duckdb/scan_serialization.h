/// Scans as bytes, within one process: DuckDB finds common parts of a query by comparing them, and copies plans through them.
#pragma once

#include "compat.h"
#include "duckdb/function/table_function.hpp"

namespace bactrian::sql {

/// Under which DuckDB finds the function of a scan again. Not to be called in SQL.
inline constexpr char kScanFunctionName[] = "paimon_table_scan";

/// Writes which source is scanned under which predicate: scans of the same rows give the same bytes.
void SerializeScan(duckdb::Serializer& serializer, const duckdb::optional_ptr<duckdb::FunctionData> bind_data,
                   const BoundFunction& function);
/// The scan anew. Throws if its source is gone: the bytes are good as long as the plan that they were made of.
duckdb::unique_ptr<duckdb::FunctionData> DeserializeScan(duckdb::Deserializer& deserializer, BoundFunction& function);

void RegisterScanFunction(duckdb::DatabaseInstance& database);

}  // namespace bactrian::sql
