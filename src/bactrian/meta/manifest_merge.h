/// Merging of manifests at commit (format reference: snapshot.md §9).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bactrian/meta/manifest.h"

namespace bactrian {

struct ManifestMergeOptions {
  ManifestWriteOptions write;                         ///< target_file_size is also the size of a manifest that is big enough
  int64_t full_compaction_threshold_size = 16 << 20;  ///< option manifest.full-compaction-threshold-size
  int64_t min_count = 30;                             ///< option manifest.merge-min-count
  std::vector<Field> partition_fields;
};

struct MergedManifests {
  std::vector<ManifestFileMeta> manifests;  ///< yields the same live files as the input
  std::vector<ManifestFileMeta> written;    ///< those of them that are new: to be deleted should the commit fail
};

/// Rewrites small manifests and those with DELETE entries when enough of them piled up; otherwise returns the input. New files
/// are named manifest-<uuid>-<*counter>…; after an error none is left.
arrow::Result<MergedManifests> MergeManifests(FileStore& store, const TablePaths& paths, std::string_view uuid, int* counter,
                                              const std::vector<ManifestFileMeta>& manifests,
                                              const ManifestMergeOptions& options);

}  // namespace bactrian
