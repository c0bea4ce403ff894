// Tables over manifests, partitions, buckets and index files of one snapshot.
#include <algorithm>
#include <map>

#include "bactrian/table/system/live_files.h"
#include "bactrian/table/system/row_text.h"
#include "bactrian/table/system/system_readers.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/core_options.h"
#include "bactrian/types/partition_path.h"

namespace bactrian {
namespace {

std::vector<TypePtr> PartitionTypes(const TableSchema& schema) {
  std::vector<TypePtr> types;
  for (const Field& field : schema.PartitionFields()) types.push_back(field.type);
  return types;
}

/// Sums over the files of a partition or bucket. As in the reference, entries are not replayed: what was added and deleted
/// again cancels out of the sums, but the time of the newest file may be that of one that is gone.
struct FileSums {
  int64_t records = 0, bytes = 0, files = 0;
  int64_t deleted_records = 0;  ///< by deletion vectors; rows of kind -D are not counted
  int32_t total_buckets = 0;
  std::optional<int64_t> newest_millis;

  void Add(const ManifestEntry& entry) {
    const int64_t sign = entry.kind == FileKind::kAdd ? 1 : -1;
    records += sign * entry.file.row_count;
    bytes += sign * entry.file.file_size;
    files += sign;
    total_buckets = entry.total_buckets;
    newest_millis = std::max(newest_millis, entry.file.creation_time_millis);
  }
};

/// "k1=v1/k2=v2", unescaped.
arrow::Result<std::string> PartitionName(const std::vector<Field>& fields, const std::vector<Value>& values,
                                         const TableSchema& schema) {
  CoreOptions options(schema.options);
  ARROW_ASSIGN_OR_RAISE(const bool legacy, options.GetBool("partition.legacy-name", true));
  const std::string default_name = options.GetString("partition.default-name", PartitionPathOptions().default_name);
  std::string name;
  for (size_t i = 0; i < fields.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> text, PartitionValueText(values[i], *fields[i].type, legacy));
    name += (i > 0 ? "/" : "") + fields[i].name + "=" + text.value_or(default_name);
  }
  return name;
}

arrow::Status AppendManifests(const SystemTableContext& context, const std::string& name, std::optional<int64_t> size,
                              BatchBuilder* rows) {
  const std::vector<TypePtr> types = PartitionTypes(*context.schema);
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests,
                        ReadManifestList(*context.store, context.paths.ManifestFile(name), size));
  auto stats_text = [&](const std::string& values) -> arrow::Result<std::optional<std::string>> {
    if (values.empty()) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(std::string text, RowText(values, types));
    return text;
  };
  for (const ManifestFileMeta& manifest : manifests) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> min, stats_text(manifest.partition_stats.min_values));
    ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> max, stats_text(manifest.partition_stats.max_values));
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(manifest.file_name));
    ARROW_RETURN_NOT_OK(row.Long(manifest.file_size));
    ARROW_RETURN_NOT_OK(row.Long(manifest.num_added_files));
    ARROW_RETURN_NOT_OK(row.Long(manifest.num_deleted_files));
    ARROW_RETURN_NOT_OK(row.Long(manifest.schema_id));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(min));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(max));
    ARROW_RETURN_NOT_OK(row.Long(manifest.min_row_id));
    ARROW_RETURN_NOT_OK(row.Long(manifest.max_row_id));
  }
  return arrow::Status::OK();
}

arrow::Status AppendIndexFile(const IndexFileEntry& entry, const std::string& partition, const TableSchema& schema,
                              StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Bytes(partition));
  ARROW_RETURN_NOT_OK(row.Int(entry.bucket));
  ARROW_RETURN_NOT_OK(row.Bytes(entry.index_type));
  ARROW_RETURN_NOT_OK(row.Bytes(entry.file_name));
  ARROW_RETURN_NOT_OK(row.Long(entry.file_size));
  ARROW_RETURN_NOT_OK(row.Long(entry.row_count));
  const auto& ranges = entry.deletion_vectors;
  auto append_range = [&](size_t i, StructAppender element) -> arrow::Status {
    ARROW_RETURN_NOT_OK(element.Bytes((*ranges)[i].data_file));
    ARROW_RETURN_NOT_OK(element.Int((*ranges)[i].offset));
    ARROW_RETURN_NOT_OK(element.Int((*ranges)[i].length));
    return element.Long((*ranges)[i].cardinality);
  };
  ARROW_RETURN_NOT_OK(row.Structs(ranges ? std::optional(ranges->size()) : std::nullopt, append_range));
  if (!entry.global_index) {
    ARROW_RETURN_NOT_OK(row.Long(std::nullopt));
    ARROW_RETURN_NOT_OK(row.Long(std::nullopt));
    ARROW_RETURN_NOT_OK(row.Int(std::nullopt));
    return row.OptionalBytes(std::nullopt);
  }
  const int32_t field_id = entry.global_index->index_field_id;
  auto field = std::find_if(schema.fields.begin(), schema.fields.end(), [&](const Field& f) { return f.id == field_id; });
  ARROW_RETURN_NOT_OK(row.Long(entry.global_index->row_range_start));
  ARROW_RETURN_NOT_OK(row.Long(entry.global_index->row_range_end));
  ARROW_RETURN_NOT_OK(row.Int(field_id));
  return row.OptionalBytes(field == schema.fields.end() ? std::nullopt : std::optional(field->name));
}

}  // namespace

arrow::Status ReadManifests(const SystemTableContext& context, BatchBuilder* rows) {
  if (!context.snapshot) return arrow::Status::OK();
  const Snapshot& snapshot = *context.snapshot;
  ARROW_RETURN_NOT_OK(AppendManifests(context, snapshot.base_manifest_list, snapshot.base_manifest_list_size, rows));
  ARROW_RETURN_NOT_OK(AppendManifests(context, snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, rows));
  if (!snapshot.changelog_manifest_list) return arrow::Status::OK();
  return AppendManifests(context, *snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size, rows);
}

arrow::Status ReadPartitions(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, AllEntries(context));
  std::map<std::string, FileSums> partitions;
  for (const ManifestEntry& entry : entries) {
    if (entry.bucket >= 0) partitions[entry.partition].Add(entry);  // postponed files are in no partition yet
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<IndexFileEntry> indexes, LiveIndexFiles(context));
  for (const IndexFileEntry& index : indexes) {
    auto partition = partitions.find(index.partition);
    if (partition == partitions.end() || !index.deletion_vectors) continue;
    for (const DeletionVectorRange& range : *index.deletion_vectors) {
      partition->second.deleted_records += range.cardinality.value_or(0);
    }
  }
  const std::vector<Field> fields = context.schema->PartitionFields();
  const std::vector<TypePtr> types = PartitionTypes(*context.schema);
  for (const auto& [partition, sums] : partitions) {
    if (sums.files <= 0) continue;
    ARROW_ASSIGN_OR_RAISE(const std::vector<Value> values, DecodeSerializedRow(partition, types));
    ARROW_ASSIGN_OR_RAISE(const std::string name, PartitionName(fields, values, *context.schema));
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(name));
    ARROW_RETURN_NOT_OK(row.Long(sums.records));
    ARROW_RETURN_NOT_OK(row.Long(sums.bytes));
    ARROW_RETURN_NOT_OK(row.Long(sums.files));
    ARROW_RETURN_NOT_OK(row.Timestamp(sums.newest_millis));
    ARROW_RETURN_NOT_OK(row.Timestamp(std::nullopt));      // created_at
    ARROW_RETURN_NOT_OK(row.OptionalBytes(std::nullopt));  // created_by
    ARROW_RETURN_NOT_OK(row.OptionalBytes(std::nullopt));  // updated_by
    ARROW_RETURN_NOT_OK(row.OptionalBytes(std::nullopt));  // options
    ARROW_RETURN_NOT_OK(row.Int(sums.total_buckets));
    ARROW_RETURN_NOT_OK(row.Bool(false));  // done
    ARROW_RETURN_NOT_OK(row.Long(sums.deleted_records));
  }
  return arrow::Status::OK();
}

arrow::Status ReadBuckets(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, AllEntries(context));
  std::map<std::pair<std::string, int32_t>, FileSums> buckets;
  for (const ManifestEntry& entry : entries) buckets[{entry.partition, entry.bucket}].Add(entry);
  const std::vector<TypePtr> types = PartitionTypes(*context.schema);
  for (const auto& [bucket, sums] : buckets) {
    if (sums.files <= 0) continue;
    ARROW_ASSIGN_OR_RAISE(const std::string partition, RowText(bucket.first, types));
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(partition));
    ARROW_RETURN_NOT_OK(row.Int(bucket.second));
    ARROW_RETURN_NOT_OK(row.Long(sums.records));
    ARROW_RETURN_NOT_OK(row.Long(sums.bytes));
    ARROW_RETURN_NOT_OK(row.Long(sums.files));
    ARROW_RETURN_NOT_OK(row.Timestamp(sums.newest_millis));
  }
  return arrow::Status::OK();
}

arrow::Status ReadTableIndexes(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<IndexFileEntry> indexes, LiveIndexFiles(context));
  const std::vector<TypePtr> types = PartitionTypes(*context.schema);
  for (const IndexFileEntry& index : indexes) {
    ARROW_ASSIGN_OR_RAISE(const std::string partition, RowText(index.partition, types));
    ARROW_RETURN_NOT_OK(AppendIndexFile(index, partition, *context.schema, rows->NewRow()));
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
