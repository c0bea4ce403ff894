#pragma once

#include "duckdb/common/multi_file/multi_file_data.hpp"
#include "scan_source.h"

namespace bactrian::sql {

/// The table's columns for DuckDB's mapper. A column's identifier is its field id, and so on down nested structs; a column that
/// a file lacks is NULL.
duckdb::vector<duckdb::MultiFileColumnDefinition> GlobalColumns(const ScanSource& source);

/// Gives the columns of an open Parquet file the field ids that `file_fields`, the schema it was written with, has for their
/// names. Ids in the file itself are not asked: older writers left them out.
void AssignFieldIds(duckdb::vector<duckdb::MultiFileColumnDefinition>& columns, const std::vector<Field>& file_fields);

/// Whether DuckDB decodes a file's column to the very values that the library would: `wanted` is the table's field, `columns`
/// have been through AssignFieldIds.
bool DecodesAlike(const Field& wanted, const std::vector<Field>& file_fields,
                  const duckdb::vector<duckdb::MultiFileColumnDefinition>& columns);

}  // namespace bactrian::sql
