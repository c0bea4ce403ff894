#pragma once

#include <optional>
#include <string>

#include "bactrian/write.h"
#include "compat.h"
#include "duckdb/planner/operator/logical_insert.hpp"

namespace bactrian::sql {

class PaimonCatalog;

constexpr char kOverwriteProcedure[] = "overwrite";

/// CALL catalog.sys.overwrite(table, query, partition => …, dynamic => …): INSERT OVERWRITE, which SQL in DuckDB cannot say.
/// The query's columns are the table's in order, without those that `partition` fixes.
duckdb::TableFunction MakeOverwriteFunction(PaimonCatalog& catalog);

/// An INSERT that replaces what is there.
class LogicalOverwrite final : public duckdb::LogicalInsert {
 public:
  LogicalOverwrite(LogicalInsert& insert, BindIndex bind_index, OverwriteSpec spec);

  const OverwriteSpec& spec() const { return spec_; }
  duckdb::vector<duckdb::ColumnBinding> GetColumnBindings() override;

 private:
  OverwriteSpec spec_;
};

}  // namespace bactrian::sql
