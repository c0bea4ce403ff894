#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <span>

#include "bactrian/scan.h"

namespace bactrian {

/// The plan of a scan whose rows are in memory already: `rows` has the columns `fields`. The scan's filter, columns and limit
/// are applied here.
arrow::Result<std::shared_ptr<Plan>> MakeBatchPlan(const Scan& scan, std::span<const Field> fields,
                                                   std::shared_ptr<arrow::RecordBatch> rows, std::optional<int64_t> snapshot_id,
                                                   arrow::MemoryPool* pool);

/// The columns of `batch` (of `fields`) that `schema` names, in its order and as its types (views of plain strings).
arrow::Result<std::shared_ptr<arrow::RecordBatch>> SelectColumns(const arrow::RecordBatch& batch,
                                                                 const std::shared_ptr<arrow::Schema>& schema,
                                                                 arrow::MemoryPool* pool);

/// The fields that a scan selects of `fields`, by name. kInvalid for an unknown or repeated one.
arrow::Result<std::vector<Field>> SelectedFields(const Scan& scan, std::span<const Field> fields);

}  // namespace bactrian
