#include "bactrian/merge/nested_aggregators.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer_builder.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>

#include "bactrian/merge/fold_group.h"
#include "bactrian/merge/gather.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

using Sources = std::span<const std::shared_ptr<arrow::Array>>;

/// A collection as references to elements in the child arrays of the sources (for maps: entries).
using Elements = std::vector<RowRef>;
using Cell = std::optional<Elements>;

/// What the functions over collections need of the sources: arrays of lists or maps.
struct Collections {
  std::vector<std::shared_ptr<arrow::Array>> children;
  Sources sources;

  explicit Collections(Sources of) : sources(of) {
    for (const auto& source : sources) children.push_back(static_cast<const arrow::ListArray&>(*source).values());
  }

  Cell Read(RowRef ref) const {
    const auto& list = static_cast<const arrow::ListArray&>(*sources[ref.source]);
    if (list.IsNull(ref.row)) return std::nullopt;
    Elements elements;
    for (int32_t i = 0; i < list.value_length(ref.row); ++i) {
      elements.push_back({ref.source, static_cast<uint32_t>(list.value_offset(ref.row) + i)});
    }
    return elements;
  }

  bool IsNull(RowRef element) const { return children[element.source]->IsNull(element.row); }
  bool Equal(RowRef a, RowRef b) const { return Equal(*children[a.source], a.row, *children[b.source], b.row); }
  /// Whether all of these fields of two ROW elements are equal; for the entries of maps, field 0 is the key.
  bool EqualFields(RowRef a, RowRef b, const std::vector<int>& fields) const {
    return std::all_of(fields.begin(), fields.end(),
                       [&](int f) { return Equal(*FieldOf(a, f), a.row, *FieldOf(b, f), b.row); });
  }
  std::shared_ptr<arrow::Array> FieldOf(RowRef element, int field) const {
    return static_cast<const arrow::StructArray&>(*children[element.source]).field(field);
  }
  static bool Equal(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
    return a.RangeEquals(b, i, i + 1, j, arrow::EqualOptions::Defaults().nans_equal(true));
  }
};

/// The first of `elements` for which `matches` holds.
template <typename Matches>
Elements::iterator Find(Elements* elements, const Matches& matches) {
  return std::find_if(elements->begin(), elements->end(), matches);
}

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
        if (!distinct || Find(&united, same) == united.end()) united.push_back(element);
      }
    }
    return Cell(std::move(united));
  }
  arrow::Result<Cell> Retract(Cell acc, Cell input) const {
    if (!acc || !input) return acc;
    for (RowRef element : *input) {
      auto found = Find(&*acc, [&](RowRef other) { return collections.Equal(element, other); });
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
    return Find(entries, [&](RowRef other) { return collections.EqualFields(entry, other, {0}); });
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

struct NestedUpdate {
  using Accumulator = Elements;
  static constexpr bool kSymmetric = false;
  const Collections& collections;
  const std::vector<int>& keys;
  size_t count_limit;

  arrow::Result<Cell> Read(RowRef ref) const { return collections.Read(ref); }
  arrow::Result<Cell> Aggregate(Cell acc, Cell input) const {
    if (!acc || !input) return acc ? acc : input;
    for (RowRef row : *input) {
      if (collections.IsNull(row)) continue;
      auto found = keys.empty() ? acc->end() : FindSame(&*acc, row);
      if (found != acc->end()) {
        *found = row;
      } else if (acc->size() < count_limit) {
        acc->push_back(row);
      }
    }
    return acc;
  }
  arrow::Result<Cell> Retract(Cell acc, Cell input) const {
    if (!acc || !input) return acc;
    for (RowRef row : *input) {
      if (collections.IsNull(row)) continue;
      std::erase_if(*acc, [&](RowRef other) { return IsSame(row, other); });
    }
    return acc;
  }
  bool IsSame(RowRef a, RowRef b) const {
    if (collections.IsNull(b)) return false;
    return keys.empty() ? collections.Equal(a, b) : collections.EqualFields(a, b, keys);
  }
  Elements::iterator FindSame(Elements* rows, RowRef row) const {
    return Find(rows, [&](RowRef other) { return IsSame(row, other); });
  }
};

/// An array of `type` (list or map) with the collections' elements gathered.
arrow::Result<std::shared_ptr<arrow::Array>> Build(const std::shared_ptr<arrow::DataType>& type, const std::vector<Cell>& cells,
                                                   const Collections& collections, arrow::MemoryPool* pool) {
  arrow::TypedBufferBuilder<bool> valid(pool);
  arrow::TypedBufferBuilder<int32_t> offsets(pool);
  std::vector<Segment> segments;
  ARROW_RETURN_NOT_OK(offsets.Append(0));
  for (const Cell& cell : cells) {
    ARROW_RETURN_NOT_OK(valid.Append(cell.has_value()));
    if (cell) {
      for (RowRef element : *cell) segments.push_back({element.source, element.row, 1});
    }
    if (segments.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      return arrow::Status::CapacityError("a batch of merged collections has more elements than an array can hold");
    }
    ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(segments.size())));
  }
  const auto num_elements = static_cast<int64_t>(segments.size());
  const std::shared_ptr<arrow::DataType>& child_type = type->field(0)->type();
  ARROW_ASSIGN_OR_RAISE(auto child, Gather(child_type, collections.children, segments, num_elements, pool));
  ARROW_ASSIGN_OR_RAISE(auto valid_buffer, valid.Finish());
  ARROW_ASSIGN_OR_RAISE(auto offset_buffer, offsets.Finish());
  auto data = arrow::ArrayData::Make(type, static_cast<int64_t>(cells.size()), {valid_buffer, offset_buffer}, {child->data()});
  return arrow::MakeArray(std::move(data));
}

/// `MakeFold` gives a fold over the collections of one run.
template <typename MakeFold>
class CollectionAggregator final : public Aggregator {
 public:
  CollectionAggregator(Field field, MakeFold make_fold) : field_(std::move(field)), make_fold_(std::move(make_fold)) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(Sources sources, const AggregateSteps& steps,
                                                   arrow::MemoryPool* pool) const override {
    const Collections collections(sources);
    const auto fold = make_fold_(collections);
    std::vector<Cell> cells(steps.num_groups());
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      auto folded = FoldGroup(fold, steps, g);
      if (!folded.ok()) return folded.status().WithMessage(folded.status().message(), " (column ", field_.name, ")");
      cells[g] = *std::move(folded);
    }
    ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field_.type));
    return Build(type, cells, collections, pool);
  }

 private:
  const Field field_;
  const MakeFold make_fold_;
};

template <typename MakeFold>
std::shared_ptr<const Aggregator> MakeCollection(const Field& field, MakeFold make_fold) {
  return std::make_shared<CollectionAggregator<MakeFold>>(field, std::move(make_fold));
}

arrow::Status WrongType(std::string_view name, const Field& field) {
  return Invalid("aggregate function ", name, " does not take column ", field.name, " of type ", field.type->ToSqlString());
}

int FieldIndex(const DataType& row, std::string_view name) {
  for (size_t i = 0; i < row.fields().size(); ++i) {
    if (row.fields()[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

arrow::Result<std::shared_ptr<const Aggregator>> MakeMergeMapWithKeyTime(const Field& field, const CoreOptions& options) {
  constexpr std::string_view kName = "merge_map_with_keytime";
  if (field.type->root() != TypeRoot::kMap || field.type->children()[1]->root() != TypeRoot::kRow)
    return WrongType(kName, field);
  const DataType& row = *field.type->children()[1];
  if (row.fields().empty()) return WrongType(kName, field);
  const std::string name = options.GetString("fields." + field.name + ".ts-field", row.fields().back().name);
  const int time = FieldIndex(row, name);
  if (time < 0 || !row.fields()[time].type->is_string()) return WrongType(kName, field);
  return MakeCollection(field, [time](const Collections& c) { return MergeMapWithKeyTime{c, time}; });
}

arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedUpdate(const Field& field, const CoreOptions& options) {
  constexpr std::string_view kName = "nested_update";
  if (field.type->root() != TypeRoot::kArray || field.type->children()[0]->root() != TypeRoot::kRow) {
    return WrongType(kName, field);
  }
  const std::string prefix = "fields." + field.name + ".";
  for (const char* option : {"nested-sequence-field", "nested-key-null-strategy"}) {
    if (options.Get(prefix + option)) return Unsupported("option ", prefix, option, " is not supported yet");
  }
  std::vector<int> keys;
  const std::string names = options.GetString(prefix + "nested-key", "");
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    std::string key = names.substr(begin, end - begin);
    key.erase(0, key.find_first_not_of(' '));
    key.erase(key.find_last_not_of(' ') + 1);
    keys.push_back(FieldIndex(*field.type->children()[0], key));
    if (keys.back() < 0) return Invalid("option ", prefix, "nested-key: no field '", key, "'");
    begin = end + 1;
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t limit, options.GetInt(prefix + "count-limit", std::numeric_limits<int32_t>::max()));
  const size_t count_limit = limit < 0 ? 0 : static_cast<size_t>(limit);
  return MakeCollection(field, [keys, count_limit](const Collections& c) { return NestedUpdate{c, keys, count_limit}; });
}

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedAggregator(std::string_view name, const Field& field,
                                                                      const Options& options) {
  const CoreOptions core(options);
  if (name == "collect") {
    if (field.type->root() != TypeRoot::kArray) return WrongType(name, field);
    ARROW_ASSIGN_OR_RAISE(const bool distinct, core.GetBool("fields." + field.name + ".distinct", false));
    return MakeCollection(field, [distinct](const Collections& c) { return Collect{c, distinct}; });
  }
  if (name == "merge_map") {
    if (field.type->root() != TypeRoot::kMap) return WrongType(name, field);
    return MakeCollection(field, [](const Collections& c) { return MergeMap{c}; });
  }
  if (name == "merge_map_with_keytime") return MakeMergeMapWithKeyTime(field, core);
  if (name == "nested_update") return MakeNestedUpdate(field, core);
  if (name == "nested_partial_update") {
    return Unsupported("aggregate function ", name, " of column ", field.name, " is not supported yet");
  }
  return nullptr;
}

}  // namespace bactrian
