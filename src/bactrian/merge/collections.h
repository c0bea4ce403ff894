/// Aggregate functions over collections (arrays and maps): an accumulator holds references to elements of the input, which are
/// gathered once at the end.
#pragma once

#include <arrow/array.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bactrian/merge/aggregator.h"
#include "bactrian/merge/fold_group.h"

namespace bactrian {

/// A collection as references to elements in the child arrays of the sources (for maps: entries).
using Elements = std::vector<RowRef>;

/// What the functions over collections need of the sources: arrays of lists or maps.
struct Collections {
  std::vector<std::shared_ptr<arrow::Array>> children;
  std::span<const std::shared_ptr<arrow::Array>> sources;

  explicit Collections(std::span<const std::shared_ptr<arrow::Array>> of);

  std::optional<Elements> Read(RowRef ref) const;
  bool IsNull(RowRef element) const { return children[element.source]->IsNull(element.row); }
  bool Equal(RowRef a, RowRef b) const { return Equal(*children[a.source], a.row, *children[b.source], b.row); }
  /// Whether all of these fields of two ROW elements are equal; for the entries of maps, field 0 is the key.
  bool EqualFields(RowRef a, RowRef b, const std::vector<int>& fields) const;
  std::shared_ptr<arrow::Array> FieldOf(RowRef element, int field) const {
    return static_cast<const arrow::StructArray&>(*children[element.source]).field(field);
  }
  static bool Equal(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
    return a.RangeEquals(b, i, i + 1, j, arrow::EqualOptions::Defaults().nans_equal(true));
  }
};

/// The first of `elements` for which `matches` holds.
template <typename Matches>
Elements::iterator FindElement(Elements* elements, const Matches& matches) {
  return std::find_if(elements->begin(), elements->end(), matches);
}

/// An array of `type` (list or map) with the collections' elements gathered.
arrow::Result<std::shared_ptr<arrow::Array>> BuildCollections(const std::shared_ptr<arrow::DataType>& type,
                                                              const std::vector<std::optional<Elements>>& cells,
                                                              const Collections& collections, arrow::MemoryPool* pool);

/// A list or map array around `child`; cell i has lengths[i] elements, or is null.
arrow::Result<std::shared_ptr<arrow::Array>> WrapElements(const std::shared_ptr<arrow::DataType>& type,
                                                          std::span<const std::optional<int64_t>> lengths,
                                                          const std::shared_ptr<arrow::Array>& child, arrow::MemoryPool* pool);

/// `MakeFold` gives a fold (fold_group.h) over the collections of one run, whose accumulators are Elements.
template <typename MakeFold>
class CollectionAggregator final : public Aggregator {
 public:
  CollectionAggregator(Field field, MakeFold make_fold) : field_(std::move(field)), make_fold_(std::move(make_fold)) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(std::span<const std::shared_ptr<arrow::Array>> sources,
                                                   const AggregateSteps& steps, arrow::MemoryPool* pool) const override {
    const Collections collections(sources);
    const auto fold = make_fold_(collections);
    std::vector<std::optional<Elements>> cells(steps.num_groups());
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      auto folded = FoldGroup(fold, steps, g);
      if (!folded.ok()) return folded.status().WithMessage(folded.status().message(), " (column ", field_.name, ")");
      cells[g] = *std::move(folded);
    }
    ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field_.type));
    return BuildCollections(type, cells, collections, pool);
  }

 private:
  const Field field_;
  const MakeFold make_fold_;
};

template <typename MakeFold>
std::shared_ptr<const Aggregator> MakeCollectionAggregator(const Field& field, MakeFold make_fold) {
  return std::make_shared<CollectionAggregator<MakeFold>>(field, std::move(make_fold));
}

arrow::Status WrongColumnType(std::string_view function, const Field& field);
/// The index of a ROW's field, or -1.
int NestedFieldIndex(const DataType& row, std::string_view name);

}  // namespace bactrian
