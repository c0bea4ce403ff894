/// Paimon's types and values as DuckDB's, and back (docs/sql.md, "Types").
#pragma once

#include <optional>

#include "bactrian/data_type.h"
#include "bactrian/value.h"
#include "compat.h"

namespace bactrian::sql {

/// The SQL type of a column. kUnsupported for what SQL cannot hold: BLOB, GEOMETRY, GEOGRAPHY, an empty
/// ROW, a VARIANT within another type.
arrow::Result<duckdb::LogicalType> ToLogicalType(const DataType& type);

/// The Paimon type that CREATE TABLE makes of a SQL type. kUnsupported when Paimon has none.
arrow::Result<TypePtr> FromLogicalType(const duckdb::LogicalType& type, bool nullable);

/// A constant of a column's SQL type as a value of its Paimon type; nullopt if there is no exact one.
std::optional<Value> ToPaimonValue(const duckdb::Value& constant, const DataType& type);

/// A value of `type` as one of ToLogicalType(type).
arrow::Result<duckdb::Value> FromPaimonValue(const Value& value, const DataType& type);

}  // namespace bactrian::sql
