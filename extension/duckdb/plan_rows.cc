#include "plan_rows.h"

#include "bactrian/value.h"

namespace bactrian::sql {

namespace {

using duckdb::LogicalType;
using duckdb::Value;

std::vector<Value> Row(const char* step, Value detail, std::optional<int64_t> files, std::optional<int64_t> rows = std::nullopt,
                       std::optional<int64_t> bytes = std::nullopt) {
  const auto number = [](const std::optional<int64_t>& n) { return n ? Value::BIGINT(*n) : Value(LogicalType::BIGINT); };
  return {Value(step), std::move(detail), number(files), number(rows), number(bytes)};
}

const Value kNoDetail(LogicalType::VARCHAR);

/// "day=2024-01-01/hour=3 bucket 0".
std::string SplitText(const ScanSource& source, const Split& split) {
  std::string text;
  const std::vector<Field> keys = source.table->schema()->PartitionFields();
  for (size_t i = 0; i < keys.size() && i < split.partition().size(); ++i) {
    text += (text.empty() ? "" : "/") + keys[i].name + "=" + FormatValue(split.partition()[i], *keys[i].type);
  }
  return text + (text.empty() ? "" : " ") + "bucket " + std::to_string(split.bucket());
}

const char* PrecisionName(Precision precision) {
  switch (precision) {
    case Precision::kExact:
      return "exact";
    case Precision::kBound:
      return "at most";
    case Precision::kAbsent:
      break;
  }
  return "unknown";
}

}  // namespace

Columns PlanColumns() {
  return {{"step", LogicalType::VARCHAR},
          {"detail", LogicalType::VARCHAR},
          {"files", LogicalType::BIGINT},
          {"rows", LogicalType::BIGINT},
          {"bytes", LogicalType::BIGINT}};
}

Rows PlanRows(const ScanSource& source, const Plan& plan) {
  const PlanMetrics& metrics = plan.metrics();
  const PlanStatistics& statistics = plan.statistics();
  Rows rows;
  rows.push_back(Row("snapshot", plan.snapshot_id() ? Value(std::to_string(*plan.snapshot_id())) : kNoDetail, std::nullopt));
  rows.push_back(Row("manifests", kNoDetail, metrics.manifests_total));
  rows.push_back(Row("manifests read", kNoDetail, metrics.manifests_read));
  rows.push_back(Row("files of these", kNoDetail, metrics.files_total));
  rows.push_back(Row("after partitions", kNoDetail, metrics.files_after_partition));
  rows.push_back(Row("after buckets", kNoDetail, metrics.files_after_bucket));
  rows.push_back(Row("after bounds", kNoDetail, metrics.files_after_stats));
  rows.push_back(Row("after file indexes", kNoDetail, metrics.files_after_index));
  const bool counted = statistics.row_count_precision != Precision::kAbsent;
  rows.push_back(Row("kept", Value(std::string("rows: ") + PrecisionName(statistics.row_count_precision)), metrics.files_kept,
                     counted ? std::optional(statistics.row_count) : std::nullopt, statistics.bytes));
  for (const auto& split : plan.splits()) {
    rows.push_back(Row("split", Value(SplitText(source, *split)), split->num_files(),
                       split->exact_row_count().value_or(split->row_count()), split->bytes()));
  }
  return rows;
}

Rows EmptyPlanRows() { return {Row("kept", Value("no row can match"), 0, 0, 0)}; }

}  // namespace bactrian::sql
