#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "bactrian/meta/columns.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/meta/manifest_fields.h"
#include "bactrian/meta/metadata_file.h"
#include "bactrian/meta/required_columns.h"

namespace bactrian {
namespace {

using Int8 = NumberColumn<arrow::Int8Array>;
using Int32 = NumberColumn<arrow::Int32Array>;
using Int64 = NumberColumn<arrow::Int64Array>;
using Timestamp = NumberColumn<arrow::TimestampArray>;

/// kCorrupt, naming the file, for the first row that is not of `version`.
arrow::Status CheckVersion(const Int32& versions, int64_t row, std::string_view path) {
  const int32_t version = versions[row];
  if (version == kManifestVersion) return arrow::Status::OK();
  if (version == 1) return Unsupported(path, ": manifest version 1: the table must be recreated");
  return Unsupported(path, ": manifest version ", version);
}

class StatsColumns {
 public:
  explicit StatsColumns(const arrow::Array& array)
      : min_values_(Child(array, 0)), max_values_(Child(array, 1)), null_counts_(Child(array, 2)) {}

  SimpleStats operator[](int64_t row) const {
    SimpleStats stats{std::string(min_values_[row]), std::string(max_values_[row]), {}};
    stats.null_counts.reserve(static_cast<size_t>(null_counts_.size(row)));
    null_counts_.ForEach(row, [&](const Int64& counts, int64_t i) { stats.null_counts.push_back(counts.Get(i)); });
    return stats;
  }

 private:
  BytesColumn min_values_, max_values_;
  ListColumn<Int64> null_counts_;
};

std::vector<std::string> Names(const ListColumn<BytesColumn>& column, int64_t row) {
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(column.size(row)));
  column.ForEach(row, [&](const BytesColumn& values, int64_t i) { names.emplace_back(values[i]); });
  return names;
}

std::optional<std::vector<std::string>> OptionalNames(const ListColumn<BytesColumn>& column, int64_t row) {
  if (column.IsNull(row)) return std::nullopt;
  return Names(column, row);
}

/// The columns of `_FILE`, in the order of ManifestFields().
class DataFileColumns {
 public:
  explicit DataFileColumns(const arrow::Array& file)
      : file_name_(Child(file, 0)),
        file_size_(Child(file, 1)),
        row_count_(Child(file, 2)),
        min_key_(Child(file, 3)),
        max_key_(Child(file, 4)),
        key_stats_(Child(file, 5)),
        value_stats_(Child(file, 6)),
        min_sequence_(Child(file, 7)),
        max_sequence_(Child(file, 8)),
        schema_id_(Child(file, 9)),
        level_(Child(file, 10)),
        extra_files_(Child(file, 11)),
        creation_time_(Child(file, 12)),
        delete_row_count_(Child(file, 13)),
        embedded_index_(Child(file, 14)),
        file_source_(Child(file, 15)),
        value_stats_cols_(Child(file, 16)),
        external_path_(Child(file, 17)),
        first_row_id_(Child(file, 18)),
        write_cols_(Child(file, 19)),
        write_cols_sequences_(Child(file, 20)) {}

  arrow::Status Read(int64_t row, std::string_view path, DataFileMeta* file) const {
    file->file_name = file_name_[row];
    file->file_size = file_size_[row];
    file->row_count = row_count_[row];
    file->min_key = min_key_[row];
    file->max_key = max_key_[row];
    file->key_stats = key_stats_[row];
    file->value_stats = value_stats_[row];
    file->min_sequence_number = min_sequence_[row];
    file->max_sequence_number = max_sequence_[row];
    file->schema_id = schema_id_[row];
    file->level = level_[row];
    file->extra_files = Names(extra_files_, row);
    file->creation_time_millis = creation_time_.Get(row);
    file->delete_row_count = delete_row_count_.Get(row);
    file->embedded_index = embedded_index_.Get(row);
    if (auto source = file_source_.Get(row)) file->file_source = static_cast<FileSource>(*source);
    file->value_stats_cols = OptionalNames(value_stats_cols_, row);
    file->external_path = external_path_.Get(row);
    file->first_row_id = first_row_id_.Get(row);
    file->write_cols = OptionalNames(write_cols_, row);
    if (!write_cols_sequences_.IsNull(row)) {
      auto& sequences = file->write_cols_sequences.emplace();
      write_cols_sequences_.ForEach(row, [&](const Int64& values, int64_t i) { sequences.push_back(values[i]); });
    }
    return Check(*file, path);
  }

 private:
  static arrow::Status Check(const DataFileMeta& file, std::string_view path) {
    ARROW_RETURN_NOT_OK(ValidateFileName(file.file_name, path));
    for (const std::string& name : file.extra_files) ARROW_RETURN_NOT_OK(ValidateFileName(name, path));
    if (file.file_size < 0 || file.row_count < 0) {
      return Corrupt(path, ": data file ", file.file_name, " has a negative size or row count");
    }
    if (file.file_source && *file.file_source > FileSource::kCompact) {
      return Corrupt(path, ": data file ", file.file_name, " has an unknown source");
    }
    return arrow::Status::OK();
  }

  BytesColumn file_name_;
  Int64 file_size_, row_count_;
  BytesColumn min_key_, max_key_;
  StatsColumns key_stats_, value_stats_;
  Int64 min_sequence_, max_sequence_, schema_id_;
  Int32 level_;
  ListColumn<BytesColumn> extra_files_;
  Timestamp creation_time_;
  Int64 delete_row_count_;
  BytesColumn embedded_index_;
  Int8 file_source_;
  ListColumn<BytesColumn> value_stats_cols_;
  BytesColumn external_path_;
  Int64 first_row_id_;
  ListColumn<BytesColumn> write_cols_;
  ListColumn<Int64> write_cols_sequences_;
};

arrow::Status ReadEntries(const arrow::RecordBatch& batch, const std::string& path, const EntryHeadFilter& head_filter,
                          std::vector<ManifestEntry>* entries) {
  ARROW_RETURN_NOT_OK(CheckRequiredColumns(batch, ManifestFields(), path));
  const Int32 versions(*batch.column(0)), buckets(*batch.column(3)), total_buckets(*batch.column(4));
  const Int8 kinds(*batch.column(1));
  const BytesColumn partitions(*batch.column(2));
  const DataFileColumns files(*batch.column(5));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    ARROW_RETURN_NOT_OK(CheckVersion(versions, row, path));
    if (kinds[row] != 0 && kinds[row] != 1) return Corrupt(path, ": unknown entry kind ", static_cast<int>(kinds[row]));
    const auto kind = static_cast<FileKind>(kinds[row]);
    if (head_filter && !head_filter(kind, partitions[row], buckets[row], total_buckets[row])) continue;
    ManifestEntry& entry = entries->emplace_back();
    entry.kind = kind;
    entry.partition = partitions[row];
    entry.bucket = buckets[row];
    entry.total_buckets = total_buckets[row];
    ARROW_RETURN_NOT_OK(files.Read(row, path, &entry.file));
  }
  return arrow::Status::OK();
}

arrow::Status ReadManifestFiles(const arrow::RecordBatch& batch, const std::string& path,
                                std::vector<ManifestFileMeta>* manifests) {
  ARROW_RETURN_NOT_OK(CheckRequiredColumns(batch, ManifestListFields(), path));
  const Int32 versions(*batch.column(0));
  const BytesColumn names(*batch.column(1));
  const Int64 sizes(*batch.column(2)), added(*batch.column(3)), deleted(*batch.column(4)), schema_ids(*batch.column(6));
  const StatsColumns stats(*batch.column(5));
  const Int32 min_buckets(*batch.column(7)), max_buckets(*batch.column(8)), min_levels(*batch.column(9)),
      max_levels(*batch.column(10));
  const Int64 min_row_ids(*batch.column(11)), max_row_ids(*batch.column(12));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    ARROW_RETURN_NOT_OK(CheckVersion(versions, row, path));
    ManifestFileMeta& manifest = manifests->emplace_back();
    manifest.file_name = names[row];
    ARROW_RETURN_NOT_OK(ValidateFileName(manifest.file_name, path));
    manifest.file_size = sizes[row];
    manifest.num_added_files = added[row];
    manifest.num_deleted_files = deleted[row];
    if (manifest.file_size < 0 || manifest.num_added_files < 0 || manifest.num_deleted_files < 0) {
      return Corrupt(path, ": manifest ", manifest.file_name, " has a negative size or count");
    }
    manifest.partition_stats = stats[row];
    manifest.schema_id = schema_ids[row];
    manifest.min_bucket = min_buckets.Get(row);
    manifest.max_bucket = max_buckets.Get(row);
    manifest.min_level = min_levels.Get(row);
    manifest.max_level = max_levels.Get(row);
    manifest.min_row_id = min_row_ids.Get(row);
    manifest.max_row_id = max_row_ids.Get(row);
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::vector<ManifestFileMeta>> ReadManifestList(FileStore& store, const std::string& path,
                                                              std::optional<int64_t> length) {
  std::vector<ManifestFileMeta> manifests;
  ARROW_RETURN_NOT_OK(
      ReadMetadataFile(store, path, length, ManifestListFields(), nullptr,
                       [&](const arrow::RecordBatch& batch) { return ReadManifestFiles(batch, path, &manifests); }));
  return manifests;
}

arrow::Status ReadManifest(FileStore& store, const std::string& path, std::optional<int64_t> length,
                           const EntryHeadFilter& head_filter, std::vector<ManifestEntry>* entries) {
  AvroHeadFilter avro_filter;
  if (head_filter) {
    avro_filter.field_names = {"_KIND", "_PARTITION", "_BUCKET", "_TOTAL_BUCKETS"};
    avro_filter.accept = [&](std::span<const int64_t> ints, std::span<const std::string_view> bytes) {
      return head_filter(static_cast<FileKind>(ints[0]), bytes[1], static_cast<int32_t>(ints[2]),
                         static_cast<int32_t>(ints[3]));
    };
  }
  return ReadMetadataFile(store, path, length, ManifestFields(), head_filter ? &avro_filter : nullptr,
                          [&](const arrow::RecordBatch& batch) { return ReadEntries(batch, path, head_filter, entries); });
}

}  // namespace bactrian
