#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bactrian/scan.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// A plan over the data files of a table.
class TablePlan final : public Plan {
 public:
  TablePlan(std::shared_ptr<const ReadSpec> spec, std::optional<int64_t> snapshot_id,
            std::vector<std::shared_ptr<const Split>> splits, PlanMetrics metrics, bool filtered)
      : spec_(std::move(spec)), snapshot_id_(snapshot_id), splits_(std::move(splits)), metrics_(metrics), filtered_(filtered) {}

  std::optional<int64_t> snapshot_id() const override { return snapshot_id_; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return spec_->schema; }
  const std::vector<std::shared_ptr<const Split>>& splits() const override { return splits_; }
  const PlanStatistics& statistics() const override;  ///< computed by the first call
  const PlanMetrics& metrics() const override { return metrics_; }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const Split& split) const override;
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAll() const override;

 private:
  std::shared_ptr<const ReadSpec> spec_;
  std::optional<int64_t> snapshot_id_;
  std::vector<std::shared_ptr<const Split>> splits_;
  PlanMetrics metrics_;
  bool filtered_;  ///< the predicate may drop rows of the splits
  mutable std::once_flag statistics_once_;
  mutable PlanStatistics statistics_;
};

/// Plans a scan of a table's data files (format reference: query.md §1–3).
arrow::Result<std::shared_ptr<Plan>> PlanTable(const TableContext& context, std::shared_ptr<Session> session, const Scan& scan);
/// The same for a part of the history that the caller chose, of this branch alone.
arrow::Result<std::shared_ptr<Plan>> PlanTarget(const TableContext& context, std::shared_ptr<Session> session, const Scan& scan,
                                                const ScanTarget& target);

}  // namespace bactrian
