#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "bactrian/merge/merge_function.h"

namespace bactrian {
namespace {

/// The kind column of every source, as plain pointers.
std::vector<const int8_t*> KindsOf(const Groups& groups, int kind_index) {
  std::vector<const int8_t*> kinds;
  kinds.reserve(groups.sources.size());
  for (const auto& source : groups.sources) kinds.push_back(source->column_data(kind_index)->GetValues<int8_t>(1));
  return kinds;
}

class Deduplicate : public MergeFunction {
 public:
  Deduplicate(int kind_index, bool ignore_delete) : kind_index_(kind_index), ignore_delete_(ignore_delete) {}
  bool selects() const override { return true; }

  arrow::Status Select(const Groups& groups, int32_t* winners) const override {
    if (!ignore_delete_) {
      for (int64_t g = 0; g < groups.num_groups(); ++g) winners[g] = static_cast<int32_t>(groups.offsets[g + 1]) - 1;
      return arrow::Status::OK();
    }
    const auto kinds = KindsOf(groups, kind_index_);
    for (int64_t g = 0; g < groups.num_groups(); ++g) {
      auto r = static_cast<int32_t>(groups.offsets[g + 1]) - 1;
      const auto first = static_cast<int32_t>(groups.offsets[g]);
      while (r >= first && IsRetract(RowKind{kinds[groups.rows[r].source][groups.rows[r].row]})) --r;
      winners[g] = r >= first ? r : -1;
    }
    return arrow::Status::OK();
  }

 private:
  const int kind_index_;
  const bool ignore_delete_;
};

class FirstRow : public MergeFunction {
 public:
  FirstRow(int kind_index, bool ignore_delete) : kind_index_(kind_index), ignore_delete_(ignore_delete) {}
  bool selects() const override { return true; }

  arrow::Status Select(const Groups& groups, int32_t* winners) const override {
    const auto kinds = KindsOf(groups, kind_index_);
    for (int64_t g = 0; g < groups.num_groups(); ++g) {
      winners[g] = -1;
      for (uint32_t r = groups.offsets[g]; r < groups.offsets[g + 1]; ++r) {
        if (IsRetract(RowKind{kinds[groups.rows[r].source][groups.rows[r].row]})) {
          if (ignore_delete_) continue;
          return Invalid("merge engine first-row takes no -U or -D records: set ignore-delete=true to skip them");
        }
        if (winners[g] < 0) winners[g] = static_cast<int32_t>(r);
      }
    }
    return arrow::Status::OK();
  }

 private:
  const int kind_index_;
  const bool ignore_delete_;
};

}  // namespace

arrow::Status MergeFunction::Select(const Groups&, int32_t*) const {
  return arrow::Status::UnknownError("this merge function computes, it does not select");
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MergeFunction::Compute(const Groups&, arrow::MemoryPool*) const {
  return arrow::Status::UnknownError("this merge function selects, it does not compute");
}

std::unique_ptr<MergeFunction> MakeDeduplicate(const KeyValueLayout& layout, bool ignore_delete) {
  return std::make_unique<Deduplicate>(layout.kind_index(), ignore_delete);
}

std::unique_ptr<MergeFunction> MakeFirstRow(const KeyValueLayout& layout, bool ignore_delete) {
  return std::make_unique<FirstRow>(layout.kind_index(), ignore_delete);
}

arrow::Result<std::shared_ptr<arrow::Schema>> KeyValueLayout::ArrowSchema() const {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const Field& key : keys) {
    ARROW_ASSIGN_OR_RAISE(fields.emplace_back(), ToArrowField(key));
  }
  fields.push_back(arrow::field("_SEQUENCE_NUMBER", arrow::int64(), /*nullable=*/false));
  fields.push_back(arrow::field("_VALUE_KIND", arrow::int8(), /*nullable=*/false));
  for (const Field& value : values) {
    ARROW_ASSIGN_OR_RAISE(fields.emplace_back(), ToArrowField(value));
  }
  return arrow::schema(std::move(fields));
}

}  // namespace bactrian
