#include "bactrian/merge/computed_rows.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "bactrian/merge/gather.h"

namespace bactrian {

std::vector<std::shared_ptr<arrow::Array>> ColumnOf(const Groups& groups, int index) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  columns.reserve(groups.sources.size());
  for (const auto& source : groups.sources) columns.push_back(source->column(index));
  return columns;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BuildComputedRows(
    const KeyValueLayout& layout, const Groups& groups, const std::vector<int8_t>& kinds,
    std::span<const std::shared_ptr<const Aggregator>> aggregators, std::span<const AggregateSteps* const> steps,
    arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto schema, layout.ArrowSchema());
  std::vector<Segment> last_records;
  last_records.reserve(groups.num_groups());
  for (int64_t g = 0; g < groups.num_groups(); ++g) {
    const RowRef& last = groups.rows[groups.offsets[g + 1] - 1];
    last_records.push_back({last.source, last.row, 1});
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int c = 0; c <= layout.sequence_index(); ++c) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                          Gather(schema->field(c)->type(), ColumnOf(groups, c), last_records, groups.num_groups(), pool));
  }
  arrow::Int8Builder kind_builder(pool);
  ARROW_RETURN_NOT_OK(kind_builder.AppendValues(kinds));
  ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), kind_builder.Finish());
  for (size_t v = 0; v < aggregators.size(); ++v) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                          aggregators[v]->Run(ColumnOf(groups, layout.value_index(static_cast<int>(v))), *steps[v], pool));
  }
  return arrow::RecordBatch::Make(schema, groups.num_groups(), std::move(columns));
}

}  // namespace bactrian
