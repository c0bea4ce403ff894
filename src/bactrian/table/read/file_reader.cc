#include "bactrian/table/read/file_reader.h"

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

arrow::Result<std::shared_ptr<const FileHandle>> OpenHandle(const ReadSpec& spec, const SplitFile& file) {
  const std::string key = file.path + "#" + std::to_string(file.meta->file_size);
  ShardedLruCache& cache = spec.session->state().cache;
  if (auto cached = cache.Get<FileHandle>(key)) return cached;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> store, StoreOf(spec.context, file.path));
  ARROW_ASSIGN_OR_RAISE(const FileFormat* format, FormatOfFile(file.meta->file_name));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const FileHandle> handle, format->Open(store, file.path, file.meta->file_size));
  cache.Put(key, handle, handle->memory_bytes());
  return handle;
}

arrow::Result<std::shared_ptr<const RoaringBitmap>> LoadDeletions(const ReadSpec& spec, const DeletionFile& deletion) {
  const std::string key = deletion.path + "#" + std::to_string(deletion.range.offset);
  ShardedLruCache& cache = spec.session->state().cache;
  if (auto cached = cache.Get<RoaringBitmap>(key)) return cached;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> store, StoreOf(spec.context, deletion.path));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const RoaringBitmap> deleted,
                        ReadDeletionVector(*store, deletion.path, deletion.range));
  cache.Put(key, deleted, deletion.range.length + int64_t{64});
  return deleted;
}

/// Makes the table's rows of a file's rows: projects, checks the residual predicate, drops the columns only it needs.
class ProjectingReader final : public arrow::RecordBatchReader {
 public:
  ProjectingReader(std::shared_ptr<const ReadSpec> spec, std::shared_ptr<arrow::RecordBatchReader> source,
                   std::shared_ptr<const Projection> projection, std::vector<Value> partition,
                   std::shared_ptr<const BoundPredicate> residual)
      : spec_(std::move(spec)),
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
  DataFileOpener(const std::shared_ptr<const ReadSpec>& spec, const DataSplit& split, const SplitFile& file)
      : spec_(spec), schema_(*spec->context.schema), split_(split), file_(file) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Open(CompiledProjection* compiled) {
    const SchemaStore& schemas = file_.schemas ? *file_.schemas : *spec_->context.schemas;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> data_schema, schemas.Load(file_.meta->schema_id));
    data_fields_ = PhysicalFields(*data_schema, *file_.meta);
    if (schema_.is_primary_key_table()) data_fields_.push_back(SequenceNumberField());
    if (spec_->stored_kinds || split_.changes) data_fields_.push_back(ValueKindField());
    const EvolvedPredicate evolved = EvolvePredicate(spec_->predicate, schema_.fields, data_fields_,
                                                     [this](std::string_view column) { return PartitionValue(column); });
    if (evolved.predicate->op() == PredicateOp::kFalse) return nullptr;

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
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> source, OpenSource(*projection, evolved.predicate));
    return std::make_shared<ProjectingReader>(spec_, std::move(source), std::move(projection), split_.partition_values,
                                              std::move(residual));
  }

 private:
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
                                                                      const PredicatePtr& predicate) const {
    std::shared_ptr<const RoaringBitmap> deleted;
    if (file_.deletion) {
      ARROW_ASSIGN_OR_RAISE(deleted, LoadDeletions(*spec_, *file_.deletion));
    }
    const bool only_counts = projection.file_fields().empty() && predicate->op() == PredicateOp::kTrue;
    if (only_counts && !deleted) return std::make_shared<RowCountReader>(file_.meta->row_count, spec_->batch_rows);

    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const FileHandle> handle, OpenHandle(*spec_, file_));
    ReadRequest request;
    request.fields = projection.file_fields();
    if (predicate->op() != PredicateOp::kTrue) {
      request.predicate = predicate;
      request.predicate_fields = data_fields_;
    }
    if (deleted) request.selection = deleted->ToRanges(handle->num_rows()).Complement(handle->num_rows());
    if (only_counts) return std::make_shared<RowCountReader>(request.selection->num_rows(), spec_->batch_rows);
    request.batch_rows = spec_->batch_rows;
    request.string_views = projection.reads_views();
    request.pruning = {.row_groups = spec_->pruning.row_groups,
                       .pages = spec_->pruning.pages,
                       .bloom_filters = spec_->pruning.bloom_filters,
                       .late_materialization = spec_->pruning.late_materialization};
    request.pool = spec_->session->memory_pool();
    return handle->Read(request);
  }

  const std::shared_ptr<const ReadSpec>& spec_;
  const TableSchema& schema_;
  const DataSplit& split_;
  const SplitFile& file_;
  std::vector<Field> data_fields_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenDataFile(const std::shared_ptr<const ReadSpec>& spec,
                                                                      const DataSplit& split, const SplitFile& file,
                                                                      CompiledProjection* compiled) {
  return DataFileOpener(spec, split, file).Open(compiled);
}

}  // namespace bactrian
