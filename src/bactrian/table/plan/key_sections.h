#pragma once

#include <span>
#include <vector>

#include "bactrian/merge/sections.h"
#include "bactrian/table/plan/data_split.h"

namespace bactrian {

/// The files of a bucket of a primary-key table in sections by their key ranges (merge.md §4); KeyRange::file is the index into
/// `files`. kCorrupt for key bounds that are no rows of the key's types.
arrow::Result<std::vector<Section>> SectionsOf(const TableSchema& schema, std::span<const SplitFile> files);

}  // namespace bactrian
