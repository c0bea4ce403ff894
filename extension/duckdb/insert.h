#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "bactrian/table.h"
#include "compat.h"
#include "duckdb/execution/physical_operator.hpp"

namespace bactrian::sql {

/// INSERT and CREATE TABLE AS: every thread writes files of its own; the transaction publishes them as one snapshot. Returns
/// the number of rows.
class PaimonInsert final : public duckdb::PhysicalOperator {
 public:
  struct Target {
    duckdb::Catalog& catalog;
    std::shared_ptr<Table> table;  ///< nullptr: `create` makes it when the statement runs
    std::optional<std::reference_wrapper<duckdb::SchemaCatalogEntry>> schema;
    duckdb::unique_ptr<duckdb::BoundCreateTableInfo> create;
    std::optional<OverwriteSpec> overwrite;  ///< nullopt: rows are added
  };

  PaimonInsert(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types, Target target,
               duckdb::idx_t estimated_cardinality);

  duckdb::string GetName() const override { return target_.table ? "PAIMON_INSERT" : "PAIMON_CREATE_TABLE_AS"; }

  bool IsSink() const override { return true; }
  bool ParallelSink() const override { return true; }
  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext& context) const override;
  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override;
  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext& context,
                                        duckdb::OperatorSinkCombineInput& input) const override;

  bool IsSource() const override { return true; }
  duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                                           duckdb::OperatorSourceInput& input) const override;

 private:
  Target target_;
};

}  // namespace bactrian::sql
