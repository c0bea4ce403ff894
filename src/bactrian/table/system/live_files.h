#pragma once

#include <vector>

#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/table/system/system_table.h"

namespace bactrian {

/// All entries of the manifests of the context's snapshot, in order; none without one.
arrow::Result<std::vector<ManifestEntry>> AllEntries(const SystemTableContext& context);

/// The files that are live in it.
arrow::Result<std::vector<ManifestEntry>> LiveFiles(const SystemTableContext& context);

/// The index files of the context's snapshot.
arrow::Result<std::vector<IndexFileEntry>> LiveIndexFiles(const SystemTableContext& context);

}  // namespace bactrian
