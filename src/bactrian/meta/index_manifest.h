/// Index manifests (format reference: manifest.md §5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/io/file_store.h"
#include "bactrian/meta/manifest.h"

namespace bactrian {

/// Where one data file's deletion vector lies in its index file.
struct DeletionVectorRange {
  std::string data_file;
  int32_t offset = 0;
  int32_t length = 0;
  std::optional<int64_t> cardinality;
};

struct GlobalIndexMeta {
  int64_t row_range_start = 0, row_range_end = 0;  ///< inclusive
  int32_t index_field_id = 0;
  std::optional<std::vector<int32_t>> extra_field_ids;
  std::optional<std::string> index_meta, source_meta;
};

struct IndexFileEntry {
  std::string partition;  ///< serialised row
  int32_t bucket = 0;
  std::string index_type;  ///< "DELETION_VECTORS", "HASH", or a global index's identifier
  std::string file_name;
  int64_t file_size = 0;
  int64_t row_count = 0;
  std::optional<std::vector<DeletionVectorRange>> deletion_vectors;
  std::optional<std::string> external_path;
  std::optional<GlobalIndexMeta> global_index;
};

inline constexpr std::string_view kDeletionVectorsIndex = "DELETION_VECTORS";
inline constexpr std::string_view kHashIndex = "HASH";

arrow::Result<std::vector<IndexFileEntry>> ReadIndexManifest(FileStore& store, const std::string& path);
arrow::Result<WrittenFile> WriteIndexManifest(FileStore& store, const TablePaths& paths, std::string_view uuid, int* counter,
                                              const std::vector<IndexFileEntry>& entries, const ManifestWriteOptions& options);

}  // namespace bactrian
