#include "bactrian/format/parquet/parquet_reader.h"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/format/parquet/column_plan.h"
#include "bactrian/format/parquet/parquet_error.h"
#include "bactrian/format/parquet/row_group_columns.h"
#include "bactrian/format/parquet/row_group_pruning.h"

namespace bactrian {
namespace {

/// Decompressed pages may be this much larger than the file that holds them, at least kMinPageBytes.
constexpr int64_t kMaxExpansion = 64;
constexpr int64_t kMinPageBytes = 256 << 20;

/// Rows of `ranges` taken from the front bit by bit.
class RowQueue {
 public:
  RowQueue() = default;
  explicit RowQueue(RowRanges rows) : rows_(std::move(rows)), left_(rows_.num_rows()) {}
  bool empty() const { return left_ == 0; }
  int64_t num_rows() const { return left_; }
  RowRanges Take(int64_t n) {
    RowRanges taken;
    while (n > 0 && left_ > 0) {
      const RowRange& range = rows_.ranges()[next_];
      const int64_t begin = std::max(range.begin, begin_), end = std::min(range.end, begin + n);
      taken.Append({begin, end});
      n -= end - begin;
      left_ -= end - begin;
      begin_ = end;
      if (end == range.end) ++next_;
    }
    return taken;
  }

 private:
  RowRanges rows_;
  size_t next_ = 0;
  int64_t begin_ = 0;
  int64_t left_ = 0;
};

/// Decoding a row that is filtered out afterwards is cheaper than moving the decoders past it if the next wanted row is near.
constexpr int64_t kNearRows = 12;

/// `rows` with gaps of less than kNearRows closed.
RowRanges Covering(const RowRanges& rows) {
  RowRanges covering;
  for (size_t i = 0; i < rows.ranges().size();) {
    RowRange range = rows.ranges()[i];
    for (++i; i < rows.ranges().size() && rows.ranges()[i].begin - range.end < kNearRows; ++i) range.end = rows.ranges()[i].end;
    covering.Append(range);
  }
  return covering;
}

/// One byte a row of `covering`: whether it is among `rows`, which `covering` covers.
std::vector<uint8_t> MaskOf(const RowRanges& rows, const RowRanges& covering) {
  std::vector<uint8_t> mask;
  auto wanted = rows.ranges().begin();
  for (const RowRange& range : covering.ranges()) {
    const size_t first = mask.size();
    mask.resize(first + (range.end - range.begin), 0);
    for (; wanted != rows.ranges().end() && wanted->end <= range.end; ++wanted) {
      std::fill(mask.begin() + first + (wanted->begin - range.begin), mask.begin() + first + (wanted->end - range.begin), 1);
    }
  }
  return mask;
}

/// Where an output column comes from.
struct Source {
  bool is_filter = false;
  size_t index = 0;  // among the filter or the payload plans
};

class ParquetReader final : public arrow::RecordBatchReader {
 public:
  ParquetReader(std::shared_ptr<const ParquetFile> file, const ReadRequest& request)
      : file_(std::move(file)),
        request_(request),
        pool_(request.pool ? request.pool : arrow::default_memory_pool()),
        pages_of_reader_(pool_),
        page_pool_(&pages_of_reader_, std::max(kMinPageBytes, kMaxExpansion * file_->length())) {}

  arrow::Status Init();
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    out->reset();
    if (!failed_.ok()) return failed_;
    failed_ = CatchParquet(file_->path(), [&] { return Next(out); });
    return failed_;
  }

 private:
  arrow::Status PlanColumns();
  arrow::Status Next(std::shared_ptr<arrow::RecordBatch>* out);
  arrow::Status OpenRowGroup();
  RowRanges SelectedRows(int row_group);
  arrow::Status Filter();
  arrow::Result<arrow::ArrayVector> ReadPayload(const RowRanges& rows);
  arrow::Status Emit(const RowRanges& rows, std::shared_ptr<arrow::RecordBatch>* out);
  arrow::Result<std::shared_ptr<arrow::Array>> Positions(const RowRanges& rows) const;

  const std::shared_ptr<const ParquetFile> file_;
  const ReadRequest request_;
  arrow::MemoryPool* const pool_;
  arrow::ProxyMemoryPool pages_of_reader_;  // a capped pool counts all that the pool below it has handed out
  arrow::CappedMemoryPool page_pool_;
  arrow::Status failed_;

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Field> filter_fields_;
  std::vector<ColumnPlan> filter_plans_, payload_plans_;
  std::vector<Source> sources_;  // one a field of the request
  std::shared_ptr<const BoundPredicate> predicate_;
  std::shared_ptr<arrow::Schema> filter_schema_, payload_schema_;

  int next_row_group_ = 0;
  size_t next_selected_ = 0;  // range of request_.selection
  // Of the open row group:
  int row_group_ = -1;
  RowQueue candidates_;  // rows that may be wanted
  std::unique_ptr<RowGroupColumns> filter_columns_, payload_columns_;
  // Rows for which the predicate holds, with their filter columns:
  RowQueue survivors_;
  arrow::ArrayVector survivor_columns_;
  int64_t survivor_offset_ = 0;
};

arrow::Status ParquetReader::Init() {
  if (request_.batch_rows <= 0) return Invalid("batch_rows must be positive, is ", request_.batch_rows);
  ARROW_RETURN_NOT_OK(PlanColumns());
  arrow::FieldVector fields;
  for (size_t i = 0; i < request_.fields.size(); ++i) {
    const Source& source = sources_[i];
    const ColumnPlan& plan = (source.is_filter ? filter_plans_ : payload_plans_)[source.index];
    ARROW_ASSIGN_OR_RAISE(auto field, ToArrowField(request_.fields[i]));
    fields.push_back(field->WithType(plan.arrow_type));
  }
  if (request_.position_column) fields.push_back(arrow::field(*request_.position_column, arrow::int64(), false));
  schema_ = arrow::schema(std::move(fields));
  return arrow::Status::OK();
}

arrow::Status ParquetReader::PlanColumns() {
  const parquet::SchemaDescriptor& file_schema = *file_->metadata()->schema();
  const bool has_predicate = request_.predicate && request_.predicate->op() != PredicateOp::kTrue;
  if (has_predicate) {
    for (const std::string& name : ColumnsOf(request_.predicate)) {
      const auto field = std::find_if(request_.predicate_fields.begin(), request_.predicate_fields.end(),
                                      [&](const Field& f) { return f.name == name; });
      if (field == request_.predicate_fields.end()) return Invalid("predicate over unknown column ", name);
      filter_fields_.push_back(*field);
    }
    ARROW_ASSIGN_OR_RAISE(predicate_, BoundPredicate::Bind(request_.predicate, filter_fields_));
  }
  const size_t num_predicate_fields = filter_fields_.size();
  for (const Field& field : request_.fields) {
    auto known = std::find_if(filter_fields_.begin(), filter_fields_.begin() + num_predicate_fields, [&](const Field& f) {
      return f.name == field.name && f.type->EqualsIgnoreNullable(*field.type);
    });
    const bool is_filter = known != filter_fields_.begin() + num_predicate_fields;
    // Without late materialisation all columns are read with those of the filter.
    if (!is_filter && has_predicate && !request_.pruning.late_materialization) {
      filter_fields_.push_back(field);
      sources_.push_back({.is_filter = true, .index = filter_fields_.size() - 1});
    } else if (is_filter) {
      sources_.push_back({.is_filter = true, .index = static_cast<size_t>(known - filter_fields_.begin())});
    } else {
      sources_.push_back({.is_filter = false, .index = payload_plans_.size()});
      ARROW_ASSIGN_OR_RAISE(ColumnPlan plan, PlanColumn(file_schema, file_->path(), field, request_.string_views));
      payload_plans_.push_back(std::move(plan));
    }
  }
  arrow::FieldVector arrow_fields, payload_fields;
  for (const Field& field : filter_fields_) {
    ARROW_ASSIGN_OR_RAISE(ColumnPlan plan, PlanColumn(file_schema, file_->path(), field, request_.string_views));
    arrow_fields.push_back(arrow::field(field.name, plan.arrow_type));
    filter_plans_.push_back(std::move(plan));
  }
  filter_schema_ = arrow::schema(std::move(arrow_fields));
  for (const ColumnPlan& plan : payload_plans_) payload_fields.push_back(arrow::field(plan.name, plan.arrow_type));
  payload_schema_ = arrow::schema(std::move(payload_fields));
  return arrow::Status::OK();
}

RowRanges ParquetReader::SelectedRows(int row_group) {
  const int64_t begin = file_->row_group_begin(row_group), num_rows = file_->row_group_rows(row_group);
  if (!request_.selection) return RowRanges::All(num_rows);
  RowRanges rows;
  const auto& ranges = request_.selection->ranges();
  while (next_selected_ < ranges.size() && ranges[next_selected_].end <= begin) ++next_selected_;
  for (size_t i = next_selected_; i < ranges.size() && ranges[i].begin < begin + num_rows; ++i) {
    rows.Append({std::max<int64_t>(ranges[i].begin - begin, 0), std::min(ranges[i].end - begin, num_rows)});
  }
  return rows;
}

arrow::Status ParquetReader::OpenRowGroup() {
  row_group_ = next_row_group_++;
  RowRanges rows = SelectedRows(row_group_);
  if (predicate_ && !rows.empty()) {
    ARROW_ASSIGN_OR_RAISE(const RowRanges may_match, CandidateRows(*file_, row_group_, *request_.predicate, filter_fields_,
                                                                   filter_plans_, request_.pruning));
    rows = rows.Intersect(may_match);
  }
  if (rows.empty()) return arrow::Status::OK();
  const bool all = rows.num_rows() == file_->row_group_rows(row_group_);
  const ParquetPools pools{&page_pool_, pool_};
  std::vector<PendingRead> reads;
  ARROW_ASSIGN_OR_RAISE(filter_columns_,
                        RowGroupColumns::Open(*file_, row_group_, filter_plans_, !all, request_.read_ahead_bytes, pools));
  filter_columns_->Want(Covering(rows), &reads);
  const bool late = predicate_ && !payload_plans_.empty();
  ARROW_ASSIGN_OR_RAISE(payload_columns_, RowGroupColumns::Open(*file_, row_group_, payload_plans_, !all || late,
                                                                request_.read_ahead_bytes, pools));
  if (!predicate_) payload_columns_->Want(Covering(rows), &reads);
  ARROW_RETURN_NOT_OK(ReadTogether(*file_, std::move(reads), request_.read_ahead_bytes, &page_pool_));
  candidates_ = RowQueue(rows);
  return arrow::Status::OK();
}

arrow::Status ParquetReader::Next(std::shared_ptr<arrow::RecordBatch>* out) {
  while (true) {
    if (!survivors_.empty()) return Emit(survivors_.Take(request_.batch_rows), out);
    if (!candidates_.empty()) {
      if (!predicate_) return Emit(candidates_.Take(request_.batch_rows), out);
      ARROW_RETURN_NOT_OK(Filter());
    } else if (next_row_group_ < file_->num_row_groups()) {
      ARROW_RETURN_NOT_OK(OpenRowGroup());
    } else {
      return arrow::Status::OK();
    }
  }
}

/// Evaluates the predicate until a batch of rows has passed or the row group ends.
arrow::Status ParquetReader::Filter() {
  RowRanges passed;
  int64_t num_passed = 0;
  std::vector<arrow::ArrayVector> pieces(filter_plans_.size());
  std::vector<uint8_t> mask;
  while (!candidates_.empty() && num_passed < request_.batch_rows) {
    const RowRanges rows = candidates_.Take(request_.batch_rows);
    const RowRanges covering = Covering(rows);
    ARROW_ASSIGN_OR_RAISE(auto columns, filter_columns_->Read(covering));
    const auto batch = arrow::RecordBatch::Make(filter_schema_, covering.num_rows(), std::move(columns));
    mask.assign(batch->num_rows(), 0);
    ARROW_RETURN_NOT_OK(predicate_->Evaluate(*batch, mask.data()));
    if (!(covering == rows)) {
      const std::vector<uint8_t> wanted = MaskOf(rows, covering);
      for (size_t i = 0; i < mask.size(); ++i) mask[i] &= wanted[i];
    }
    const uint8_t* row_mask = mask.data();
    for (const RowRange& range : covering.ranges()) {
      for (int64_t row = range.begin; row < range.end; ++row, ++row_mask) {
        if (*row_mask) passed.Append({row, row + 1});
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto filtered, FilterByMask(batch, mask.data(), pool_));
    num_passed += filtered->num_rows();
    if (filtered->num_rows() == 0) continue;
    for (size_t i = 0; i < pieces.size(); ++i) pieces[i].push_back(filtered->column(static_cast<int>(i)));
  }
  if (num_passed == 0) return arrow::Status::OK();
  survivor_columns_.assign(pieces.size(), nullptr);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].size() == 1) {
      survivor_columns_[i] = pieces[i][0];
    } else {
      ARROW_ASSIGN_OR_RAISE(survivor_columns_[i], arrow::Concatenate(pieces[i], pool_));
    }
  }
  survivor_offset_ = 0;
  std::vector<PendingRead> reads;
  payload_columns_->Want(Covering(passed), &reads);
  ARROW_RETURN_NOT_OK(ReadTogether(*file_, std::move(reads), request_.read_ahead_bytes, &page_pool_));
  survivors_ = RowQueue(std::move(passed));
  return arrow::Status::OK();
}

arrow::Result<arrow::ArrayVector> ParquetReader::ReadPayload(const RowRanges& rows) {
  const RowRanges covering = Covering(rows);
  ARROW_ASSIGN_OR_RAISE(auto columns, payload_columns_->Read(covering));
  if (columns.empty() || covering == rows) return columns;
  const auto batch = arrow::RecordBatch::Make(payload_schema_, covering.num_rows(), std::move(columns));
  ARROW_ASSIGN_OR_RAISE(const auto filtered, FilterByMask(batch, MaskOf(rows, covering).data(), pool_));
  return filtered->columns();
}

arrow::Status ParquetReader::Emit(const RowRanges& rows, std::shared_ptr<arrow::RecordBatch>* out) {
  const int64_t num_rows = rows.num_rows();
  ARROW_ASSIGN_OR_RAISE(auto payload, ReadPayload(rows));
  arrow::ArrayVector columns;
  for (const Source& source : sources_) {
    columns.push_back(source.is_filter ? survivor_columns_[source.index]->Slice(survivor_offset_, num_rows)
                                       : payload[source.index]);
  }
  if (request_.position_column) {
    ARROW_ASSIGN_OR_RAISE(auto positions, Positions(rows));
    columns.push_back(std::move(positions));
  }
  survivor_offset_ += num_rows;
  *out = arrow::RecordBatch::Make(schema_, num_rows, std::move(columns));
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> ParquetReader::Positions(const RowRanges& rows) const {
  const int64_t begin = file_->row_group_begin(row_group_);
  arrow::Int64Builder builder(pool_);
  ARROW_RETURN_NOT_OK(builder.Reserve(rows.num_rows()));
  for (const RowRange& range : rows.ranges()) {
    for (int64_t row = range.begin; row < range.end; ++row) builder.UnsafeAppend(begin + row);
  }
  return builder.Finish();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeParquetReader(std::shared_ptr<const ParquetFile> file,
                                                                           const ReadRequest& request) {
  const std::string path = file->path();
  auto reader = std::make_shared<ParquetReader>(std::move(file), request);
  ARROW_RETURN_NOT_OK(CatchParquet(path, [&] { return reader->Init(); }));
  return reader;
}

}  // namespace bactrian
