#pragma once

#include "bactrian/meta/batch_builder.h"
#include "bactrian/table/system/system_table.h"

namespace bactrian {

// Append all rows of a system table; columns as in system_fields.h.
arrow::Status ReadSnapshots(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadSchemas(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadOptions(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadTags(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadBranches(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadConsumers(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadStatistics(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadAggregationFields(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadManifests(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadFiles(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadFileKeyRanges(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadPartitions(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadBuckets(const SystemTableContext& context, BatchBuilder* rows);
arrow::Status ReadTableIndexes(const SystemTableContext& context, BatchBuilder* rows);

}  // namespace bactrian
