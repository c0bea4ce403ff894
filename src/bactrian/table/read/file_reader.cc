#include "bactrian/table/read/file_reader.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/format/file_format.h"
#include "bactrian/index/deletion_vector.h"
#include "bactrian/table/schema_evolution.h"
#include "bactrian/table/session_state.h"

namespace bactrian {
namespace {

/// The store for a path that may lie outside of the table.
arrow::Result<std::shared_ptr<FileStore>> StoreOf(const TableContext& context, const std::string& path) {
  auto scheme = [](std::string_view uri) {
    const size_t colon = uri.find(':');
    const std::string_view name = uri.starts_with('/') || colon == std::string_view::npos ? "file" : uri.substr(0, colon);
    return name;
  };
  if (scheme(path) == "file" && scheme(context.paths.root) == "file") return context.store;
  if (path.starts_with(context.paths.root)) return context.store;
  return FileStore::Open(path);
}

std::string HandleKey(const SplitFile& file) { return file.path + "#" + std::to_string(file.meta->file_size); }

/// `column` with its nulls, where a file does not store the value, filled by `value_of()`, which is called for each row.
template <typename ValueOf>
arrow::Result<std::shared_ptr<arrow::Array>> FillNulls(const arrow::Array& column, const ValueOf& value_of,
                                                       arrow::MemoryPool* pool) {
  const auto& stored = static_cast<const arrow::Int64Array&>(column);
  arrow::Int64Builder filled(pool);
  ARROW_RETURN_NOT_OK(filled.Reserve(stored.length()));
  for (int64_t row = 0; row < stored.length(); ++row) {
    const int64_t value = value_of();
    filled.UnsafeAppend(stored.IsNull(row) ? value : stored.Value(row));
  }
  return filled.Finish();
}

/// `_ROW_ID` and `_SEQUENCE_NUMBER` of a file's rows (rowtracking.md §1). Batches must have all rows of `selection`, in order.
class TrackedColumns {
 public:
  TrackedColumns(const ReadSpec& spec, const DataFileMeta& file) : file_(file) {
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      if (spec.fields[i].id == kRowIdFieldId) row_id_ = static_cast<int>(i);
      if (spec.fields[i].id == kSequenceNumberFieldId) sequence_ = static_cast<int>(i);
    }
    if (spec.context.schema->is_primary_key_table()) sequence_ = -1;  // stored
  }

  bool needs_positions() const { return row_id_ >= 0; }
  bool any() const { return row_id_ >= 0 || sequence_ >= 0; }
  void Select(RowRanges selection) { selection_ = std::move(selection); }

  arrow::Status Fill(std::shared_ptr<arrow::RecordBatch>* batch, arrow::MemoryPool* pool) {
    if (row_id_ >= 0) {
      const arrow::Array& stored = *(*batch)->column(row_id_);
      if (!file_.first_row_id && stored.null_count() > 0) {
        return Corrupt("data file ", file_.file_name, " has rows whose id is neither stored nor known by the file's first");
      }
      const auto next_id = [this] { return file_.first_row_id.value_or(0) + NextPosition(); };
      ARROW_ASSIGN_OR_RAISE(auto filled, FillNulls(stored, next_id, pool));
      ARROW_RETURN_NOT_OK(Replace(row_id_, std::move(filled), batch));
    }
    if (sequence_ < 0) return arrow::Status::OK();
    const auto sequence_of = [this] { return file_.max_sequence_number; };
    ARROW_ASSIGN_OR_RAISE(auto filled, FillNulls(*(*batch)->column(sequence_), sequence_of, pool));
    return Replace(sequence_, std::move(filled), batch);
  }

 private:
  static arrow::Status Replace(int column, std::shared_ptr<arrow::Array> values, std::shared_ptr<arrow::RecordBatch>* batch) {
    return (*batch)->SetColumn(column, (*batch)->schema()->field(column), std::move(values)).Value(batch);
  }

  int64_t NextPosition() {
    const RowRange& range = selection_.ranges()[range_];
    const int64_t position = range.begin + offset_;
    if (position + 1 < range.end) {
      ++offset_;
    } else {
      ++range_;
      offset_ = 0;
    }
    return position;
  }

  const DataFileMeta& file_;
  int row_id_ = -1, sequence_ = -1;
  RowRanges selection_;
  size_t range_ = 0;
  int64_t offset_ = 0;
};

/// Makes the table's rows of a file's rows: projects, checks the residual predicate, drops the columns only it needs.
class ProjectingReader final : public arrow::RecordBatchReader {
 public:
  ProjectingReader(std::shared_ptr<const ReadSpec> spec, std::shared_ptr<arrow::RecordBatchReader> source,
                   std::shared_ptr<const Projection> projection, std::vector<Value> partition,
                   std::shared_ptr<const BoundPredicate> residual, std::shared_ptr<const DataFileMeta> file,
                   TrackedColumns tracked)
      : spec_(std::move(spec)),
        file_(std::move(file)),
        tracked_(std::move(tracked)),
        source_(std::move(source)),
        projection_(std::move(projection)),
        partition_(std::move(partition)),
        residual_(std::move(residual)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return spec_->schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    arrow::MemoryPool* pool = spec_->session->memory_pool();
    do {
      ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
      if (!*batch) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(*batch, projection_->Apply(**batch, partition_, pool));
      ARROW_RETURN_NOT_OK(tracked_.Fill(batch, pool));
      if (residual_) {
        mask_.resize((*batch)->num_rows());
        ARROW_RETURN_NOT_OK(residual_->Evaluate(**batch, mask_.data()));
        ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(*batch, mask_.data(), pool));
      }
    } while ((*batch)->num_rows() == 0);
    if ((*batch)->num_columns() > spec_->schema->num_fields()) {
      arrow::ArrayVector columns = (*batch)->columns();
      columns.resize(spec_->schema->num_fields());
      *batch = arrow::RecordBatch::Make(spec_->schema, (*batch)->num_rows(), std::move(columns));
    }
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<const ReadSpec> spec_;
  std::shared_ptr<const DataFileMeta> file_;
  TrackedColumns tracked_;  ///< of file_
  std::shared_ptr<arrow::RecordBatchReader> source_;
  std::shared_ptr<const Projection> projection_;
  std::vector<Value> partition_;
  std::shared_ptr<const BoundPredicate> residual_;  ///< over the projection's columns; may be null
  std::vector<uint8_t> mask_;
};

/// Batches without columns: all that counting rows needs.
class RowCountReader final : public arrow::RecordBatchReader {
 public:
  RowCountReader(int64_t rows, int64_t batch_rows) : left_(rows), batch_rows_(batch_rows) {}
  std::shared_ptr<arrow::Schema> schema() const override { return arrow::schema({}); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    const int64_t rows = std::min(left_, batch_rows_);
    left_ -= rows;
    *batch = rows > 0 ? arrow::RecordBatch::Make(schema(), rows, arrow::ArrayVector{}) : nullptr;
    return arrow::Status::OK();
  }

 private:
  int64_t left_;
  const int64_t batch_rows_;
};

class DataFileOpener {
 public:
  DataFileOpener(const std::shared_ptr<const ReadSpec>& spec, const DataSplit& split, const SplitFile& file,
                 const RowRanges* rows)
      : spec_(spec), schema_(*spec->context.schema), split_(split), file_(file), rows_(rows) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Open(CompiledProjection* compiled) {
    const SchemaStore& schemas = file_.schemas ? *file_.schemas : *spec_->context.schemas;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> data_schema, schemas.Load(file_.meta->schema_id));
    data_fields_ = PhysicalFields(*data_schema, *file_.meta);
    AddStoredSystemFields();
    if (spec_->stored_kinds || split_.changes) data_fields_.push_back(ValueKindField());
    EvolvedPredicate evolved = EvolvePredicate(spec_->predicate, schema_.fields, data_fields_,
                                               [this](std::string_view column) { return PartitionValue(column); });
    if (evolved.predicate->op() == PredicateOp::kFalse) return nullptr;
    // A file that leaves rows out does not say which: where positions count, rows are filtered afterwards.
    TrackedColumns tracked(*spec_, *file_.meta);
    if (tracked.needs_positions()) evolved = {Predicate::True(), spec_->predicate};

    std::vector<Field> wanted = spec_->fields;  // and after them what only the residual needs
    std::vector<std::string> residual_columns;
    for (const std::string& column : ColumnsOf(evolved.residual)) {
      auto has_name = [&](const Field& field) { return field.name == column; };
      if (std::any_of(wanted.begin(), wanted.end(), has_name)) continue;
      wanted.push_back(*schema_.FindField(column));
      residual_columns.push_back(column);
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const Projection> projection, Compile(wanted, std::move(residual_columns), compiled));
    std::shared_ptr<const BoundPredicate> residual;
    if (evolved.residual->op() != PredicateOp::kTrue) {
      ARROW_ASSIGN_OR_RAISE(residual, BoundPredicate::Bind(evolved.residual, wanted));
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> source,
                          OpenSource(*projection, evolved.predicate, &tracked));
    return std::make_shared<ProjectingReader>(spec_, std::move(source), std::move(projection), split_.partition_values,
                                              std::move(residual), file_.meta, std::move(tracked));
  }

 private:
  void AddStoredSystemFields() {
    if (schema_.is_primary_key_table()) {
      data_fields_.push_back(SequenceNumberField());
    } else if (file_.meta->write_cols) {
      for (const Field& field : {RowIdField(), SequenceNumberField()}) {
        const std::vector<std::string>& names = *file_.meta->write_cols;
        if (std::find(names.begin(), names.end(), field.name) == names.end()) continue;
        data_fields_.push_back(field);
        data_fields_.back().type = field.type->WithNullable(true);
      }
    }
  }

  const Value* PartitionValue(std::string_view column) const {
    const std::vector<std::string>& keys = schema_.partition_keys;
    const size_t i = std::find(keys.begin(), keys.end(), column) - keys.begin();
    return i < split_.partition_values.size() ? &split_.partition_values[i] : nullptr;
  }

  arrow::Result<std::shared_ptr<const Projection>> Compile(const std::vector<Field>& wanted,
                                                           std::vector<std::string> residual_columns,
                                                           CompiledProjection* compiled) const {
    if (compiled->projection && !file_.meta->write_cols && compiled->schema_id == file_.meta->schema_id &&
        compiled->schemas == file_.schemas.get() && compiled->residual_columns == residual_columns) {
      return compiled->projection;
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const Projection> projection,
                          Projection::Make(wanted, data_fields_, schema_.partition_keys, spec_->string_views));
    if (!file_.meta->write_cols)
      *compiled = {file_.meta->schema_id, file_.schemas.get(), std::move(residual_columns), projection};
    return projection;
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSource(const Projection& projection,
                                                                      const PredicatePtr& predicate,
                                                                      TrackedColumns* tracked) const {
    std::shared_ptr<const RoaringBitmap> deleted;
    if (file_.deletion) {
      ARROW_ASSIGN_OR_RAISE(deleted, LoadDeletionVector(*spec_, *file_.deletion));
    }
    const bool only_counts = projection.file_fields().empty() && predicate->op() == PredicateOp::kTrue;
    // Of a file with so many rows; nullopt: all.
    const auto selection_of = [&](int64_t num_rows) -> std::optional<RowRanges> {
      if (!deleted) return rows_ == nullptr ? std::nullopt : std::optional(*rows_);
      const RowRanges left = deleted->ToRanges(num_rows).Complement(num_rows);
      return rows_ == nullptr ? left : rows_->Intersect(left);
    };
    if (tracked->needs_positions()) {
      const int64_t rows = file_.meta->row_count;
      tracked->Select(selection_of(rows).value_or(RowRanges::All(rows)));
    }
    if (only_counts && !deleted && rows_ == nullptr) {
      return std::make_shared<RowCountReader>(file_.meta->row_count, spec_->batch_rows);
    }

    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const FileHandle> handle, OpenFileHandle(*spec_, file_));
    ReadRequest request;
    request.fields = projection.file_fields();
    if (predicate->op() != PredicateOp::kTrue) {
      request.predicate = predicate;
      request.predicate_fields = data_fields_;
    }
    request.selection = selection_of(handle->num_rows());
    if (only_counts) return std::make_shared<RowCountReader>(request.selection->num_rows(), spec_->batch_rows);
    request.batch_rows = spec_->batch_rows;
    request.string_views = projection.reads_views();
    request.pruning = {.row_groups = spec_->pruning.row_groups,
                       .pages = spec_->pruning.pages,
                       .bloom_filters = spec_->pruning.bloom_filters,
                       .late_materialization = spec_->pruning.late_materialization};
    request.read_ahead_bytes = spec_->read_ahead_bytes;
    request.pool = spec_->session->memory_pool();
    return handle->Read(request);
  }

  const std::shared_ptr<const ReadSpec>& spec_;
  const TableSchema& schema_;
  const DataSplit& split_;
  const SplitFile& file_;
  const RowRanges* const rows_;
  std::vector<Field> data_fields_;
};

}  // namespace

arrow::Result<std::shared_ptr<const FileHandle>> OpenFileHandle(const ReadSpec& spec, const SplitFile& file) {
  const std::string key = HandleKey(file);
  ShardedLruCache& cache = spec.session->state().cache;
  if (auto cached = cache.Get<FileHandle>(key)) return cached;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> store, StoreOf(spec.context, file.path));
  ARROW_ASSIGN_OR_RAISE(const FileFormat* format, FormatOfFile(file.meta->file_name));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const FileHandle> handle, format->Open(store, file.path, file.meta->file_size));
  cache.Put(key, handle, handle->memory_bytes());
  return handle;
}

void RechargeFileHandle(const ReadSpec& spec, const SplitFile& file) {
  ShardedLruCache& cache = spec.session->state().cache;
  const std::string key = HandleKey(file);
  if (auto handle = cache.Get<FileHandle>(key)) cache.Put(key, handle, handle->memory_bytes());
}

arrow::Result<std::shared_ptr<const RoaringBitmap>> LoadDeletionVector(const ReadSpec& spec, const DeletionFile& deletion) {
  const std::string key = deletion.path + "#" + std::to_string(deletion.range.offset);
  ShardedLruCache& cache = spec.session->state().cache;
  if (auto cached = cache.Get<RoaringBitmap>(key)) return cached;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> store, StoreOf(spec.context, deletion.path));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const RoaringBitmap> deleted,
                        ReadDeletionVector(*store, deletion.path, deletion.range));
  cache.Put(key, deleted, deletion.range.length + int64_t{64});
  return deleted;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenDataFile(const std::shared_ptr<const ReadSpec>& spec,
                                                                      const DataSplit& split, const SplitFile& file,
                                                                      CompiledProjection* compiled, const RowRanges* rows) {
  return DataFileOpener(spec, split, file, rows).Open(compiled);
}

}  // namespace bactrian
