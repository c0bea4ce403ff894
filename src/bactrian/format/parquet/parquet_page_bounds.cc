#include <parquet/bloom_filter.h>

#include <algorithm>
#include <optional>

#include "bactrian/format/parquet/column_plan.h"
#include "bactrian/format/parquet/parquet_error.h"
#include "bactrian/format/parquet/parquet_file.h"
#include "bactrian/format/parquet/value_bounds.h"

namespace bactrian {
namespace {

/// The ordinal of the flat column that holds the field.
arrow::Result<std::optional<int>> FlatLeaf(const ParquetFile& file, const Field& field) {
  ARROW_ASSIGN_OR_RAISE(const ColumnPlan plan,
                        PlanColumn(*file.metadata()->schema(), file.path(), field, /*string_views=*/false));
  const bool is_flat = plan.kind == ColumnPlan::Kind::kLeaf && plan.levels.rep_level == 0 && plan.levels.def_level <= 1;
  return is_flat ? std::optional(plan.leaf) : std::nullopt;
}

/// Floats are left out: NaN is in no bound, and the zeros are one.
bool HasExactBounds(const parquet::ColumnDescriptor& column, const DataType& type) {
  return type.root() != TypeRoot::kFloat && type.root() != TypeRoot::kDouble && HasTrustedOrder(column, type);
}

}  // namespace

arrow::Result<std::vector<BoundedRows>> ParquetFile::BoundedPages(const Field& field) const {
  const std::vector<BoundedRows> none;
  ARROW_ASSIGN_OR_RAISE(const std::optional<int> leaf, FlatLeaf(*this, field));
  if (!leaf) return none;
  const parquet::ColumnDescriptor& column = *metadata_->schema()->Column(*leaf);
  if (!HasExactBounds(column, *field.type)) return none;
  std::vector<BoundedRows> bounded;
  for (int row_group = 0; row_group < num_row_groups(); ++row_group) {
    if (row_group_rows(row_group) == 0) continue;
    ARROW_ASSIGN_OR_RAISE(const std::vector<ChunkIndex> index, PageIndexes(row_group, std::span(&*leaf, 1)));
    if (!index[0].offset || !index[0].column) return none;
    const auto& pages = index[0].offset->page_locations();
    for (size_t page = 0; page < pages.size(); ++page) {
      const int64_t begin = pages[page].first_row_index;
      const int64_t end = page + 1 < pages.size() ? pages[page + 1].first_row_index : row_group_rows(row_group);
      if (index[0].column->null_pages()[page]) return none;
      if (index[0].column->has_null_counts() ? index[0].column->null_counts()[page] > 0 : column.max_definition_level() > 0) {
        return none;
      }
      auto min = DecodeBound(column, *field.type, index[0].column->encoded_min_values()[page]);
      auto max = DecodeBound(column, *field.type, index[0].column->encoded_max_values()[page]);
      if (!min || !max) return none;
      const int64_t first = row_group_begin(row_group);
      bounded.push_back({{first + begin, first + end}, *std::move(min), *std::move(max)});
    }
  }
  return bounded;
}

arrow::Result<bool> ParquetFile::MayContain(int64_t row, const Field& field, const Value& value) const {
  ARROW_ASSIGN_OR_RAISE(const std::optional<int> leaf, FlatLeaf(*this, field));
  if (!leaf || IsNull(value)) return true;
  const auto after = std::upper_bound(row_group_begin_.begin(), row_group_begin_.end(), row);
  const auto row_group = static_cast<int>(after - row_group_begin_.begin()) - 1;
  if (row_group < 0 || row_group >= num_row_groups()) return true;
  ARROW_ASSIGN_OR_RAISE(const auto filter, BloomFilter(row_group, *leaf));
  return !filter || BloomMayContain(*filter, *metadata_->schema()->Column(*leaf), *field.type, value);
}

}  // namespace bactrian
