#include "bactrian/format/parquet/row_group_pruning.h"

#include <parquet/bloom_filter.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <map>

#include "bactrian/expr/evaluate.h"
#include "bactrian/format/parquet/value_bounds.h"

namespace bactrian {
namespace {

class Pruner {
 public:
  Pruner(const ParquetFile& file, int row_group, const std::vector<Field>& fields, const std::vector<ColumnPlan>& plans)
      : file_(file), row_group_(row_group), num_rows_(file.row_group_rows(row_group)), fields_(fields), plans_(plans) {}

  bool MatchesStatistics(const Predicate& predicate) const {
    return MayMatch(predicate, num_rows_, [&](std::string_view name) { return ChunkBounds(name); });
  }

  arrow::Result<bool> MatchesBloomFilters(const Predicate& predicate) const {
    switch (predicate.op()) {
      case PredicateOp::kAnd:
        for (const PredicatePtr& child : predicate.children()) {
          ARROW_ASSIGN_OR_RAISE(const bool matches, MatchesBloomFilters(*child));
          if (!matches) return false;
        }
        return true;
      case PredicateOp::kOr:
        for (const PredicatePtr& child : predicate.children()) {
          ARROW_ASSIGN_OR_RAISE(const bool matches, MatchesBloomFilters(*child));
          if (matches) return true;
        }
        return false;
      case PredicateOp::kEqual:
      case PredicateOp::kIn:
        return FilterHasAnyOf(predicate.column(), predicate.literals());
      default:
        return true;
    }
  }

  arrow::Status LoadPageIndexes(const Predicate& predicate) {
    std::vector<int> leaves;
    std::vector<size_t> indexes;
    const std::vector<std::string> names = ColumnsOf(std::make_shared<const Predicate>(predicate));
    for (size_t i = 0; i < plans_.size(); ++i) {
      if (!IsFlat(plans_[i]) || std::find(names.begin(), names.end(), fields_[i].name) == names.end()) continue;
      leaves.push_back(plans_[i].leaf);
      indexes.push_back(i);
    }
    ARROW_ASSIGN_OR_RAISE(auto chunks, file_.PageIndexes(row_group_, leaves));
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (chunks[i].column) page_indexes_[indexes[i]] = std::move(chunks[i]);
    }
    return arrow::Status::OK();
  }

  /// Conjuncts over several columns meet in the rows, whatever pages each column has.
  RowRanges MatchingPages(const Predicate& predicate) const {
    switch (predicate.op()) {
      case PredicateOp::kAnd: {
        RowRanges rows = RowRanges::All(num_rows_);
        for (const PredicatePtr& child : predicate.children()) rows = rows.Intersect(MatchingPages(*child));
        return rows;
      }
      case PredicateOp::kOr: {
        RowRanges rows;
        for (const PredicatePtr& child : predicate.children()) rows = rows.Union(MatchingPages(*child));
        return rows;
      }
      default:
        return MatchingPagesOfLeaf(predicate);
    }
  }

 private:
  static bool IsFlat(const ColumnPlan& plan) {
    return plan.kind == ColumnPlan::Kind::kLeaf && plan.levels.rep_level == 0 && plan.levels.def_level <= 1;
  }

  std::optional<size_t> IndexOf(std::string_view name) const {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].name == name) return i;
    }
    return std::nullopt;
  }

  const parquet::ColumnDescriptor& descriptor(size_t i) const { return *file_.metadata()->schema()->Column(plans_[i].leaf); }

  std::optional<ColumnBounds> ChunkBounds(std::string_view name) const {
    const auto i = IndexOf(name);
    if (!i) return std::nullopt;
    const ColumnPlan& plan = plans_[*i];
    if (plan.kind == ColumnPlan::Kind::kMissing) return ColumnBounds{{}, {}, num_rows_};
    if (!IsFlat(plan)) return std::nullopt;
    const auto chunk = file_.metadata()->RowGroup(row_group_)->ColumnChunk(plan.leaf);
    const auto statistics = chunk->is_stats_set() ? chunk->encoded_statistics() : nullptr;
    if (!statistics) return std::nullopt;
    ColumnBounds bounds;
    if (plan.levels.def_level == 0) {
      bounds.null_count = 0;
    } else if (statistics->has_null_count) {
      bounds.null_count = statistics->null_count;
    }
    if (statistics->has_min && statistics->has_max && HasTrustedOrder(descriptor(*i), *fields_[*i].type)) {
      bounds.min = DecodeBound(descriptor(*i), *fields_[*i].type, statistics->min());
      bounds.max = DecodeBound(descriptor(*i), *fields_[*i].type, statistics->max());
    }
    return bounds;
  }

  ColumnBounds PageBounds(size_t i, const parquet::ColumnIndex& index, size_t page, int64_t page_rows) const {
    ColumnBounds bounds;
    if (index.null_pages()[page]) return {{}, {}, page_rows};
    if (index.has_null_counts()) bounds.null_count = index.null_counts()[page];
    if (HasTrustedOrder(descriptor(i), *fields_[i].type)) {
      bounds.min = DecodeBound(descriptor(i), *fields_[i].type, index.encoded_min_values()[page]);
      bounds.max = DecodeBound(descriptor(i), *fields_[i].type, index.encoded_max_values()[page]);
    }
    return bounds;
  }

  RowRanges MatchingPagesOfLeaf(const Predicate& leaf) const {
    const auto i = IndexOf(leaf.column());
    const auto known = i ? page_indexes_.find(*i) : page_indexes_.end();
    if (known == page_indexes_.end()) return RowRanges::All(num_rows_);
    const auto& pages = known->second.offset->page_locations();
    RowRanges rows;
    for (size_t page = 0; page < pages.size(); ++page) {
      const int64_t begin = pages[page].first_row_index;
      const int64_t end = page + 1 < pages.size() ? pages[page + 1].first_row_index : num_rows_;
      const auto bounds_of = [&](std::string_view) -> std::optional<ColumnBounds> {
        return PageBounds(*i, *known->second.column, page, end - begin);
      };
      if (MayMatch(leaf, end - begin, bounds_of)) rows.Append({begin, end});
    }
    return rows;
  }

  arrow::Result<bool> FilterHasAnyOf(std::string_view column, const std::vector<Value>& literals) const {
    const auto i = IndexOf(column);
    if (!i || !IsFlat(plans_[*i])) return true;
    ARROW_ASSIGN_OR_RAISE(const auto filter, file_.BloomFilter(row_group_, plans_[*i].leaf));
    if (!filter) return true;
    return std::any_of(literals.begin(), literals.end(), [&](const Value& literal) {
      return !IsNull(literal) && BloomMayContain(*filter, descriptor(*i), *fields_[*i].type, literal);
    });
  }

  const ParquetFile& file_;
  const int row_group_;
  const int64_t num_rows_;
  const std::vector<Field>& fields_;
  const std::vector<ColumnPlan>& plans_;
  std::map<size_t, ChunkIndex> page_indexes_;  // of fields_, both parts there
};

}  // namespace

arrow::Result<RowRanges> CandidateRows(const ParquetFile& file, int row_group, const Predicate& predicate,
                                       const std::vector<Field>& fields, const std::vector<ColumnPlan>& plans,
                                       const PruningSwitches& switches) {
  Pruner pruner(file, row_group, fields, plans);
  if (switches.row_groups && !pruner.MatchesStatistics(predicate)) return RowRanges();
  if (switches.bloom_filters) {
    ARROW_ASSIGN_OR_RAISE(const bool matches, pruner.MatchesBloomFilters(predicate));
    if (!matches) return RowRanges();
  }
  if (!switches.pages) return RowRanges::All(file.row_group_rows(row_group));
  ARROW_RETURN_NOT_OK(pruner.LoadPageIndexes(predicate));
  return pruner.MatchingPages(predicate);
}

}  // namespace bactrian
