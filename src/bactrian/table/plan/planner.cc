#include <algorithm>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/table/plan/branches.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/plan/split_planner.h"
#include "bactrian/table/plan/table_plan.h"

namespace bactrian {
namespace {

arrow::Result<std::shared_ptr<const ReadSpec>> MakeReadSpec(const TableContext& context, std::shared_ptr<Session> session,
                                                            const Scan& scan) {
  auto spec = std::make_shared<ReadSpec>();
  spec->context = context;
  spec->session = std::move(session);
  spec->predicate = scan.predicate() ? scan.predicate() : Predicate::True();
  spec->limit = scan.limit();
  spec->batch_rows = scan.batch_rows();
  constexpr int64_t kReadersInMemory = 16;  // that may read ahead at once within the session's limit
  if (const int64_t limit = spec->session->options().memory_limit_bytes; limit > 0) {
    spec->read_ahead_bytes = std::min(spec->read_ahead_bytes, limit / kReadersInMemory);
  }
  spec->string_views = scan.string_views();
  spec->pruning = scan.pruning();
  spec->keep_deletes = scan.keep_deletes();
  if (spec->batch_rows <= 0) return Invalid("a batch must hold at least one row, not ", spec->batch_rows);
  if (spec->limit && *spec->limit < 0) return Invalid("the limit must not be negative, as ", *spec->limit, " is");
  ARROW_RETURN_NOT_OK(SelectFields(scan.columns(), spec.get()));
  ARROW_RETURN_NOT_OK(BoundPredicate::Bind(spec->predicate, context.schema->fields).status());
  return spec;
}

std::shared_ptr<Plan> MakeTablePlan(std::shared_ptr<const ReadSpec> spec, std::optional<int64_t> snapshot_id,
                                    PlannedSplits planned) {
  const bool filtered = FiltersRows(*spec);
  return std::make_shared<TablePlan>(std::move(spec), snapshot_id, std::move(planned.splits), planned.metrics, filtered);
}

}  // namespace

arrow::Result<std::shared_ptr<Plan>> PlanTarget(const TableContext& context, std::shared_ptr<Session> session, const Scan& scan,
                                                const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const ReadSpec> spec, MakeReadSpec(context, std::move(session), scan));
  ARROW_ASSIGN_OR_RAISE(PlannedSplits planned, SplitPlanner(*spec).Plan(target));
  const auto id = target.snapshot ? std::optional(target.snapshot->id) : std::nullopt;
  return MakeTablePlan(std::move(spec), id, std::move(planned));
}

arrow::Result<std::shared_ptr<Plan>> PlanTable(const TableContext& context, std::shared_ptr<Session> session,
                                               const Scan& scan) {
  ARROW_ASSIGN_OR_RAISE(const ScanTarget target, ResolveScanTarget(context));
  ARROW_ASSIGN_OR_RAISE(const bool combines, CombinesBranches(context));
  const bool reads_state = !target.changes_of && !target.since;
  if (!combines || !reads_state) return PlanTarget(context, std::move(session), scan, target);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const ReadSpec> spec, MakeReadSpec(context, std::move(session), scan));
  ARROW_ASSIGN_OR_RAISE(PlannedSplits planned, PlanBranches(*spec, target));
  const auto id = target.snapshot ? std::optional(target.snapshot->id) : std::nullopt;
  return MakeTablePlan(std::move(spec), id, std::move(planned));
}

}  // namespace bactrian
