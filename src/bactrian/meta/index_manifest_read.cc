#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "bactrian/meta/columns.h"
#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest_fields.h"
#include "bactrian/meta/metadata_file.h"
#include "bactrian/meta/required_columns.h"

namespace bactrian {
namespace {

using Int8 = NumberColumn<arrow::Int8Array>;
using Int32 = NumberColumn<arrow::Int32Array>;
using Int64 = NumberColumn<arrow::Int64Array>;

/// Elements of _DELETIONS_VECTORS_RANGES.
class RangeColumns {
 public:
  explicit RangeColumns(const arrow::Array& array)
      : array_(array),
        data_file_(Child(array, 0)),
        offset_(Child(array, 1)),
        length_(Child(array, 2)),
        cardinality_(Child(array, 3)) {}

  arrow::Result<DeletionVectorRange> Read(int64_t i, std::string_view path) const {
    if (array_.IsNull(i)) return Corrupt(path, ": a deletion vector's range is null");
    DeletionVectorRange range{std::string(data_file_[i]), offset_[i], length_[i], cardinality_.Get(i)};
    if (range.data_file.empty() || range.offset < 0 || range.length < 0) {
      return Corrupt(path, ": the range of the deletion vector of \"", range.data_file, "\" is malformed");
    }
    return range;
  }

 private:
  const arrow::Array& array_;
  BytesColumn data_file_;
  Int32 offset_, length_;
  Int64 cardinality_;
};

class GlobalIndexColumns {
 public:
  explicit GlobalIndexColumns(const arrow::Array& array)
      : array_(array),
        start_(Child(array, 0)),
        end_(Child(array, 1)),
        field_id_(Child(array, 2)),
        extra_ids_(Child(array, 3)),
        index_meta_(Child(array, 4)),
        source_meta_(Child(array, 5)) {}

  std::optional<GlobalIndexMeta> operator[](int64_t row) const {
    if (array_.IsNull(row)) return std::nullopt;
    GlobalIndexMeta meta;
    meta.row_range_start = start_[row];
    meta.row_range_end = end_[row];
    meta.index_field_id = field_id_[row];
    if (!extra_ids_.IsNull(row)) {
      auto& ids = meta.extra_field_ids.emplace();
      extra_ids_.ForEach(row, [&](const Int32& values, int64_t i) { ids.push_back(values[i]); });
    }
    meta.index_meta = index_meta_.Get(row);
    meta.source_meta = source_meta_.Get(row);
    return meta;
  }

 private:
  const arrow::Array& array_;
  Int64 start_, end_;
  Int32 field_id_;
  ListColumn<Int32> extra_ids_;
  BytesColumn index_meta_, source_meta_;
};

arrow::Status ReadEntries(const arrow::RecordBatch& batch, const std::string& path, std::vector<IndexFileEntry>* entries) {
  ARROW_RETURN_NOT_OK(CheckRequiredColumns(batch, IndexManifestFields(), path));
  const Int32 versions(*batch.column(0)), buckets(*batch.column(3));
  const Int8 kinds(*batch.column(1));
  const BytesColumn partitions(*batch.column(2)), index_types(*batch.column(4)), file_names(*batch.column(5)),
      external_paths(*batch.column(9));
  const Int64 file_sizes(*batch.column(6)), row_counts(*batch.column(7));
  const ListColumn<RangeColumns> ranges(*batch.column(8));
  const GlobalIndexColumns global_indexes(*batch.column(10));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    if (versions[row] != kIndexManifestVersion) return Unsupported(path, ": index manifest version ", versions[row]);
    if (kinds[row] != 0) return Corrupt(path, ": an index manifest holds live files only");
    IndexFileEntry& entry = entries->emplace_back();
    entry.partition = partitions[row];
    entry.bucket = buckets[row];
    entry.index_type = index_types[row];
    entry.file_name = file_names[row];
    ARROW_RETURN_NOT_OK(ValidateFileName(entry.file_name, path));
    entry.file_size = file_sizes[row];
    entry.row_count = row_counts[row];
    if (entry.file_size < 0) return Corrupt(path, ": index file ", entry.file_name, " has a negative size");
    if (!ranges.IsNull(row)) {
      entry.deletion_vectors.emplace();
      arrow::Status status;
      ranges.ForEach(row, [&](const RangeColumns& values, int64_t i) {
        if (!status.ok()) return;
        auto range = values.Read(i, path);
        status = range.status();
        if (range.ok()) entry.deletion_vectors->push_back(*std::move(range));
      });
      ARROW_RETURN_NOT_OK(status);
    }
    entry.external_path = external_paths.Get(row);
    entry.global_index = global_indexes[row];
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::vector<IndexFileEntry>> ReadIndexManifest(FileStore& store, const std::string& path) {
  std::vector<IndexFileEntry> entries;
  ARROW_RETURN_NOT_OK(ReadMetadataFile(store, path, std::nullopt, IndexManifestFields(), nullptr,
                                       [&](const arrow::RecordBatch& batch) { return ReadEntries(batch, path, &entries); }));
  return entries;
}

}  // namespace bactrian
