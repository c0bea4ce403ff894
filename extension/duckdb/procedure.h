#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/table.h"
#include "bactrian/write.h"
#include "compat.h"

namespace bactrian::sql {

class PaimonCatalog;
class PaimonTableEntry;

using Columns = std::vector<std::pair<std::string, duckdb::LogicalType>>;

/// One call: the table it names, at its newest schema, and its other arguments by parameter name. NULL counts as not given.
struct ProcedureCall {
  duckdb::ClientContext& context;
  PaimonCatalog& catalog;
  std::shared_ptr<Table> table;
  const std::map<std::string, duckdb::Value>& arguments;

  std::optional<duckdb::Value> Find(const std::string& parameter) const;
  std::optional<std::string> Text(const std::string& parameter) const;
  std::optional<int64_t> Integer(const std::string& parameter) const;
  bool Flag(const std::string& parameter) const;
  /// Throws if it was not given.
  std::string RequireText(const std::string& parameter) const;
  /// Milliseconds from a TIMESTAMP WITH TIME ZONE until now.
  std::optional<int64_t> MillisSince(const std::string& parameter) const;
  /// The partitions of "a=1,b=x;a=2" (the reference's spelling); one empty spec if the parameter was not given.
  std::vector<PartitionSpec> Partitions(const std::string& parameter) const;
};

using Rows = std::vector<std::vector<duckdb::Value>>;

/// The rows from `next` on that fit into a chunk; `next` moves behind them.
void EmitRows(const Rows& rows, size_t& next, duckdb::DataChunk& chunk);

/// What CALL catalog.sys.<name>(…) does. The first parameter is always `table`.
struct Procedure {
  std::string name;
  Columns parameters;
  Columns result;
  std::function<Rows(const ProcedureCall&)> run;
};

/// All procedures but `overwrite`, which is planned like an INSERT.
const std::vector<Procedure>& Procedures();

/// The catalog entry of a procedure under `schema` (the catalog's `sys`); nullptr if there is none of this name.
duckdb::unique_ptr<duckdb::CatalogEntry> MakeProcedureEntry(PaimonCatalog& catalog, duckdb::SchemaCatalogEntry& schema,
                                                            const std::string& name);

/// A table by the text "table", "database.table" or "catalog.database.table", whose parts may be quoted.
Identifier ResolveTableText(duckdb::ClientContext& context, PaimonCatalog& catalog, const std::string& text);

/// The table as the transaction sees it, with what the session chose to read.
PaimonTableEntry& FindTableEntry(duckdb::ClientContext& context, PaimonCatalog& catalog, const Identifier& identifier);

/// "a=1,b=x" for a table; the option partition.default-name stands for NULL.
PartitionSpec ParsePartitionText(const TableSchema& schema, const std::string& text);

}  // namespace bactrian::sql
