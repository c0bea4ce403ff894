#pragma once

#include <memory>

#include "bactrian/merge/aggregator.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

// Functions over ARRAY<ROW> columns (format reference: merge.md §6). Options of the column: nested-key, count-limit,
// nested-sequence-field (replaces a row of the same key only by one that is not older), nested-key-null-strategy (what becomes
// of rows with a null in the key: merge them like others, ignore, error).
arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedUpdate(const Field& field, const CoreOptions& options);
arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedPartialUpdate(const Field& field, const CoreOptions& options);

}  // namespace bactrian
