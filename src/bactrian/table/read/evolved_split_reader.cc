#include "bactrian/table/read/evolved_split_reader.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/table/plan/row_groups.h"
#include "bactrian/table/read/batch_plan.h"
#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/file_reader.h"
#include "bactrian/table/schema_evolution.h"

namespace bactrian {
namespace {

using ReaderPtr = std::shared_ptr<arrow::RecordBatchReader>;
using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

/// What all groups of a split have in common.
struct EvolvedSpec {
  std::shared_ptr<const ReadSpec> scan;
  std::shared_ptr<const DataSplit> split;
  std::vector<Field> fields;  ///< the scan's, then what only its predicate needs
  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<const BoundPredicate> residual;  ///< over `fields`; may be null
};

arrow::Result<std::shared_ptr<const EvolvedSpec>> MakeEvolvedSpec(std::shared_ptr<const ReadSpec> scan,
                                                                  std::shared_ptr<const DataSplit> split) {
  auto spec = std::make_shared<EvolvedSpec>();
  spec->fields = scan->fields;
  for (const std::string& column : ColumnsOf(scan->predicate)) {
    const auto has_name = [&](const Field& field) { return field.name == column; };
    if (std::any_of(spec->fields.begin(), spec->fields.end(), has_name)) continue;
    spec->fields.push_back(*scan->context.schema->FindField(column));
  }
  ARROW_ASSIGN_OR_RAISE(spec->schema, BatchSchema(spec->fields, scan->string_views));
  if (scan->predicate->op() != PredicateOp::kTrue) {
    ARROW_ASSIGN_OR_RAISE(spec->residual, BoundPredicate::Bind(scan->predicate, spec->fields));
  }
  spec->scan = std::move(scan);
  spec->split = std::move(split);
  return spec;
}

/// One file's part in a group: columns at these places among the group's.
struct Part {
  ReaderPtr reader;
  std::vector<int> targets;
  BatchPtr batch = nullptr;  ///< what is left of the current one
};

/// Joins columns by position.
class ZippingReader final : public arrow::RecordBatchReader {
 public:
  ZippingReader(std::shared_ptr<const EvolvedSpec> spec, std::vector<Part> parts)
      : spec_(std::move(spec)), parts_(std::move(parts)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->scan->schema; }

  arrow::Status ReadNext(BatchPtr* batch) override {
    arrow::MemoryPool* pool = spec_->scan->session->memory_pool();
    do {
      ARROW_RETURN_NOT_OK(Join(batch));
      if (!*batch) return arrow::Status::OK();
      if (spec_->residual) {
        mask_.resize((*batch)->num_rows());
        ARROW_RETURN_NOT_OK(spec_->residual->Evaluate(**batch, mask_.data()));
        ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(*batch, mask_.data(), pool));
      }
    } while ((*batch)->num_rows() == 0);
    arrow::ArrayVector columns = (*batch)->columns();
    columns.resize(schema()->num_fields());
    *batch = arrow::RecordBatch::Make(schema(), (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  arrow::Status Join(BatchPtr* joined) {
    int64_t rows = INT64_MAX;
    size_t ended = 0;
    for (Part& part : parts_) {
      if (!part.batch || part.batch->num_rows() == 0) ARROW_RETURN_NOT_OK(part.reader->ReadNext(&part.batch));
      ended += part.batch == nullptr;
      rows = std::min(rows, part.batch ? part.batch->num_rows() : 0);
    }
    joined->reset();
    if (ended == parts_.size()) return arrow::Status::OK();
    if (ended > 0) return Corrupt("files of bucket ", spec_->split->path, " that hold the same rows differ in length");
    arrow::ArrayVector columns(spec_->fields.size());
    for (Part& part : parts_) {
      for (size_t i = 0; i < part.targets.size(); ++i) {
        columns[part.targets[i]] = part.batch->column(static_cast<int>(i))->Slice(0, rows);
      }
      part.batch = part.batch->Slice(rows);
    }
    *joined = arrow::RecordBatch::Make(spec_->schema, rows, std::move(columns));
    return arrow::Status::OK();
  }

  std::shared_ptr<const EvolvedSpec> spec_;
  std::vector<Part> parts_;
  std::vector<uint8_t> mask_;
};

class GroupOpener {
 public:
  GroupOpener(std::shared_ptr<const EvolvedSpec> spec, std::vector<SplitFile> group)
      : spec_(std::move(spec)), group_(std::move(group)) {}

  arrow::Result<ReaderPtr> Open() {
    const auto older = [](const SplitFile& a, const SplitFile& b) {
      return std::pair(a.meta->max_sequence_number, a.meta->file_name) <
             std::pair(b.meta->max_sequence_number, b.meta->file_name);
    };
    const std::optional<DeletionFile> deletion = std::min_element(group_.begin(), group_.end(), older)->deletion;
    for (SplitFile& file : group_) file.deletion = deletion;
    std::stable_sort(group_.begin(), group_.end(), [](const SplitFile& a, const SplitFile& b) {
      return a.meta->max_sequence_number > b.meta->max_sequence_number;
    });
    ARROW_ASSIGN_OR_RAISE(const std::vector<std::vector<int>> columns, AssignColumns());
    std::vector<Part> parts;
    for (size_t file = 0; file < group_.size(); ++file) {
      if (columns[file].empty() && !(parts.empty() && file + 1 == group_.size())) continue;
      ARROW_ASSIGN_OR_RAISE(ReaderPtr reader, OpenPart(group_[file], columns[file]));
      parts.push_back({std::move(reader), columns[file]});
    }
    return std::make_shared<ZippingReader>(spec_, std::move(parts));
  }

 private:
  /// Of each file, newest first, the columns that it supplies. What no file has, and what is no column of the table, comes from
  /// the first that supplies any.
  arrow::Result<std::vector<std::vector<int>>> AssignColumns() const {
    std::vector<std::vector<int>> columns(group_.size());
    std::vector<int> nowhere;
    for (size_t i = 0; i < spec_->fields.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const size_t file, FileWith(spec_->fields[i].id));
      (file < group_.size() ? columns[file] : nowhere).push_back(static_cast<int>(i));
    }
    auto first = std::find_if(columns.begin(), columns.end(), [](const auto& some) { return !some.empty(); });
    if (first == columns.end()) first = columns.begin();
    first->insert(first->end(), nowhere.begin(), nowhere.end());
    return columns;
  }

  arrow::Result<size_t> FileWith(int32_t field_id) const {
    for (size_t file = 0; file < group_.size(); ++file) {
      const SchemaStore& schemas = group_[file].schemas ? *group_[file].schemas : *spec_->scan->context.schemas;
      ARROW_ASSIGN_OR_RAISE(const auto schema, schemas.Load(group_[file].meta->schema_id));
      if (FindFieldById(PhysicalFields(*schema, *group_[file].meta), field_id)) return file;
    }
    return group_.size();
  }

  arrow::Result<ReaderPtr> OpenPart(const SplitFile& file, const std::vector<int>& columns) const {
    auto part = std::make_shared<ReadSpec>(*spec_->scan);
    part->fields.clear();
    for (int column : columns) part->fields.push_back(spec_->fields[column]);
    part->predicate = Predicate::True();
    part->limit.reset();
    ARROW_ASSIGN_OR_RAISE(part->schema, BatchSchema(part->fields, part->string_views));
    CompiledProjection compiled;
    return OpenDataFile(part, *spec_->split, file, &compiled);
  }

  std::shared_ptr<const EvolvedSpec> spec_;
  std::vector<SplitFile> group_;
};

}  // namespace

arrow::Result<ReaderPtr> MakeEvolvedSplitReader(std::shared_ptr<const ReadSpec> scan, std::shared_ptr<const DataSplit> split) {
  ARROW_ASSIGN_OR_RAISE(auto groups, GroupByRows(split->files));
  ARROW_ASSIGN_OR_RAISE(auto spec, MakeEvolvedSpec(std::move(scan), std::move(split)));
  auto open = [spec, groups = std::move(groups), next = size_t{0}](size_t) mutable -> arrow::Result<ReaderPtr> {
    while (next < groups.size()) {
      std::vector<SplitFile>& group = groups[next++];
      if (group.size() > 1) return GroupOpener(spec, std::move(group)).Open();
      CompiledProjection compiled;
      ARROW_ASSIGN_OR_RAISE(ReaderPtr reader, OpenDataFile(spec->scan, *spec->split, group.front(), &compiled));
      if (reader) return reader;
    }
    return nullptr;
  };
  const auto limit = spec->scan->limit;
  return std::make_shared<ChainedReader>(spec->scan->schema, std::move(open), limit);
}

}  // namespace bactrian
