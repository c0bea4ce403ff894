#include "bactrian/merge/nested_aggregators.h"

#include <arrow/array.h>

#include "bactrian/merge/collections.h"
#include "bactrian/merge/nested_rows.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

using Cell = std::optional<Elements>;

struct Collect {
  using Accumulator = Elements;
  static constexpr bool kSymmetric = true;
  const Collections& collections;
  bool distinct;

  arrow::Result<Cell> Read(RowRef ref) const { return collections.Read(ref); }
  arrow::Result<Cell> Aggregate(Cell acc, Cell input) const {
    if (!acc && !input) return Cell();
    Elements united;
    for (const Cell* side : {&acc, &input}) {
      if (!*side) continue;
      for (RowRef element : **side) {
        auto same = [&](RowRef other) { return collections.Equal(element, other); };
        if (!distinct || FindElement(&united, same) == united.end()) united.push_back(element);
      }
    }
    return Cell(std::move(united));
  }
  arrow::Result<Cell> Retract(Cell acc, Cell input) const {
    if (!acc || !input) return acc;
    for (RowRef element : *input) {
      auto found = FindElement(&*acc, [&](RowRef other) { return collections.Equal(element, other); });
      if (found != acc->end()) acc->erase(found);
    }
    return acc;
  }
};

struct MergeMap {
  using Accumulator = Elements;
  static constexpr bool kSymmetric = false;
  const Collections& collections;

  arrow::Result<Cell> Read(RowRef ref) const { return collections.Read(ref); }
  arrow::Result<Cell> Aggregate(Cell acc, Cell input) const {
    if (!acc || !input) return acc ? acc : input;
    for (RowRef entry : *input) {
      auto found = FindKey(&*acc, entry);
      if (found == acc->end()) {
        acc->push_back(entry);
      } else {
        *found = entry;
      }
    }
    return acc;
  }
  arrow::Result<Cell> Retract(Cell acc, Cell input) const {
    if (!acc || !input) return acc;
    for (RowRef entry : *input) {
      auto found = FindKey(&*acc, entry);
      if (found != acc->end()) acc->erase(found);
    }
    return acc;
  }
  Elements::iterator FindKey(Elements* entries, RowRef entry) const {
    return FindElement(entries, [&](RowRef other) { return collections.EqualFields(entry, other, {0}); });
  }
};

struct MergeMapWithKeyTime {
  using Accumulator = Elements;
  static constexpr bool kSymmetric = false;
  const Collections& collections;
  int time_field;

  arrow::Result<Cell> Read(RowRef ref) const { return collections.Read(ref); }
  arrow::Result<Cell> Aggregate(Cell acc, Cell input) const {
    if (!acc || !input) return acc ? acc : input;
    const MergeMap by_key{collections};
    for (RowRef entry : *input) {
      auto found = by_key.FindKey(&*acc, entry);
      const auto value = collections.FieldOf(entry, 1);
      if (value->IsNull(entry.row)) {
        if (found != acc->end()) acc->erase(found);
        continue;
      }
      const std::optional<std::string_view> time = TimeOf(entry);
      if (!time) continue;
      if (found == acc->end()) {
        acc->push_back(entry);
      } else if (const auto old = TimeOf(*found); !old || *time > *old) {
        *found = entry;
      }
    }
    return acc;
  }
  arrow::Result<Cell> Retract(Cell, Cell) const { return Invalid("aggregate function merge_map_with_keytime cannot retract"); }
  std::optional<std::string_view> TimeOf(RowRef entry) const {
    const auto value = collections.FieldOf(entry, 1);
    const auto times = static_cast<const arrow::StructArray&>(*value).field(time_field);
    if (value->IsNull(entry.row) || times->IsNull(entry.row)) return std::nullopt;
    return static_cast<const arrow::StringArray&>(*times).GetView(entry.row);
  }
};

arrow::Result<std::shared_ptr<const Aggregator>> MakeMergeMapWithKeyTime(const Field& field, const CoreOptions& options) {
  constexpr std::string_view kName = "merge_map_with_keytime";
  if (field.type->root() != TypeRoot::kMap || field.type->children()[1]->root() != TypeRoot::kRow)
    return WrongColumnType(kName, field);
  const DataType& row = *field.type->children()[1];
  if (row.fields().empty()) return WrongColumnType(kName, field);
  const std::string name = options.GetString("fields." + field.name + ".ts-field", row.fields().back().name);
  const int time = NestedFieldIndex(row, name);
  if (time < 0 || !row.fields()[time].type->is_string()) return WrongColumnType(kName, field);
  return MakeCollectionAggregator(field, [time](const Collections& c) { return MergeMapWithKeyTime{c, time}; });
}

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedAggregator(std::string_view name, const Field& field,
                                                                      const Options& options) {
  const CoreOptions core(options);
  if (name == "collect") {
    if (field.type->root() != TypeRoot::kArray) return WrongColumnType(name, field);
    ARROW_ASSIGN_OR_RAISE(const bool distinct, core.GetBool("fields." + field.name + ".distinct", false));
    return MakeCollectionAggregator(field, [distinct](const Collections& c) { return Collect{c, distinct}; });
  }
  if (name == "merge_map") {
    if (field.type->root() != TypeRoot::kMap) return WrongColumnType(name, field);
    return MakeCollectionAggregator(field, [](const Collections& c) { return MergeMap{c}; });
  }
  if (name == "merge_map_with_keytime") return MakeMergeMapWithKeyTime(field, core);
  if (name == "nested_update") return MakeNestedUpdate(field, core);
  if (name == "nested_partial_update") return MakeNestedPartialUpdate(field, core);
  return nullptr;
}

}  // namespace bactrian
