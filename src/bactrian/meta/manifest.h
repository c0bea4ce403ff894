/// Manifest lists and manifests (format reference: manifest.md §1–4, §6).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/io/file_store.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/schema.h"

namespace bactrian {

/// Bounds and null counts of a list of columns. Rows are serialised BinaryRows with arity prefix.
struct SimpleStats {
  std::string min_values;  ///< empty string: no row at all
  std::string max_values;
  std::vector<std::optional<int64_t>> null_counts;
  static SimpleStats Empty();  ///< EMPTY_STATS of the reference
};

struct ManifestFileMeta {
  std::string file_name;
  int64_t file_size = 0;
  int64_t num_added_files = 0;
  int64_t num_deleted_files = 0;
  SimpleStats partition_stats;
  int64_t schema_id = 0;
  std::optional<int32_t> min_bucket, max_bucket, min_level, max_level;
  std::optional<int64_t> min_row_id, max_row_id;
};

enum class FileKind : int8_t { kAdd = 0, kDelete = 1 };
enum class FileSource : int8_t { kAppend = 0, kCompact = 1 };

struct DataFileMeta {
  std::string file_name;
  int64_t file_size = 0;
  int64_t row_count = 0;
  std::string min_key, max_key;  ///< serialised rows
  SimpleStats key_stats, value_stats;
  int64_t min_sequence_number = 0, max_sequence_number = 0;
  int64_t schema_id = 0;
  int32_t level = 0;
  std::vector<std::string> extra_files;
  std::optional<int64_t> creation_time_millis;  ///< local wall clock as if UTC
  std::optional<int64_t> delete_row_count;
  std::optional<std::string> embedded_index;
  std::optional<FileSource> file_source;
  std::optional<std::vector<std::string>> value_stats_cols;
  std::optional<std::string> external_path;
  std::optional<int64_t> first_row_id;
  std::optional<std::vector<std::string>> write_cols;
  std::optional<std::vector<int64_t>> write_cols_sequences;
};

struct ManifestEntry {
  FileKind kind = FileKind::kAdd;
  std::string partition;  ///< serialised row
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  DataFileMeta file;
};

/// Called with an entry's head before the rest of it is decoded; false skips the entry.
using EntryHeadFilter = std::function<bool(FileKind kind, std::string_view partition, int32_t bucket, int32_t total_buckets)>;

/// Reads any manifest or manifest list: Avro (bare or union root, fields by name), ORC or Parquet of older tables, told by the
/// bytes at the head of the file. Errors name the file.
arrow::Result<std::vector<ManifestFileMeta>> ReadManifestList(FileStore& store, const std::string& path,
                                                              std::optional<int64_t> length);
/// Appends the entries that pass `head_filter` (may be empty) to `entries`.
arrow::Status ReadManifest(FileStore& store, const std::string& path, std::optional<int64_t> length,
                           const EntryHeadFilter& head_filter, std::vector<ManifestEntry>* entries);

struct ManifestWriteOptions {
  std::string compression = "zstd";  ///< option manifest.compression
  int32_t zstd_level = 1;
  int64_t target_file_size = 8 << 20;
};

/// Writes entries to manifests under `paths`, rolling by size; names manifest-<uuid>-<n> continue at `*counter`.
arrow::Result<std::vector<ManifestFileMeta>> WriteManifests(FileStore& store, const TablePaths& paths, std::string_view uuid,
                                                            int* counter, const std::vector<ManifestEntry>& entries,
                                                            const std::vector<Field>& partition_fields,
                                                            const ManifestWriteOptions& options);
struct WrittenFile {
  std::string name;
  int64_t size = 0;
};
arrow::Result<WrittenFile> WriteManifestList(FileStore& store, const TablePaths& paths, std::string_view uuid, int* counter,
                                             const std::vector<ManifestFileMeta>& manifests,
                                             const ManifestWriteOptions& options);

/// A random UUID v4 as text.
std::string NewUuid();

}  // namespace bactrian
