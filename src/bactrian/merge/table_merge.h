/// The merge that a table's options ask for (format reference: merge.md §6; options.md, "Primary-key engine").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bactrian/merge/merge_function.h"
#include "bactrian/merge/merge_runs.h"
#include "bactrian/schema.h"

namespace bactrian {

enum class MergeEngine : uint8_t { kDeduplicate, kPartialUpdate, kAggregation, kFirstRow };
arrow::Result<MergeEngine> MergeEngineOf(const Options& options);

/// Whether compaction looks keys up in higher levels (merge.md §8), so that reads take only a key's newest level above 0.
arrow::Result<bool> NeedsLookup(const Options& options);

/// Value columns that a merge of `projected` needs as well: sequence fields, in the schema's order after the projected ones.
arrow::Result<std::vector<std::string>> ColumnsToMerge(const TableSchema& schema, const std::vector<std::string>& projected);

/// The function for a table; `layout.values` may be any projection that ColumnsToMerge gave. kInvalid for options that
/// contradict each other, as the reference refuses them.
arrow::Result<std::unique_ptr<MergeFunction>> MakeTableMergeFunction(const TableSchema& schema, const KeyValueLayout& layout);

/// Sequence fields and levels as the table's options say; the rest of the options is the caller's.
arrow::Result<MergeOptions> MakeTableMergeOptions(const TableSchema& schema, const KeyValueLayout& layout);

}  // namespace bactrian
