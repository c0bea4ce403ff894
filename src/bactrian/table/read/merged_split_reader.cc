#include "bactrian/table/read/merged_split_reader.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bactrian/expr/conjuncts.h"
#include "bactrian/expr/evaluate.h"
#include "bactrian/merge/table_merge.h"
#include "bactrian/table/plan/key_sections.h"
#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/file_reader.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

using ReaderPtr = std::shared_ptr<arrow::RecordBatchReader>;

/// What the sections of one split have in common.
struct MergeSpec {
  std::shared_ptr<const ReadSpec> scan;
  /// Of single files: the layout's values, keys that are none of them, sequence number and kind. Files that overlap others are
  /// filtered by key only.
  std::shared_ptr<const ReadSpec> overlapping, alone;
  KeyValueLayout layout;
  std::shared_ptr<arrow::Schema> layout_schema;
  std::vector<int> layout_columns;  ///< where column i of the layout is in a file's batch
  MergeOptions options;
  std::vector<Field> output;                       ///< what options.output_columns gives: the scan's fields come first
  std::shared_ptr<const BoundPredicate> residual;  ///< over `output`; may be null
  bool sequence_of_file = false;                   ///< option sequence.snapshot-ordering
};

int IndexOf(const std::vector<Field>& fields, std::string_view name) {
  auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

arrow::Result<std::shared_ptr<const ReadSpec>> FileSpec(const ReadSpec& scan, std::vector<Field> fields,
                                                        PredicatePtr predicate) {
  auto spec = std::make_shared<ReadSpec>(scan);
  spec->fields = std::move(fields);
  spec->predicate = std::move(predicate);
  spec->limit.reset();
  spec->string_views = false;
  spec->stored_kinds = true;
  ARROW_ASSIGN_OR_RAISE(spec->schema, BatchSchema(spec->fields, /*string_views=*/false));
  return spec;
}

/// What goes out: the scan's fields, then what only its predicate needs; at least one column, to count rows by.
arrow::Status ChooseOutput(const ReadSpec& scan, MergeSpec* spec) {
  spec->output = scan.fields;
  for (const std::string& column : ColumnsOf(scan.predicate)) {
    if (IndexOf(spec->output, column) < 0) spec->output.push_back(*scan.context.schema->FindField(column));
  }
  if (spec->output.empty()) spec->output.push_back(ValueKindField());
  if (scan.predicate->op() != PredicateOp::kTrue) {
    ARROW_ASSIGN_OR_RAISE(spec->residual, BoundPredicate::Bind(scan.predicate, spec->output));
  }
  return arrow::Status::OK();
}

int LayoutColumn(const KeyValueLayout& layout, const Field& field) {
  if (field.id == kValueKindFieldId) return layout.kind_index();
  if (field.id == kSequenceNumberFieldId) return layout.sequence_index();
  return layout.value_index(IndexOf(layout.values, field.name));
}

arrow::Result<std::shared_ptr<const MergeSpec>> MakeMergeSpec(std::shared_ptr<const ReadSpec> scan) {
  const TableSchema& schema = *scan->context.schema;
  auto spec = std::make_shared<MergeSpec>();
  ARROW_RETURN_NOT_OK(ChooseOutput(*scan, spec.get()));
  std::vector<std::string> names;
  for (const Field& field : spec->output) {
    if (field.id != kValueKindFieldId && field.id != kSequenceNumberFieldId) names.push_back(field.name);
  }
  ARROW_ASSIGN_OR_RAISE(names, ColumnsToMerge(schema, names));
  KeyValueLayout& layout = spec->layout;
  for (const std::string& name : names) layout.values.push_back(*schema.FindField(name));
  for (const std::string& name : schema.TrimmedPrimaryKeys()) layout.keys.push_back(*schema.FindField(name));
  ARROW_ASSIGN_OR_RAISE(spec->layout_schema, layout.ArrowSchema());

  std::vector<Field> fields = layout.values;
  for (const Field& key : layout.keys) {
    if (IndexOf(fields, key.name) < 0) fields.push_back(key);
    spec->layout_columns.push_back(IndexOf(fields, key.name));
  }
  fields.push_back(SequenceNumberField());
  fields.push_back(ValueKindField());
  spec->layout_columns.push_back(static_cast<int>(fields.size()) - 2);
  spec->layout_columns.push_back(static_cast<int>(fields.size()) - 1);
  for (size_t i = 0; i < layout.values.size(); ++i) spec->layout_columns.push_back(static_cast<int>(i));

  ARROW_ASSIGN_OR_RAISE(spec->options, MakeTableMergeOptions(schema, layout));
  spec->options.keep_retracts = scan->keep_deletes;
  spec->options.batch_rows = scan->batch_rows;
  spec->options.pool = scan->session->memory_pool();
  for (const Field& field : spec->output) {
    spec->options.output_columns.push_back(LayoutColumn(layout, field));
  }
  ARROW_ASSIGN_OR_RAISE(spec->sequence_of_file, CoreOptions(schema.options).GetBool("sequence.snapshot-ordering", false));
  ARROW_ASSIGN_OR_RAISE(spec->overlapping,
                        FileSpec(*scan, fields, ConjunctsOver(scan->predicate, schema.primary_keys, /*inside=*/true)));
  ARROW_ASSIGN_OR_RAISE(spec->alone, FileSpec(*scan, fields, scan->predicate));
  spec->scan = std::move(scan);
  return spec;
}

/// A file's batches in the merge's layout.
class LayoutReader final : public arrow::RecordBatchReader {
 public:
  LayoutReader(std::shared_ptr<const MergeSpec> spec, ReaderPtr source, int64_t file_sequence)
      : spec_(std::move(spec)), source_(std::move(source)), file_sequence_(file_sequence) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->layout_schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
    if (!*batch) return arrow::Status::OK();
    arrow::ArrayVector columns;
    for (int column : spec_->layout_columns) columns.push_back((*batch)->column(column));
    if (spec_->sequence_of_file) {
      ARROW_ASSIGN_OR_RAISE(
          columns[spec_->layout.sequence_index()],
          arrow::MakeArrayFromScalar(arrow::Int64Scalar(file_sequence_), (*batch)->num_rows(), spec_->options.pool));
    }
    *batch = arrow::RecordBatch::Make(spec_->layout_schema, (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<const MergeSpec> spec_;
  ReaderPtr source_;
  int64_t file_sequence_;
};

/// A section of one run: each record is its key's only one, so nothing is merged.
class SingleRunReader final : public arrow::RecordBatchReader {
 public:
  SingleRunReader(std::shared_ptr<const MergeSpec> spec, ReaderPtr source)
      : spec_(std::move(spec)), source_(std::move(source)) {
    arrow::FieldVector fields;
    for (int column : spec_->options.output_columns) fields.push_back(spec_->layout_schema->field(column));
    schema_ = arrow::schema(std::move(fields));
  }
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
    if (!*batch) return arrow::Status::OK();
    if (!spec_->options.keep_retracts) {
      const auto& kinds = static_cast<const arrow::Int8Array&>(*(*batch)->column(spec_->layout.kind_index()));
      mask_.resize(kinds.length());
      for (int64_t i = 0; i < kinds.length(); ++i) mask_[i] = !IsRetract(RowKind{kinds.Value(i)});
      ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(*batch, mask_.data(), spec_->options.pool));
    }
    arrow::ArrayVector columns;
    for (int column : spec_->options.output_columns) columns.push_back((*batch)->column(column));
    *batch = arrow::RecordBatch::Make(schema_, (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<const MergeSpec> spec_;
  ReaderPtr source_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<uint8_t> mask_;
};

/// Checks the predicate on merged rows and leaves what the scan asked for.
class FinishingReader final : public arrow::RecordBatchReader {
 public:
  FinishingReader(std::shared_ptr<const MergeSpec> spec, ReaderPtr source)
      : spec_(std::move(spec)), source_(std::move(source)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->scan->schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    do {
      ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
      if (!*batch) return arrow::Status::OK();
      if (spec_->residual) {
        mask_.resize((*batch)->num_rows());
        ARROW_RETURN_NOT_OK(spec_->residual->Evaluate(**batch, mask_.data()));
        ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(*batch, mask_.data(), spec_->options.pool));
      }
    } while ((*batch)->num_rows() == 0);
    arrow::ArrayVector columns;
    arrow::compute::ExecContext context(spec_->options.pool);
    for (int i = 0; i < schema()->num_fields(); ++i) {
      std::shared_ptr<arrow::Array>& column = columns.emplace_back((*batch)->column(i));
      const std::shared_ptr<arrow::DataType>& type = schema()->field(i)->type();
      if (column->type()->Equals(*type)) continue;
      ARROW_ASSIGN_OR_RAISE(column, arrow::compute::Cast(*column, type, arrow::compute::CastOptions::Safe(), &context));
    }
    *batch = arrow::RecordBatch::Make(schema(), (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<const MergeSpec> spec_;
  ReaderPtr source_;
  std::vector<uint8_t> mask_;
};

class SectionOpener {
 public:
  SectionOpener(std::shared_ptr<const MergeSpec> spec, std::shared_ptr<const DataSplit> split)
      : spec_(std::move(spec)), split_(std::move(split)) {}

  arrow::Result<ReaderPtr> Open(const Section& section) const {
    if (section.size() == 1) {
      return std::make_shared<SingleRunReader>(spec_, OpenRun(spec_->alone, FilesOf(section.front())));
    }
    std::vector<SortedRun> runs;
    for (const std::vector<const SplitFile*>& files : RunsOf(section)) {
      runs.push_back({OpenRun(spec_->overlapping, files), files.front()->meta->level});
    }
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<MergeFunction> function,
                          MakeTableMergeFunction(*spec_->scan->context.schema, spec_->layout));
    return MergeRuns(spec_->layout, std::move(runs), std::move(function), spec_->options);
  }

 private:
  using Files = std::vector<const SplitFile*>;

  Files FilesOf(const RunOfFiles& run) const {
    Files files;
    for (const KeyRange& range : run) files.push_back(&split_->files[range.file]);
    return files;
  }

  /// Where levels count, a run holds files of one level only.
  std::vector<Files> RunsOf(const Section& section) const {
    std::vector<Files> runs;
    std::map<int32_t, size_t> by_level;
    for (const RunOfFiles& run : section) {
      if (!spec_->options.newest_level_only) {
        runs.push_back(FilesOf(run));
        continue;
      }
      for (const SplitFile* file : FilesOf(run)) {
        const int32_t level = file->meta->level;
        if (level == 0 || !by_level.contains(level)) {
          if (level > 0) by_level[level] = runs.size();
          runs.push_back({file});
        } else {
          runs[by_level[level]].push_back(file);
        }
      }
    }
    for (auto [level, run] : by_level) SortByKey(section, &runs[run]);
    return runs;
  }

  void SortByKey(const Section& section, Files* run) const {
    std::map<const SplitFile*, const KeyRange*> ranges;
    for (const RunOfFiles& files : section) {
      for (const KeyRange& range : files) ranges[&split_->files[range.file]] = &range;
    }
    std::sort(run->begin(), run->end(),
              [&](const SplitFile* a, const SplitFile* b) { return CompareKeys(ranges[a]->min, ranges[b]->min) < 0; });
  }

  ReaderPtr OpenRun(const std::shared_ptr<const ReadSpec>& file_spec, Files files) const {
    auto open = [spec = spec_, split = split_, file_spec, files = std::move(files), next = size_t{0},
                 compiled = CompiledProjection()](size_t) mutable -> arrow::Result<ReaderPtr> {
      while (next < files.size()) {
        const SplitFile& file = *files[next++];
        ARROW_ASSIGN_OR_RAISE(ReaderPtr reader, OpenDataFile(file_spec, *split, file, &compiled));
        if (reader) return std::make_shared<LayoutReader>(spec, std::move(reader), file.meta->min_sequence_number);
      }
      return nullptr;
    };
    return std::make_shared<ChainedReader>(spec_->layout_schema, std::move(open), std::nullopt);
  }

  std::shared_ptr<const MergeSpec> spec_;
  std::shared_ptr<const DataSplit> split_;
};

}  // namespace

arrow::Result<ReaderPtr> MakeMergedSplitReader(std::shared_ptr<const ReadSpec> scan, std::shared_ptr<const DataSplit> split) {
  ARROW_ASSIGN_OR_RAISE(std::vector<Section> sections, SectionsOf(*scan->context.schema, split->files));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const MergeSpec> spec, MakeMergeSpec(std::move(scan)));
  auto open = [spec, sections = std::move(sections),
               opener = SectionOpener(spec, std::move(split))](size_t i) -> arrow::Result<ReaderPtr> {
    if (i == sections.size()) return nullptr;
    ARROW_ASSIGN_OR_RAISE(ReaderPtr merged, opener.Open(sections[i]));
    return std::make_shared<FinishingReader>(spec, std::move(merged));
  };
  return std::make_shared<ChainedReader>(spec->scan->schema, std::move(open), spec->scan->limit);
}

}  // namespace bactrian
