#include "bactrian/table/read/diff_reader.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compare.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/conjuncts.h"
#include "bactrian/expr/evaluate.h"
#include "bactrian/merge/merge_runs.h"
#include "bactrian/table/read/batch_plan.h"
#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/merged_split_reader.h"

namespace bactrian {
namespace {

using ReaderPtr = std::shared_ptr<arrow::RecordBatchReader>;
using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// The two states take part in one merge as runs of these sequence numbers. A row of the older one goes in retracted, so that it
// comes out as a -D where the newer state has none of its key; what was retracted already goes in as -U.
constexpr int64_t kBefore = 0, kAfter = 1;
constexpr int8_t kWasThere = static_cast<int8_t>(RowKind::kDelete), kWasRetracted = static_cast<int8_t>(RowKind::kUpdateBefore);

struct DiffSpec {
  std::shared_ptr<const ReadSpec> scan;
  std::shared_ptr<const ReadSpec> state;  ///< all columns, kinds kept, filtered by key alone
  KeyValueLayout layout;                  ///< values: the columns of `state`
  std::shared_ptr<arrow::Schema> layout_schema;
  std::shared_ptr<const BoundPredicate> residual;  ///< over the layout's values; may be null
};

bool IsSystemField(const Field& field) { return field.id == kValueKindFieldId || field.id == kSequenceNumberFieldId; }

arrow::Result<std::shared_ptr<const ReadSpec>> StateSpec(const ReadSpec& scan) {
  const TableSchema& schema = *scan.context.schema;
  auto spec = std::make_shared<ReadSpec>(scan);
  spec->fields = schema.fields;
  spec->fields.push_back(SequenceNumberField());
  spec->fields.push_back(ValueKindField());
  spec->predicate = ConjunctsOver(scan.predicate, schema.primary_keys, /*inside=*/true);
  spec->limit.reset();
  spec->string_views = false;
  spec->keep_deletes = true;
  ARROW_ASSIGN_OR_RAISE(spec->schema, BatchSchema(spec->fields, /*string_views=*/false));
  return spec;
}

arrow::Result<std::shared_ptr<const DiffSpec>> MakeDiffSpec(std::shared_ptr<const ReadSpec> scan) {
  auto spec = std::make_shared<DiffSpec>();
  ARROW_ASSIGN_OR_RAISE(spec->state, StateSpec(*scan));
  for (const std::string& key : scan->context.schema->TrimmedPrimaryKeys()) {
    spec->layout.keys.push_back(*scan->context.schema->FindField(key));
  }
  spec->layout.values = spec->state->fields;
  ARROW_ASSIGN_OR_RAISE(spec->layout_schema, spec->layout.ArrowSchema());
  if (scan->predicate->op() != PredicateOp::kTrue) {
    ARROW_ASSIGN_OR_RAISE(spec->residual, BoundPredicate::Bind(scan->predicate, spec->layout.values));
  }
  spec->scan = std::move(scan);
  return spec;
}

arrow::Result<ReaderPtr> ReadMerged(const std::shared_ptr<const ReadSpec>& spec, const DataSplit& split,
                                    std::vector<SplitFile> files) {
  auto side = std::make_shared<DataSplit>(split);
  side->files = std::move(files);
  side->before.reset();
  return MakeMergedSplitReader(spec, std::move(side));
}

/// One state's rows in the merge's layout.
class StateReader final : public arrow::RecordBatchReader {
 public:
  StateReader(std::shared_ptr<const DiffSpec> spec, ReaderPtr source, int64_t side)
      : spec_(std::move(spec)), source_(std::move(source)), side_(side) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->layout_schema; }

  arrow::Status ReadNext(BatchPtr* batch) override {
    ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
    if (!*batch) return arrow::Status::OK();
    arrow::MemoryPool* pool = spec_->scan->session->memory_pool();
    arrow::ArrayVector columns;
    for (const Field& key : spec_->layout.keys) columns.push_back((*batch)->GetColumnByName(key.name));
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                          arrow::MakeArrayFromScalar(arrow::Int64Scalar(side_), (*batch)->num_rows(), pool));
    const auto& kinds = static_cast<const arrow::Int8Array&>(*(*batch)->column((*batch)->num_columns() - 1));
    arrow::Int8Builder builder(pool);
    ARROW_RETURN_NOT_OK(builder.Reserve(kinds.length()));
    for (int64_t i = 0; i < kinds.length(); ++i) {
      const bool retracts = IsRetract(RowKind{kinds.Value(i)});
      builder.UnsafeAppend(side_ == kAfter ? kinds.Value(i) : (retracts ? kWasRetracted : kWasThere));
    }
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder.Finish());
    for (const auto& column : (*batch)->columns()) columns.push_back(column);
    *batch = arrow::RecordBatch::Make(spec_->layout_schema, (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<const DiffSpec> spec_;
  ReaderPtr source_;
  int64_t side_;
};

/// Of a key that both states have, the newer row if it is another one.
class KeepDifference final : public MergeFunction {
 public:
  explicit KeepDifference(std::shared_ptr<const DiffSpec> spec) : spec_(std::move(spec)) {}
  bool selects() const override { return true; }

  arrow::Status Select(const Groups& groups, int32_t* winners) const override {
    for (int64_t g = 0; g < groups.num_groups(); ++g) {
      const uint32_t before = groups.offsets[g];
      winners[g] = Equal(groups, groups.rows[before], groups.rows[before + 1]) ? -1 : static_cast<int32_t>(before) + 1;
    }
    return arrow::Status::OK();
  }

 private:
  bool Equal(const Groups& groups, const RowRef& before, const RowRef& after) const {
    const arrow::RecordBatch &old_rows = *groups.sources[before.source], &new_rows = *groups.sources[after.source];
    const KeyValueLayout& layout = spec_->layout;
    const auto kind = [&](const arrow::RecordBatch& rows, uint32_t row) {
      return static_cast<const arrow::Int8Array&>(*rows.column(layout.kind_index())).Value(row);
    };
    if ((kind(old_rows, before.row) == kWasThere) == IsRetract(RowKind{kind(new_rows, after.row)})) return false;
    const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
    for (size_t v = 0; v < layout.values.size(); ++v) {
      if (IsSystemField(layout.values[v])) continue;
      const int column = layout.value_index(static_cast<int>(v));
      if (!old_rows.column(column)->RangeEquals(*new_rows.column(column), before.row, before.row + 1, after.row, options)) {
        return false;
      }
    }
    return true;
  }

  std::shared_ptr<const DiffSpec> spec_;
};

/// Makes the scan's rows of the merged ones.
class DifferenceReader final : public arrow::RecordBatchReader {
 public:
  DifferenceReader(std::shared_ptr<const DiffSpec> spec, ReaderPtr source)
      : spec_(std::move(spec)), source_(std::move(source)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->scan->schema; }

  arrow::Status ReadNext(BatchPtr* batch) override {
    arrow::MemoryPool* pool = spec_->scan->session->memory_pool();
    do {
      ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
      if (!*batch) return arrow::Status::OK();
      const BatchPtr values = Values(**batch);
      std::vector<uint8_t> mask(values->num_rows(), 1);
      if (spec_->residual) ARROW_RETURN_NOT_OK(spec_->residual->Evaluate(*values, mask.data()));
      HideRetracted(**batch, &mask);
      ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(values, mask.data(), pool));
    } while ((*batch)->num_rows() == 0);
    return SelectColumns(**batch, schema(), pool).Value(batch);
  }

 private:
  /// The columns of the states, with the kinds that the merge gave.
  BatchPtr Values(const arrow::RecordBatch& merged) const {
    const KeyValueLayout& layout = spec_->layout;
    arrow::ArrayVector columns;
    for (size_t v = 0; v < layout.values.size(); ++v) {
      const bool is_kind = layout.values[v].id == kValueKindFieldId;
      columns.push_back(merged.column(is_kind ? layout.kind_index() : layout.value_index(static_cast<int>(v))));
    }
    return arrow::RecordBatch::Make(spec_->state->schema, merged.num_rows(), std::move(columns));
  }

  void HideRetracted(const arrow::RecordBatch& merged, std::vector<uint8_t>* mask) const {
    const auto& kinds = static_cast<const arrow::Int8Array&>(*merged.column(spec_->layout.kind_index()));
    const auto& sides = static_cast<const arrow::Int64Array&>(*merged.column(spec_->layout.sequence_index()));
    for (int64_t i = 0; i < merged.num_rows(); ++i) {
      const bool never_there = sides.Value(i) == kBefore && kinds.Value(i) == kWasRetracted;
      if (never_there || (!spec_->scan->keep_deletes && IsRetract(RowKind{kinds.Value(i)}))) (*mask)[i] = 0;
    }
  }

  std::shared_ptr<const DiffSpec> spec_;
  ReaderPtr source_;
};

/// Takes rows back: all of kind -D; `_VALUE_KIND` is column `kind_column` if that is not negative.
class RetractingReader final : public arrow::RecordBatchReader {
 public:
  RetractingReader(ReaderPtr source, int kind_column, arrow::MemoryPool* pool)
      : source_(std::move(source)), kind_column_(kind_column), pool_(pool) {}
  std::shared_ptr<arrow::Schema> schema() const override { return source_->schema(); }

  arrow::Status ReadNext(BatchPtr* batch) override {
    ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
    if (!*batch || kind_column_ < 0) return arrow::Status::OK();
    arrow::ArrayVector columns = (*batch)->columns();
    const arrow::Int8Scalar retracted(static_cast<int8_t>(RowKind::kDelete));
    ARROW_ASSIGN_OR_RAISE(columns[kind_column_], arrow::MakeArrayFromScalar(retracted, (*batch)->num_rows(), pool_));
    *batch = arrow::RecordBatch::Make(schema(), (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  ReaderPtr source_;
  int kind_column_;
  arrow::MemoryPool* pool_;
};

}  // namespace

arrow::Result<ReaderPtr> MakeDifferenceReader(std::shared_ptr<const ReadSpec> scan, std::shared_ptr<const DataSplit> split) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const DiffSpec> spec, MakeDiffSpec(std::move(scan)));
  std::vector<SortedRun> runs;
  for (const int64_t side : {kBefore, kAfter}) {
    ARROW_ASSIGN_OR_RAISE(ReaderPtr state, ReadMerged(spec->state, *split, side == kBefore ? *split->before : split->files));
    runs.push_back({std::make_shared<StateReader>(spec, std::move(state), side), 0});
  }
  MergeOptions options;
  options.keep_retracts = true;
  options.batch_rows = spec->scan->batch_rows;
  options.pool = spec->scan->session->memory_pool();
  ARROW_ASSIGN_OR_RAISE(ReaderPtr merged,
                        MergeRuns(spec->layout, std::move(runs), std::make_unique<KeepDifference>(spec), std::move(options)));
  auto difference = std::make_shared<DifferenceReader>(spec, std::move(merged));
  auto open = [difference](size_t i) -> arrow::Result<ReaderPtr> { return i == 0 ? difference : nullptr; };
  return std::make_shared<ChainedReader>(spec->scan->schema, std::move(open), spec->scan->limit);
}

arrow::Result<ReaderPtr> MakeReplacementReader(std::shared_ptr<const ReadSpec> scan, std::shared_ptr<const DataSplit> split) {
  auto rows = std::make_shared<ReadSpec>(*scan);
  rows->keep_deletes = false;  // a row that was deleted is neither taken back nor brought
  auto open = [scan = std::shared_ptr<const ReadSpec>(std::move(rows)), split](size_t i) -> arrow::Result<ReaderPtr> {
    if (i > 1) return nullptr;
    ARROW_ASSIGN_OR_RAISE(ReaderPtr side, ReadMerged(scan, *split, i == 0 ? *split->before : split->files));
    if (i == 1) return side;
    const int kind_column = scan->schema->GetFieldIndex(std::string(kValueKindColumn));
    return std::make_shared<RetractingReader>(std::move(side), kind_column, scan->session->memory_pool());
  };
  const auto limit = scan->limit;
  auto schema = scan->schema;
  return std::make_shared<ChainedReader>(std::move(schema), std::move(open), limit);
}

}  // namespace bactrian
