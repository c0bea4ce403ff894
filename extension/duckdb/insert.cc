#include "insert.h"

#include <arrow/record_batch.h>

#include <atomic>

#include "arrow_conversion.h"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/execution/operator/projection/physical_projection.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_create_table.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"
#include "errors.h"
#include "overwrite.h"
#include "paimon_catalog.h"
#include "paimon_transaction.h"
#include "scan_options.h"
#include "table_entry.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

/// Rows gathered before a writer sees them: enough to encode column by column, few enough to stay in cache.
constexpr int64_t kBatchRows = 32 * STANDARD_VECTOR_SIZE;

struct GlobalInsertState final : duckdb::GlobalSinkState {
  std::shared_ptr<Table> table;
  std::atomic<int64_t> rows{0};
};

struct LocalInsertState final : duckdb::LocalSinkState {
  explicit LocalInsertState(duckdb::ClientContext& client) : context(client) {}

  void Open(const std::shared_ptr<Table>& table, const std::optional<OverwriteSpec>& overwrite) {
    if (writer) return;
    WriteOptions options{.for_overwrite = overwrite.has_value()};
    if (overwrite) options.static_partition = overwrite->partition;
    builder = std::make_unique<ArrowBatchBuilder>(context, table->schema()->fields);
    writer = ValueOrThrow(table->NewWriter(options));
  }
  void Flush() {
    if (const std::shared_ptr<arrow::RecordBatch> batch = builder->Finish()) CheckOk(writer->Write(*batch));
  }

  duckdb::ClientContext& context;
  std::unique_ptr<Writer> writer;  ///< opened by the first row: threads without rows make no files
  std::unique_ptr<ArrowBatchBuilder> builder;
};

}  // namespace

PaimonInsert::PaimonInsert(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types, Target target,
                           duckdb::idx_t estimated_cardinality)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), estimated_cardinality),
      target_(std::move(target)) {}

duckdb::unique_ptr<duckdb::GlobalSinkState> PaimonInsert::GetGlobalSinkState(duckdb::ClientContext& context) const {
  auto state = duckdb::make_uniq<GlobalInsertState>();
  state->table = target_.table;
  auto& transaction = PaimonTransaction::Get(context, target_.catalog);
  if (target_.overwrite) {
    transaction.CheckNoPendingRows(target_.table->identifier());
    transaction.SetOverwrite(target_.table, *target_.overwrite);
  } else if (target_.table) {
    transaction.CheckNoOverwrite(target_.table->identifier());
  }
  if (!state->table) {
    auto entry = target_.schema->get().CreateTable(target_.catalog.GetCatalogTransaction(context), *target_.create);
    if (!entry) throw duckdb::CatalogException("table \"%s\" has been created meanwhile", TableNameOf(target_.create->Base()));
    state->table = entry->Cast<PaimonTableEntry>().table();
    transaction.AddCreatedTable(state->table->identifier());
  }
  return state;
}

duckdb::unique_ptr<duckdb::LocalSinkState> PaimonInsert::GetLocalSinkState(duckdb::ExecutionContext& context) const {
  return duckdb::make_uniq<LocalInsertState>(context.client);
}

duckdb::SinkResultType PaimonInsert::Sink(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                          duckdb::OperatorSinkInput& input) const {
  auto& global = input.global_state.Cast<GlobalInsertState>();
  auto& local = input.local_state.Cast<LocalInsertState>();
  local.Open(global.table, target_.overwrite);
  local.builder->Append(chunk);
  if (local.builder->num_rows() >= kBatchRows) local.Flush();
  global.rows += static_cast<int64_t>(chunk.size());
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType PaimonInsert::Combine(duckdb::ExecutionContext& context,
                                                    duckdb::OperatorSinkCombineInput& input) const {
  auto& local = input.local_state.Cast<LocalInsertState>();
  if (local.writer) {
    local.Flush();
    PaimonTransaction::Get(context.client, target_.catalog)
        .AddMessages(input.global_state.Cast<GlobalInsertState>().table, ValueOrThrow(local.writer->Finish()));
  }
  return duckdb::SinkCombineResultType::FINISHED;
}

duckdb::SourceResultType PaimonInsert::GetDataInternal(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                                       duckdb::OperatorSourceInput&) const {
  SetSize(chunk, 1);
  chunk.data[0].SetValue(0, duckdb::Value::BIGINT(sink_state->Cast<GlobalInsertState>().rows));
  return duckdb::SourceResultType::FINISHED;
}

duckdb::PhysicalOperator& PaimonCatalog::PlanInsert(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator& planner,
                                                    duckdb::LogicalInsert& op,
                                                    duckdb::optional_ptr<duckdb::PhysicalOperator> plan) {
  if (op.return_chunk) throw duckdb::NotImplementedException("INSERT … RETURNING is not supported for Paimon tables");
  if (op.on_conflict_info.action_type != duckdb::OnConflictAction::THROW) {
    throw duckdb::NotImplementedException("INSERT … ON CONFLICT is not supported for Paimon tables");
  }
  auto& entry = op.table.Cast<PaimonTableEntry>();
  for (const auto& column : entry.source().columns) CheckOk(column.error);
  if (!op.column_index_map.empty()) plan = planner.ResolveDefaultsProjection(op, *plan);
  PaimonInsert::Target target{*this, WritableTable(*catalog_, entry.table()), std::nullopt, nullptr, std::nullopt};
  if (const auto* overwrite = dynamic_cast<const LogicalOverwrite*>(&op)) target.overwrite = overwrite->spec();
  auto& insert = planner.Make<PaimonInsert>(op.types, std::move(target), op.estimated_cardinality);
  insert.children.push_back(*plan);
  return insert;
}

duckdb::PhysicalOperator& PaimonCatalog::PlanCreateTableAs(duckdb::ClientContext& context,
                                                           duckdb::PhysicalPlanGenerator& planner,
                                                           duckdb::LogicalCreateTable& op, duckdb::PhysicalOperator& plan) {
  // A query may give types that a table has others for (HUGEINT, UBIGINT, ENUM, …): cast to what the table will have.
  const Schema schema = ToPaimonSchema(context, op.info->Base());
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> columns;
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    types.push_back(ValueOrThrow(ToLogicalType(*schema.fields[i].type)));
    duckdb::unique_ptr<duckdb::Expression> column = duckdb::make_uniq<duckdb::BoundReferenceExpression>(plan.types[i], i);
    columns.push_back(duckdb::BoundCastExpression::AddCastToType(context, std::move(column), types.back()));
  }
  auto& source = types == plan.types
                     ? plan
                     : planner.Make<duckdb::PhysicalProjection>(types, std::move(columns), plan.estimated_cardinality);
  if (&source != &plan) source.children.push_back(plan);
  auto& insert = planner.Make<PaimonInsert>(op.types, PaimonInsert::Target{*this, nullptr, op.schema, std::move(op.info), {}},
                                            op.estimated_cardinality);
  insert.children.push_back(source);
  return insert;
}

}  // namespace bactrian::sql
