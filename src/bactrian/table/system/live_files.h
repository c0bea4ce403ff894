#pragma once

#include <vector>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/table/system/system_table.h"

namespace bactrian {

/// The files that are live in the context's snapshot; none without one.
arrow::Result<std::vector<ManifestEntry>> LiveFiles(const SystemTableContext& context);

/// The index files of the context's snapshot.
arrow::Result<std::vector<IndexFileEntry>> LiveIndexFiles(const SystemTableContext& context);

}  // namespace bactrian
