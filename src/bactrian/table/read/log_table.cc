#include "bactrian/table/read/log_table.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <set>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/stream.h"
#include "bactrian/table/read/batch_plan.h"
#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/read_spec.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

constexpr std::string_view kRowKindColumn = "rowkind";
constexpr int32_t kRowKindFieldId = 2147483643;  // schema.md §4
constexpr std::string_view kRowKindTexts[] = {"+I", "-U", "+U", "-D"};
constexpr int8_t kUpdateBefore = 1, kUpdateAfter = 2;

arrow::Result<std::shared_ptr<arrow::Array>> RowKindTexts(const arrow::Array& kinds, arrow::MemoryPool* pool) {
  const auto& codes = static_cast<const arrow::Int8Array&>(kinds);
  arrow::StringBuilder texts(pool);
  ARROW_RETURN_NOT_OK(texts.Reserve(codes.length()));
  for (int64_t i = 0; i < codes.length(); ++i) ARROW_RETURN_NOT_OK(texts.Append(kRowKindTexts[codes.Value(i) & 3]));
  return texts.Finish();
}

int8_t KindAt(const arrow::RecordBatch& rows, int64_t row) {
  return static_cast<const arrow::Int8Array&>(*rows.GetColumnByName(std::string(kValueKindColumn))).Value(row);
}

/// Where the lines of the binlog begin among the rows: a -U and the +U after it are one line.
arrow::Result<std::shared_ptr<arrow::Array>> BinlogOffsets(const arrow::RecordBatch& rows, arrow::MemoryPool* pool) {
  arrow::Int32Builder offsets(pool);
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const bool ends_update = row > 0 && KindAt(rows, row - 1) == kUpdateBefore && KindAt(rows, row) == kUpdateAfter;
    if (!ends_update) ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(row)));
  }
  ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(rows.num_rows())));
  return offsets.Finish();
}

/// The kind of each line: that of its last row.
arrow::Result<std::shared_ptr<arrow::Array>> BinlogKinds(const arrow::RecordBatch& rows, const arrow::Array& offsets,
                                                         arrow::MemoryPool* pool) {
  const auto& begins = static_cast<const arrow::Int32Array&>(offsets);
  arrow::Int8Builder kinds(pool);
  for (int64_t line = 1; line < begins.length(); ++line)
    ARROW_RETURN_NOT_OK(kinds.Append(KindAt(rows, begins.Value(line) - 1)));
  return kinds.Finish();
}

/// A column's values at the last row of each line.
arrow::Result<std::shared_ptr<arrow::Array>> AtLineEnds(const arrow::Array& values, const arrow::Array& offsets,
                                                        arrow::MemoryPool* pool) {
  const auto& numbers = static_cast<const arrow::Int64Array&>(values);
  const auto& begins = static_cast<const arrow::Int32Array&>(offsets);
  arrow::Int64Builder last(pool);
  for (int64_t line = 1; line < begins.length(); ++line) {
    ARROW_RETURN_NOT_OK(last.Append(numbers.Value(begins.Value(line) - 1)));
  }
  return last.Finish();
}

/// What the readers of one plan share.
struct LogSpec {
  LogKind kind;
  std::vector<Field> fields;                           ///< made of a batch of the base, `rowkind` among them
  std::shared_ptr<arrow::Schema> made_schema, schema;  ///< of all of them, and of those to return
  std::shared_ptr<const BoundPredicate> residual;      ///< over `fields`; may be null
  std::optional<int64_t> limit;
  arrow::MemoryPool* pool;
};

class LogReader final : public arrow::RecordBatchReader {
 public:
  LogReader(std::shared_ptr<const LogSpec> spec, std::shared_ptr<arrow::RecordBatchReader> source)
      : spec_(std::move(spec)), source_(std::move(source)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    do {
      ARROW_RETURN_NOT_OK(NextRows(batch));
      if (!*batch) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(*batch, Make(**batch));
      if (spec_->residual) {
        std::vector<uint8_t> mask((*batch)->num_rows());
        ARROW_RETURN_NOT_OK(spec_->residual->Evaluate(**batch, mask.data()));
        ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(*batch, mask.data(), spec_->pool));
      }
    } while ((*batch)->num_rows() == 0);
    return SelectColumns(**batch, spec_->schema, spec_->pool).Value(batch);
  }

 private:
  /// A batch of the base. In the binlog a -U at its end waits for the next one.
  arrow::Status NextRows(std::shared_ptr<arrow::RecordBatch>* rows) {
    ARROW_RETURN_NOT_OK(source_->ReadNext(rows));
    if (spec_->kind != LogKind::kBinlog) return arrow::Status::OK();
    if (held_) {
      arrow::RecordBatchVector parts = {std::move(held_)};
      held_ = nullptr;
      if (!*rows) {
        *rows = std::move(parts.front());
        return arrow::Status::OK();
      }
      parts.push_back(*rows);
      ARROW_ASSIGN_OR_RAISE(*rows, arrow::ConcatenateRecordBatches(parts, spec_->pool));
    }
    if (!*rows) return arrow::Status::OK();
    const int64_t last = (*rows)->num_rows() - 1;
    if (KindAt(**rows, last) != kUpdateBefore) return arrow::Status::OK();
    held_ = (*rows)->Slice(last);
    *rows = (*rows)->Slice(0, last);
    return last == 0 ? NextRows(rows) : arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Make(const arrow::RecordBatch& rows) const {
    arrow::ArrayVector columns;
    int64_t num_rows = rows.num_rows();
    std::shared_ptr<arrow::Array> kinds = rows.GetColumnByName(std::string(kValueKindColumn)), offsets;
    if (spec_->kind == LogKind::kBinlog) {
      ARROW_ASSIGN_OR_RAISE(offsets, BinlogOffsets(rows, spec_->pool));
      ARROW_ASSIGN_OR_RAISE(kinds, BinlogKinds(rows, *offsets, spec_->pool));
      num_rows = kinds->length();
    }
    for (int i = 0; i < spec_->made_schema->num_fields(); ++i) {
      const auto& field = spec_->made_schema->field(i);
      std::shared_ptr<arrow::Array> column;
      if (field->name() == kRowKindColumn) {
        ARROW_ASSIGN_OR_RAISE(column, RowKindTexts(*kinds, spec_->pool));
      } else {
        column = rows.GetColumnByName(field->name());
        if (spec_->kind == LogKind::kBinlog && field->name() == kSequenceNumberColumn) {
          ARROW_ASSIGN_OR_RAISE(column, AtLineEnds(*column, *offsets, spec_->pool));
        } else if (spec_->kind == LogKind::kBinlog) {
          ARROW_ASSIGN_OR_RAISE(column, arrow::ListArray::FromArrays(field->type(), *offsets, *column, spec_->pool));
        }
      }
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(spec_->made_schema, num_rows, std::move(columns));
  }

  std::shared_ptr<const LogSpec> spec_;
  std::shared_ptr<arrow::RecordBatchReader> source_;
  std::shared_ptr<arrow::RecordBatch> held_;  ///< the -U that ended the last batch
};

class LogPlan final : public Plan {
 public:
  LogPlan(std::shared_ptr<const LogSpec> spec, std::shared_ptr<const Plan> base_plan)
      : spec_(std::move(spec)), base_(std::move(base_plan)) {
    const PlanStatistics& base = base_->statistics();
    statistics_.row_count = spec_->limit ? std::min(*spec_->limit, base.row_count) : base.row_count;
    statistics_.bytes = base.bytes;
    statistics_.row_count_precision =
        spec_->residual || spec_->kind == LogKind::kBinlog ? Precision::kBound : base.row_count_precision;
  }
  std::optional<int64_t> snapshot_id() const override { return base_->snapshot_id(); }
  const std::shared_ptr<arrow::Schema>& schema() const override { return spec_->schema; }
  const std::vector<std::shared_ptr<const Split>>& splits() const override { return base_->splits(); }
  const PlanStatistics& statistics() const override { return statistics_; }
  const PlanMetrics& metrics() const override { return base_->metrics(); }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const Split& split) const override {
    ARROW_ASSIGN_OR_RAISE(auto source, base_->Read(split));
    return Limited(std::move(source));
  }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAll() const override {
    ARROW_ASSIGN_OR_RAISE(auto source, base_->ReadAll());
    return Limited(std::move(source));
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> Limited(std::shared_ptr<arrow::RecordBatchReader> source) const {
    auto reader = std::make_shared<LogReader>(spec_, std::move(source));
    auto open = [reader](size_t i) -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
      return i == 0 ? reader : nullptr;
    };
    return std::make_shared<ChainedReader>(spec_->schema, std::move(open), spec_->limit);
  }

  std::shared_ptr<const LogSpec> spec_;
  std::shared_ptr<const Plan> base_;
  PlanStatistics statistics_;
};

/// A stream of the base as one of the log.
class LogStream final : public ChangeStream {
 public:
  LogStream(std::shared_ptr<const LogSpec> spec, std::unique_ptr<ChangeStream> base)
      : spec_(std::move(spec)), base_(std::move(base)) {}

  arrow::Result<std::shared_ptr<Plan>> Poll() override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, base_->Poll());
    if (!plan) return nullptr;
    return std::make_shared<LogPlan>(spec_, std::move(plan));
  }
  bool ended() const override { return base_->ended(); }
  std::optional<int64_t> watermark() const override { return base_->watermark(); }
  std::optional<int64_t> Checkpoint() const override { return base_->Checkpoint(); }
  void Restore(std::optional<int64_t> next_snapshot) override { base_->Restore(next_snapshot); }
  arrow::Status Acknowledge(int64_t next_snapshot) override { return base_->Acknowledge(next_snapshot); }

 private:
  std::shared_ptr<const LogSpec> spec_;
  std::unique_ptr<ChangeStream> base_;
};

class LogTable final : public Table {
 public:
  LogTable(Identifier identifier, std::shared_ptr<Table> base, LogKind kind, bool with_sequence_numbers)
      : identifier_(std::move(identifier)), base_(std::move(base)), kind_(kind) {
    auto schema = std::make_shared<TableSchema>(*base_->schema());
    Field row_kind;
    row_kind.id = kRowKindFieldId;
    row_kind.name = kRowKindColumn;
    row_kind.type = DataType::String();
    if (kind_ == LogKind::kBinlog) {
      for (Field& field : schema->fields) field.type = DataType::Array(field.type->WithNullable(true));
    }
    if (kind_ == LogKind::kRowTracking) {
      schema->fields.push_back(RowIdField());
      schema->fields.push_back(SequenceNumberField());
      schema_ = std::move(schema);
      return;
    }
    if (with_sequence_numbers) schema->fields.insert(schema->fields.begin(), SequenceNumberField());
    schema->fields.insert(schema->fields.begin(), std::move(row_kind));
    schema_ = std::move(schema);
  }

  const Identifier& identifier() const override { return identifier_; }
  const std::string& path() const override { return base_->path(); }
  const std::shared_ptr<const TableSchema>& schema() const override { return schema_; }
  std::shared_ptr<Session> session() const override { return base_->session(); }

  arrow::Result<std::shared_ptr<Plan>> MakePlan(const Scan& scan) override {
    ARROW_ASSIGN_OR_RAISE(const Prepared prepared, Prepare(scan));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> base, prepared.base.MakePlan());
    return std::make_shared<LogPlan>(prepared.spec, std::move(base));
  }
  arrow::Result<std::unique_ptr<ChangeStream>> NewStream(const Scan& scan) override {
    ARROW_ASSIGN_OR_RAISE(const Prepared prepared, Prepare(scan));
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<ChangeStream> base, prepared.base.OpenStream());
    return std::make_unique<LogStream>(prepared.spec, std::move(base));
  }

  arrow::Result<std::unique_ptr<Writer>> NewWriter(const WriteOptions&) override { return ReadOnly(); }
  arrow::Result<std::unique_ptr<Committer>> NewCommitter(const CommitOptions&) override { return ReadOnly(); }

 private:
  /// How a scan of the log is made of one of its base.
  struct Prepared {
    std::shared_ptr<const LogSpec> spec;
    Scan base;
  };

  arrow::Result<Prepared> Prepare(const Scan& scan) const {
    auto spec = std::make_shared<LogSpec>();
    spec->kind = kind_;
    spec->pool = session()->memory_pool();
    spec->limit = scan.limit();
    ARROW_RETURN_NOT_OK(BoundPredicate::Bind(scan.predicate(), schema_->fields).status());
    ARROW_ASSIGN_OR_RAISE(spec->fields, SelectedFields(scan, schema_->fields));
    ARROW_ASSIGN_OR_RAISE(spec->schema, BatchSchema(spec->fields, scan.string_views()));

    // The base takes the conjuncts over its own columns; in the binlog these have become arrays.
    std::vector<PredicatePtr> pushed, residual;
    for (const PredicatePtr& conjunct : SplitConjuncts(scan.predicate())) {
      const std::vector<std::string> columns = ColumnsOf(conjunct);
      const bool over_base = kind_ != LogKind::kBinlog && std::all_of(columns.begin(), columns.end(), [&](const auto& column) {
                               return base_->schema()->FindField(column) != nullptr;
                             });
      (over_base ? pushed : residual).push_back(conjunct);
    }
    const PredicatePtr residual_predicate = Predicate::And(residual);
    for (const std::string& column : ColumnsOf(residual_predicate)) {
      auto has_name = [&](const Field& field) { return field.name == column; };
      if (std::none_of(spec->fields.begin(), spec->fields.end(), has_name)) {
        spec->fields.push_back(*schema_->FindField(column));
      }
    }
    if (!residual.empty()) {
      ARROW_ASSIGN_OR_RAISE(spec->residual, BoundPredicate::Bind(residual_predicate, spec->fields));
    }
    ARROW_ASSIGN_OR_RAISE(spec->made_schema, BatchSchema(spec->fields, /*string_views=*/false));

    std::vector<std::string> base_columns = {std::string(kValueKindColumn)};
    for (const Field& field : spec->fields) {
      if (field.name != kRowKindColumn) base_columns.push_back(field.name);
    }
    Scan base_scan(base_);
    base_scan.Select(std::move(base_columns)).Filter(Predicate::And(std::move(pushed))).BatchRows(scan.batch_rows());
    base_scan.Pruning(scan.pruning()).KeepDeletes(true);
    if (scan.limit() && residual.empty() && kind_ != LogKind::kBinlog) base_scan.Limit(*scan.limit());
    return Prepared{std::move(spec), std::move(base_scan)};
  }

  arrow::Status ReadOnly() const { return Unsupported("system table ", identifier_.ToString(), " cannot be written"); }

  Identifier identifier_;
  std::shared_ptr<Table> base_;
  LogKind kind_;
  std::shared_ptr<const TableSchema> schema_;
};

}  // namespace

arrow::Result<std::shared_ptr<Table>> MakeLogTable(Identifier identifier, std::shared_ptr<Table> base, LogKind kind) {
  ARROW_ASSIGN_OR_RAISE(const bool with_sequence_numbers,
                        CoreOptions(base->schema()->options).GetBool("table-read.sequence-number.enabled", false));
  if (kind == LogKind::kRowTracking) {
    ARROW_ASSIGN_OR_RAISE(const bool tracks_rows, CoreOptions(base->schema()->options).GetBool("row-tracking.enabled", false));
    if (!tracks_rows) return NotFound("table ", identifier.ToString(), ": rows are not tracked");
  }
  const bool has_them = with_sequence_numbers && base->schema()->is_primary_key_table();
  return std::make_shared<LogTable>(std::move(identifier), std::move(base), kind, has_them);
}

}  // namespace bactrian
