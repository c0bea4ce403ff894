#include "bactrian/table/read/batch_plan.h"

#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <set>
#include <string>

#include "bactrian/expr/evaluate.h"
#include "bactrian/table.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {
namespace {

class BatchSplit final : public Split {
 public:
  explicit BatchSplit(int64_t rows) : rows_(rows) {}
  int64_t row_count() const override { return rows_; }
  int64_t bytes() const override { return 0; }
  int num_files() const override { return 0; }
  int32_t bucket() const override { return 0; }
  const std::string& bucket_path() const override { return path_; }
  const std::vector<Value>& partition() const override { return partition_; }
  std::optional<int64_t> exact_row_count() const override { return rows_; }

 private:
  int64_t rows_;
  std::string path_;
  std::vector<Value> partition_;
};

class BatchPlan final : public Plan {
 public:
  BatchPlan(std::shared_ptr<arrow::RecordBatch> rows, std::optional<int64_t> snapshot_id, int64_t batch_rows)
      : rows_(std::move(rows)), schema_(rows_->schema()), snapshot_id_(snapshot_id), batch_rows_(batch_rows) {
    if (rows_->num_rows() > 0) splits_.push_back(std::make_shared<BatchSplit>(rows_->num_rows()));
    statistics_.row_count_precision = Precision::kExact;
    statistics_.row_count = rows_->num_rows();
  }

  std::optional<int64_t> snapshot_id() const override { return snapshot_id_; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  const std::vector<std::shared_ptr<const Split>>& splits() const override { return splits_; }
  const PlanStatistics& statistics() const override { return statistics_; }
  const PlanMetrics& metrics() const override { return metrics_; }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const Split&) const override { return ReadAll(); }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAll() const override {
    arrow::RecordBatchVector batches;
    for (int64_t row = 0; row < rows_->num_rows(); row += batch_rows_) batches.push_back(rows_->Slice(row, batch_rows_));
    return arrow::RecordBatchReader::Make(std::move(batches), schema_);
  }

 private:
  std::shared_ptr<arrow::RecordBatch> rows_;
  std::shared_ptr<arrow::Schema> schema_;
  std::optional<int64_t> snapshot_id_;
  int64_t batch_rows_;
  std::vector<std::shared_ptr<const Split>> splits_;
  PlanStatistics statistics_;
  PlanMetrics metrics_;
};

}  // namespace

arrow::Result<std::vector<Field>> SelectedFields(const Scan& scan, std::span<const Field> fields) {
  if (!scan.columns()) return std::vector<Field>(fields.begin(), fields.end());
  std::vector<Field> selected;
  std::set<std::string_view> seen;
  for (const std::string& name : *scan.columns()) {
    auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
    if (found == fields.end()) return Invalid("table ", scan.table()->identifier().ToString(), " has no column '", name, "'");
    if (!seen.insert(name).second) return Invalid("column ", name, " is selected twice");
    selected.push_back(*found);
  }
  return selected;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> SelectColumns(const arrow::RecordBatch& batch,
                                                                 const std::shared_ptr<arrow::Schema>& schema,
                                                                 arrow::MemoryPool* pool) {
  arrow::ArrayVector columns;
  for (const auto& field : schema->fields()) {
    std::shared_ptr<arrow::Array> column = batch.GetColumnByName(field->name());
    if (!column->type()->Equals(*field->type())) {
      arrow::compute::ExecContext context(pool);
      ARROW_ASSIGN_OR_RAISE(column,
                            arrow::compute::Cast(*column, field->type(), arrow::compute::CastOptions::Safe(), &context));
    }
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(schema, batch.num_rows(), std::move(columns));
}

arrow::Result<std::shared_ptr<Plan>> MakeBatchPlan(const Scan& scan, std::span<const Field> fields,
                                                   std::shared_ptr<arrow::RecordBatch> rows, std::optional<int64_t> snapshot_id,
                                                   arrow::MemoryPool* pool) {
  if (scan.predicate()) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const BoundPredicate> bound, BoundPredicate::Bind(scan.predicate(), fields));
    std::vector<uint8_t> mask(rows->num_rows());
    ARROW_RETURN_NOT_OK(bound->Evaluate(*rows, mask.data()));
    ARROW_ASSIGN_OR_RAISE(rows, FilterByMask(rows, mask.data(), pool));
  }
  if (scan.limit() && rows->num_rows() > *scan.limit()) rows = rows->Slice(0, *scan.limit());
  ARROW_ASSIGN_OR_RAISE(std::vector<Field> selected, SelectedFields(scan, fields));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> schema, BatchSchema(selected, scan.string_views()));
  ARROW_ASSIGN_OR_RAISE(rows, SelectColumns(*rows, schema, pool));
  return std::make_shared<BatchPlan>(std::move(rows), snapshot_id, scan.batch_rows());
}

}  // namespace bactrian
