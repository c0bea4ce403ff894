/// Primary-key tables made of files with chosen contents, in any state that compactions could have left.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/bactrian.h"
#include "bactrian/format/file_format.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/table/read/read_spec.h"
#include "bactrian/table/table_context.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {

/// Rows of a data file: the table's columns, then _SEQUENCE_NUMBER (int64) and _VALUE_KIND (int8); ascending by key.
using KeyValueBatches = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>(int64_t i)>;  // nullptr ends

/// Unpartitioned, one bucket, without deletion vectors.
class KeyValueTable {
 public:
  /// The table must exist and have no snapshot yet.
  explicit KeyValueTable(std::shared_ptr<Table> table) : table_(std::move(table)) {
    for (const std::string& key : schema().TrimmedPrimaryKeys()) keys_.push_back(*schema().FindField(key));
  }

  /// `sequence_of_file`: what the metadata says of the rows' sequence numbers, if not the truth.
  arrow::Status AddFile(int32_t level, const KeyValueBatches& batches, const std::string& format = "parquet",
                        std::optional<int64_t> sequence_of_file = std::nullopt) {
    const TableContext& context = *table_->context();
    constexpr int32_t kKeyIdBase = 1073741823;
    std::vector<Field> fields;
    for (const Field& key : keys_) fields.push_back({.id = kKeyIdBase + key.id, .name = "_KEY_" + key.name, .type = key.type});
    fields.push_back(SequenceNumberField());
    fields.push_back(ValueKindField());
    fields.insert(fields.end(), schema().fields.begin(), schema().fields.end());
    ARROW_ASSIGN_OR_RAISE(auto arrow_schema, ToArrowSchema(fields));

    ManifestEntry entry;
    entry.partition = EmptySerializedRow();
    entry.total_buckets = 1;
    DataFileMeta& meta = entry.file;
    meta.file_name = "data-" + NewUuid() + "-0." + format;
    const std::string path = context.paths.root + "/bucket-0/" + meta.file_name;
    ARROW_ASSIGN_OR_RAISE(const FileFormat* file_format, GetFormat(format));
    ARROW_ASSIGN_OR_RAISE(auto writer, file_format->OpenWriter(context.store, path, {fields, schema().options, nullptr}));
    meta.min_sequence_number = INT64_MAX;
    meta.max_sequence_number = INT64_MIN;
    int64_t deletes = 0;
    for (int64_t i = 0;; ++i) {
      ARROW_ASSIGN_OR_RAISE(auto batch, batches(i));
      if (batch == nullptr) break;
      if (i == 0) {
        ARROW_ASSIGN_OR_RAISE(meta.min_key, KeyOf(*batch, 0));
      }
      ARROW_ASSIGN_OR_RAISE(meta.max_key, KeyOf(*batch, batch->num_rows() - 1));
      const int num_columns = static_cast<int>(schema().fields.size());
      arrow::ArrayVector columns;
      for (const Field& key : keys_) columns.push_back(batch->column(schema().FieldIndex(key.name)));
      columns.push_back(batch->column(num_columns));
      columns.push_back(batch->column(num_columns + 1));
      for (int c = 0; c < num_columns; ++c) columns.push_back(batch->column(c));
      for (int64_t row = 0; row < batch->num_rows(); ++row) {
        const int64_t sequence = static_cast<const arrow::Int64Array&>(*batch->column(num_columns)).Value(row);
        meta.min_sequence_number = std::min(meta.min_sequence_number, sequence);
        meta.max_sequence_number = std::max(meta.max_sequence_number, sequence);
        deletes += static_cast<const arrow::Int8Array&>(*batch->column(num_columns + 1)).Value(row) % 2;  // -U, -D
      }
      ARROW_RETURN_NOT_OK(writer->Write(*arrow::RecordBatch::Make(arrow_schema, batch->num_rows(), std::move(columns))));
    }
    ARROW_ASSIGN_OR_RAISE(const FileWriteResult written, writer->Finish());
    if (sequence_of_file) meta.min_sequence_number = meta.max_sequence_number = *sequence_of_file;
    meta.file_size = written.size;
    meta.row_count = written.num_rows;
    meta.delete_row_count = deletes;
    meta.level = level;
    meta.schema_id = schema().id;
    meta.key_stats = meta.value_stats = SimpleStats::Empty();
    meta.value_stats_cols.emplace();
    meta.file_source = level == 0 ? FileSource::kAppend : FileSource::kCompact;
    entries_.push_back(std::move(entry));
    return arrow::Status::OK();
  }

  /// Publishes all files as snapshot 1.
  arrow::Status Commit() {
    const TableContext& context = *table_->context();
    const std::string uuid = NewUuid();
    int manifests = 0, lists = 0;
    ARROW_ASSIGN_OR_RAISE(auto written, WriteManifests(*context.store, context.paths, uuid, &manifests, entries_, {}, {}));
    ARROW_ASSIGN_OR_RAISE(WrittenFile base, WriteManifestList(*context.store, context.paths, uuid, &lists, {}, {}));
    ARROW_ASSIGN_OR_RAISE(WrittenFile delta, WriteManifestList(*context.store, context.paths, uuid, &lists, written, {}));
    Snapshot snapshot;
    snapshot.id = 1;
    snapshot.schema_id = schema().id;
    snapshot.base_manifest_list = base.name;
    snapshot.delta_manifest_list = delta.name;
    snapshot.commit_user = "files";
    snapshot.commit_identifier = INT64_MAX;
    snapshot.time_millis = 1;
    snapshot.total_record_count = snapshot.delta_record_count = 0;
    for (const ManifestEntry& entry : entries_) *snapshot.total_record_count += entry.file.row_count;
    return context.snapshots->Publish(snapshot);
  }

 private:
  const TableSchema& schema() const { return *table_->schema(); }

  arrow::Result<std::string> KeyOf(const arrow::RecordBatch& batch, int64_t row) const {
    std::vector<TypePtr> types;
    std::vector<Value> values;
    for (const Field& key : keys_) {
      types.push_back(key.type);
      ARROW_ASSIGN_OR_RAISE(auto scalar, batch.column(schema().FieldIndex(key.name))->GetScalar(row));
      ARROW_ASSIGN_OR_RAISE(values.emplace_back(), FromScalar(*scalar, *key.type));
    }
    return EncodeSerializedRow(types, values);
  }

  std::shared_ptr<Table> table_;
  std::vector<Field> keys_;
  std::vector<ManifestEntry> entries_;
};

}  // namespace bactrian
