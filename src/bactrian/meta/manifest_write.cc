#include <algorithm>

#include "bactrian/meta/manifest.h"
#include "bactrian/meta/manifest_fields.h"
#include "bactrian/meta/metadata_writer.h"
#include "bactrian/meta/partition_stats.h"

namespace bactrian {
namespace {

/// The reference asks for the size of a manifest every so many entries.
constexpr size_t kRollingCheckEntries = 1000;

arrow::Status AppendStats(const SimpleStats& stats, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Bytes(stats.min_values));
  ARROW_RETURN_NOT_OK(row.Bytes(stats.max_values));
  return row.OptionalLongs(stats.null_counts);
}

arrow::Status AppendDataFile(const DataFileMeta& file, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Bytes(file.file_name));
  ARROW_RETURN_NOT_OK(row.Long(file.file_size));
  ARROW_RETURN_NOT_OK(row.Long(file.row_count));
  ARROW_RETURN_NOT_OK(row.Bytes(file.min_key));
  ARROW_RETURN_NOT_OK(row.Bytes(file.max_key));
  ARROW_RETURN_NOT_OK(AppendStats(file.key_stats, row.Struct()));
  ARROW_RETURN_NOT_OK(AppendStats(file.value_stats, row.Struct()));
  ARROW_RETURN_NOT_OK(row.Long(file.min_sequence_number));
  ARROW_RETURN_NOT_OK(row.Long(file.max_sequence_number));
  ARROW_RETURN_NOT_OK(row.Long(file.schema_id));
  ARROW_RETURN_NOT_OK(row.Int(file.level));
  ARROW_RETURN_NOT_OK(row.Strings(file.extra_files));
  ARROW_RETURN_NOT_OK(row.Timestamp(file.creation_time_millis));
  ARROW_RETURN_NOT_OK(row.Long(file.delete_row_count));
  ARROW_RETURN_NOT_OK(row.OptionalBytes(file.embedded_index));
  ARROW_RETURN_NOT_OK(row.Tiny(file.file_source ? std::optional(static_cast<int8_t>(*file.file_source)) : std::nullopt));
  ARROW_RETURN_NOT_OK(row.Strings(file.value_stats_cols));
  ARROW_RETURN_NOT_OK(row.OptionalBytes(file.external_path));
  ARROW_RETURN_NOT_OK(row.Long(file.first_row_id));
  ARROW_RETURN_NOT_OK(row.Strings(file.write_cols));
  return row.Longs(file.write_cols_sequences);
}

arrow::Status AppendEntry(const ManifestEntry& entry, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Int(static_cast<int32_t>(kManifestVersion)));
  ARROW_RETURN_NOT_OK(row.Tiny(static_cast<int8_t>(entry.kind)));
  ARROW_RETURN_NOT_OK(row.Bytes(entry.partition));
  ARROW_RETURN_NOT_OK(row.Int(entry.bucket));
  ARROW_RETURN_NOT_OK(row.Int(entry.total_buckets));
  return AppendDataFile(entry.file, row.Struct());
}

arrow::Status AppendManifest(const ManifestFileMeta& manifest, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Int(static_cast<int32_t>(kManifestVersion)));
  ARROW_RETURN_NOT_OK(row.Bytes(manifest.file_name));
  ARROW_RETURN_NOT_OK(row.Long(manifest.file_size));
  ARROW_RETURN_NOT_OK(row.Long(manifest.num_added_files));
  ARROW_RETURN_NOT_OK(row.Long(manifest.num_deleted_files));
  ARROW_RETURN_NOT_OK(AppendStats(manifest.partition_stats, row.Struct()));
  ARROW_RETURN_NOT_OK(row.Long(manifest.schema_id));
  ARROW_RETURN_NOT_OK(row.Int(manifest.min_bucket));
  ARROW_RETURN_NOT_OK(row.Int(manifest.max_bucket));
  ARROW_RETURN_NOT_OK(row.Int(manifest.min_level));
  ARROW_RETURN_NOT_OK(row.Int(manifest.max_level));
  ARROW_RETURN_NOT_OK(row.Long(manifest.min_row_id));
  return row.Long(manifest.max_row_id);
}

template <typename T>
void Widen(T value, std::optional<T>* min, std::optional<T>* max) {
  if (!*min || value < **min) *min = value;
  if (!*max || value > **max) *max = value;
}

/// What the manifest list says of one manifest, gathered entry by entry.
class ManifestSummary {
 public:
  explicit ManifestSummary(std::vector<TypePtr> partition_types) : partitions_(std::move(partition_types)) {}

  void Add(const ManifestEntry& entry) {
    ++(entry.kind == FileKind::kAdd ? meta_.num_added_files : meta_.num_deleted_files);
    partitions_.Add(entry.partition);
    meta_.schema_id = first_ ? entry.file.schema_id : std::max(meta_.schema_id, entry.file.schema_id);
    Widen(entry.bucket, &meta_.min_bucket, &meta_.max_bucket);
    Widen(entry.file.level, &meta_.min_level, &meta_.max_level);
    if (entry.file.first_row_id) {
      Widen(*entry.file.first_row_id, &meta_.min_row_id, &meta_.max_row_id);
      Widen(*entry.file.first_row_id + entry.file.row_count - 1, &meta_.min_row_id, &meta_.max_row_id);
    } else {
      all_have_row_ids_ = false;
    }
    first_ = false;
  }

  arrow::Result<ManifestFileMeta> Finish(std::string name, int64_t size) {
    meta_.file_name = std::move(name);
    meta_.file_size = size;
    ARROW_ASSIGN_OR_RAISE(meta_.partition_stats, partitions_.Finish());
    if (!all_have_row_ids_) meta_.min_row_id = meta_.max_row_id = std::nullopt;
    return std::move(meta_);
  }

 private:
  ManifestFileMeta meta_;
  PartitionStatsCollector partitions_;
  bool first_ = true;
  bool all_have_row_ids_ = true;
};

/// Writes entries from *position on until the manifest is full or there are none left.
arrow::Result<ManifestFileMeta> WriteOneManifest(FileStore& store, const TablePaths& paths, std::string name,
                                                 const std::vector<ManifestEntry>& entries,
                                                 const std::vector<TypePtr>& partition_types,
                                                 const ManifestWriteOptions& options, size_t* position) {
  ManifestSummary summary(partition_types);
  auto append_some = [&](MetadataWriter& writer) -> arrow::Status {
    do {
      const size_t end = std::min(entries.size(), *position + kRollingCheckEntries);
      for (; *position < end; ++*position) {
        ARROW_RETURN_NOT_OK(AppendEntry(entries[*position], writer.NewRow()));
        summary.Add(entries[*position]);
      }
      ARROW_RETURN_NOT_OK(writer.Flush());
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes, writer.bytes_written());
      if (bytes >= options.target_file_size) break;
    } while (*position < entries.size());
    return arrow::Status::OK();
  };
  ARROW_ASSIGN_OR_RAISE(const int64_t size,
                        WriteMetadataFile(store, paths.ManifestFile(name), ManifestFields(), options, append_some));
  return summary.Finish(std::move(name), size);
}

}  // namespace

arrow::Result<std::vector<ManifestFileMeta>> WriteManifests(FileStore& store, const TablePaths& paths, std::string_view uuid,
                                                            int* counter, const std::vector<ManifestEntry>& entries,
                                                            const std::vector<Field>& partition_fields,
                                                            const ManifestWriteOptions& options) {
  std::vector<TypePtr> partition_types;
  for (const Field& field : partition_fields) partition_types.push_back(field.type);
  std::vector<ManifestFileMeta> manifests;
  for (size_t position = 0; position < entries.size();) {
    std::string name = "manifest-" + std::string(uuid) + "-" + std::to_string((*counter)++);
    auto manifest = WriteOneManifest(store, paths, std::move(name), entries, partition_types, options, &position);
    if (!manifest.ok()) {
      DeleteMetadataFiles(store, paths, manifests);
      return manifest.status();
    }
    manifests.push_back(*std::move(manifest));
  }
  return manifests;
}

arrow::Result<WrittenFile> WriteManifestList(FileStore& store, const TablePaths& paths, std::string_view uuid, int* counter,
                                             const std::vector<ManifestFileMeta>& manifests,
                                             const ManifestWriteOptions& options) {
  std::string name = "manifest-list-" + std::string(uuid) + "-" + std::to_string((*counter)++);
  auto append_all = [&](MetadataWriter& writer) -> arrow::Status {
    for (const ManifestFileMeta& manifest : manifests) ARROW_RETURN_NOT_OK(AppendManifest(manifest, writer.NewRow()));
    return writer.Flush();
  };
  ARROW_ASSIGN_OR_RAISE(const int64_t size,
                        WriteMetadataFile(store, paths.ManifestFile(name), ManifestListFields(), options, append_all));
  return WrittenFile{std::move(name), size};
}

}  // namespace bactrian
