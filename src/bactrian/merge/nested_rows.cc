#include "bactrian/merge/nested_rows.h"

#include <arrow/array/util.h>
#include <arrow/type.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "bactrian/merge/collections.h"
#include "bactrian/merge/gather.h"
#include "bactrian/merge/sort_keys.h"

namespace bactrian {
namespace {

using Cell = std::optional<Elements>;
enum class NullKeys : uint8_t { kMerge, kIgnore, kError };

/// The options of a column; indices of its rows' fields.
struct NestedOptions {
  std::vector<int> keys, sequence;
  NullKeys null_keys = NullKeys::kMerge;
  size_t count_limit = std::numeric_limits<int32_t>::max();
};

arrow::Result<std::vector<int>> FieldsNamed(const Field& column, const std::string& option, const std::string& names) {
  std::vector<int> fields;
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    fields.push_back(NestedFieldIndex(*column.type->children()[0], name));
    if (fields.back() < 0) return Invalid("option ", option, ": no field '", name, "'");
    begin = end + 1;
  }
  return fields;
}

arrow::Result<NestedOptions> ReadOptions(std::string_view function, const Field& field, const CoreOptions& options) {
  if (field.type->root() != TypeRoot::kArray || field.type->children()[0]->root() != TypeRoot::kRow) {
    return WrongColumnType(function, field);
  }
  const std::string prefix = "fields." + field.name + ".";
  NestedOptions nested;
  ARROW_ASSIGN_OR_RAISE(nested.keys, FieldsNamed(field, prefix + "nested-key", options.GetString(prefix + "nested-key", "")));
  const std::string sequence_option = prefix + "nested-sequence-field", null_option = prefix + "nested-key-null-strategy";
  ARROW_ASSIGN_OR_RAISE(nested.sequence, FieldsNamed(field, sequence_option, options.GetString(sequence_option, "")));
  for (const std::string& option : {sequence_option, null_option}) {
    if (options.Get(option) && nested.keys.empty()) return Invalid("option ", option, " needs option ", prefix, "nested-key");
  }
  std::string strategy = options.GetString(null_option, "merge");
  std::transform(strategy.begin(), strategy.end(), strategy.begin(), [](unsigned char c) { return std::tolower(c); });
  if (strategy == "ignore") {
    nested.null_keys = NullKeys::kIgnore;
  } else if (strategy == "error") {
    nested.null_keys = NullKeys::kError;
  } else if (strategy != "merge") {
    return Invalid("option ", null_option, ": 'merge', 'ignore' or 'error', not '", strategy, "'");
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t limit, options.GetInt(prefix + "count-limit", std::numeric_limits<int32_t>::max()));
  nested.count_limit = limit < 0 ? 0 : static_cast<size_t>(limit);
  return nested;
}

/// Whether a row whose key has or has not a null takes part.
arrow::Result<bool> TakesPart(const NestedOptions& options, bool has_null_key) {
  if (!has_null_key || options.null_keys == NullKeys::kMerge) return true;
  if (options.null_keys == NullKeys::kIgnore) return false;
  return Invalid("a nested row has a null in its nested key, which nested-key-null-strategy=error refuses");
}

struct NestedUpdate {
  using Accumulator = Elements;
  static constexpr bool kSymmetric = false;
  const Collections& collections;
  const NestedOptions& options;
  std::vector<SortKeys> sequences;  ///< of the rows in each source; empty without sequence fields

  arrow::Result<Cell> Read(RowRef ref) const { return collections.Read(ref); }

  arrow::Result<Cell> Aggregate(Cell acc, Cell input) const {
    if (!input) return acc;
    if (options.keys.empty()) return Append(std::move(acc), *input);
    Elements rows;
    if (acc) ARROW_RETURN_NOT_OK(Upsert(*acc, std::numeric_limits<size_t>::max(), &rows));
    ARROW_RETURN_NOT_OK(Upsert(*input, options.count_limit, &rows));
    return Cell(std::move(rows));
  }

  arrow::Result<Cell> Retract(Cell acc, Cell input) const {
    if (!acc || !input) return acc;
    Elements rows;
    for (RowRef row : *acc) {
      ARROW_ASSIGN_OR_RAISE(const bool takes_part, TakesPart(row));
      if (takes_part) rows.push_back(row);
    }
    for (RowRef row : *input) {
      ARROW_ASSIGN_OR_RAISE(const bool takes_part, TakesPart(row));
      if (takes_part) std::erase_if(rows, [&](RowRef other) { return IsSame(row, other); });
    }
    return Cell(std::move(rows));
  }

 private:
  Cell Append(Cell acc, const Elements& input) const {
    Elements rows;
    size_t left = options.count_limit;
    if (acc) {
      if (acc->size() >= options.count_limit) return acc;
      left -= acc->size();
      std::copy_if(acc->begin(), acc->end(), std::back_inserter(rows), [&](RowRef row) { return !collections.IsNull(row); });
    }
    for (RowRef row : input) {
      if (left == 0) break;
      if (collections.IsNull(row)) continue;
      rows.push_back(row);
      --left;
    }
    return rows;
  }

  arrow::Status Upsert(const Elements& input, size_t limit, Elements* rows) const {
    for (RowRef row : input) {
      ARROW_ASSIGN_OR_RAISE(const bool takes_part, TakesPart(row));
      if (!takes_part) continue;
      const auto found = FindElement(rows, [&](RowRef other) { return IsSame(row, other); });
      if (found == rows->end()) {
        if (rows->size() < limit) rows->push_back(row);
      } else if (!IsOlder(row, *found)) {
        *found = row;
      }
    }
    return arrow::Status::OK();
  }

  arrow::Result<bool> TakesPart(RowRef row) const {
    if (collections.IsNull(row)) return false;
    const bool has_null = std::any_of(options.keys.begin(), options.keys.end(),
                                      [&](int key) { return collections.FieldOf(row, key)->IsNull(row.row); });
    return bactrian::TakesPart(options, has_null);
  }
  bool IsSame(RowRef a, RowRef b) const {
    return options.keys.empty() ? collections.Equal(a, b) : collections.EqualFields(a, b, options.keys);
  }
  bool IsOlder(RowRef a, RowRef b) const {
    return !sequences.empty() && sequences[a.source].Compare(a.row, sequences[b.source], b.row) < 0;
  }
};

/// The sequence fields of all rows in each source, nulls first.
arrow::Result<std::vector<SortKeys>> SequencesOf(const Collections& collections, const DataType& row,
                                                 const std::vector<int>& fields) {
  std::vector<SortKeys> sequences;
  if (fields.empty()) return sequences;
  std::vector<SortColumn> order;
  for (int field : fields) order.push_back({row.fields()[field].type->WithNullable(true), false});
  for (const auto& child : collections.children) {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int field : fields) columns.push_back(static_cast<const arrow::StructArray&>(*child).field(field));
    ARROW_ASSIGN_OR_RAISE(sequences.emplace_back(), SortKeys::Make(order, columns));
  }
  return sequences;
}

class NestedUpdateAggregator final : public Aggregator {
 public:
  NestedUpdateAggregator(Field field, NestedOptions options) : field_(std::move(field)), options_(std::move(options)) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(std::span<const std::shared_ptr<arrow::Array>> sources,
                                                   const AggregateSteps& steps, arrow::MemoryPool* pool) const override {
    const Collections collections(sources);
    ARROW_ASSIGN_OR_RAISE(std::vector<SortKeys> sequences,
                          SequencesOf(collections, *field_.type->children()[0], options_.sequence));
    const NestedUpdate fold{collections, options_, std::move(sequences)};
    std::vector<Cell> cells(steps.num_groups());
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      ARROW_ASSIGN_OR_RAISE(cells[g], FoldGroup(fold, steps, g));
    }
    ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field_.type));
    return BuildCollections(type, cells, collections, pool);
  }

 private:
  const Field field_;
  const NestedOptions options_;
};

/// A row whose fields come from several input rows.
using MixedRow = std::vector<RowRef>;
constexpr RowRef kNullField{std::numeric_limits<uint32_t>::max(), 0};
bool IsNullField(const RowRef& ref) { return ref.source == kNullField.source; }

struct NestedPartialUpdate {
  using Accumulator = std::vector<MixedRow>;
  static constexpr bool kSymmetric = false;
  const Collections& collections;
  const NestedOptions& options;
  int num_fields;

  arrow::Result<std::optional<Accumulator>> Read(RowRef ref) const {
    const Cell cell = collections.Read(ref);
    if (!cell) return std::nullopt;
    Accumulator rows;
    for (RowRef element : *cell) {
      if (collections.IsNull(element)) continue;
      MixedRow& row = rows.emplace_back(num_fields, kNullField);
      for (int f = 0; f < num_fields; ++f) {
        if (!collections.FieldOf(element, f)->IsNull(element.row)) row[f] = element;
      }
    }
    return rows;
  }

  arrow::Result<std::optional<Accumulator>> Aggregate(std::optional<Accumulator> acc, std::optional<Accumulator> input) const {
    if (!input) return acc;
    Accumulator merged;
    for (const auto* side : {&acc, &input}) {
      if (!*side) continue;
      for (const MixedRow& row : **side) ARROW_RETURN_NOT_OK(Add(row, &merged));
    }
    return merged;
  }

  arrow::Result<std::optional<Accumulator>> Retract(std::optional<Accumulator>, std::optional<Accumulator>) const {
    return Invalid("aggregate function nested_partial_update cannot retract");
  }

 private:
  arrow::Status Add(const MixedRow& row, Accumulator* merged) const {
    const bool has_null = std::any_of(options.keys.begin(), options.keys.end(), [&](int key) { return IsNullField(row[key]); });
    ARROW_ASSIGN_OR_RAISE(const bool takes_part, TakesPart(options, has_null));
    if (!takes_part) return arrow::Status::OK();
    auto found = std::find_if(merged->begin(), merged->end(), [&](const MixedRow& other) { return SameKey(row, other); });
    if (found == merged->end()) {
      merged->push_back(row);
      return arrow::Status::OK();
    }
    for (int f = 0; f < num_fields; ++f) {
      if (!IsNullField(row[f])) (*found)[f] = row[f];
    }
    return arrow::Status::OK();
  }

  bool SameKey(const MixedRow& a, const MixedRow& b) const {
    return std::all_of(options.keys.begin(), options.keys.end(), [&](int key) {
      if (IsNullField(a[key]) || IsNullField(b[key])) return IsNullField(a[key]) == IsNullField(b[key]);
      return Collections::Equal(*collections.FieldOf(a[key], key), a[key].row, *collections.FieldOf(b[key], key), b[key].row);
    });
  }
};

class NestedPartialUpdateAggregator final : public Aggregator {
 public:
  NestedPartialUpdateAggregator(Field field, NestedOptions options) : field_(std::move(field)), options_(std::move(options)) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(std::span<const std::shared_ptr<arrow::Array>> sources,
                                                   const AggregateSteps& steps, arrow::MemoryPool* pool) const override {
    const Collections collections(sources);
    const auto num_fields = static_cast<int>(field_.type->children()[0]->fields().size());
    const NestedPartialUpdate fold{collections, options_, num_fields};
    std::vector<MixedRow> rows;
    std::vector<std::optional<int64_t>> lengths;
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      ARROW_ASSIGN_OR_RAISE(std::optional<std::vector<MixedRow>> cell, FoldGroup(fold, steps, g));
      lengths.push_back(cell ? std::optional(static_cast<int64_t>(cell->size())) : std::nullopt);
      if (cell) rows.insert(rows.end(), cell->begin(), cell->end());
    }
    ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field_.type));
    ARROW_ASSIGN_OR_RAISE(auto child, BuildRows(type->field(0)->type(), rows, collections, pool));
    return WrapElements(type, lengths, child, pool);
  }

 private:
  static arrow::Result<std::shared_ptr<arrow::Array>> BuildRows(const std::shared_ptr<arrow::DataType>& type,
                                                                const std::vector<MixedRow>& rows,
                                                                const Collections& collections, arrow::MemoryPool* pool) {
    const auto num_rows = static_cast<int64_t>(rows.size());
    arrow::ArrayVector columns;
    for (int f = 0; f < type->num_fields(); ++f) {
      arrow::ArrayVector sources;
      for (const auto& child : collections.children) {
        sources.push_back(static_cast<const arrow::StructArray&>(*child).field(f));
      }
      ARROW_ASSIGN_OR_RAISE(sources.emplace_back(), arrow::MakeArrayOfNull(type->field(f)->type(), 1, pool));
      std::vector<Segment> segments;
      for (const MixedRow& row : rows) {
        const bool null = IsNullField(row[f]);
        segments.push_back({null ? static_cast<uint32_t>(sources.size()) - 1 : row[f].source, row[f].row, 1});
      }
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), Gather(type->field(f)->type(), sources, segments, num_rows, pool));
    }
    return std::make_shared<arrow::StructArray>(type, num_rows, std::move(columns));
  }

  const Field field_;
  const NestedOptions options_;
};

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedUpdate(const Field& field, const CoreOptions& options) {
  ARROW_ASSIGN_OR_RAISE(NestedOptions nested, ReadOptions("nested_update", field, options));
  return std::make_shared<NestedUpdateAggregator>(field, std::move(nested));
}

arrow::Result<std::shared_ptr<const Aggregator>> MakeNestedPartialUpdate(const Field& field, const CoreOptions& options) {
  ARROW_ASSIGN_OR_RAISE(NestedOptions nested, ReadOptions("nested_partial_update", field, options));
  if (nested.keys.empty()) {
    return Invalid("aggregate function nested_partial_update of column ", field.name, " needs option fields.", field.name,
                   ".nested-key");
  }
  return std::make_shared<NestedPartialUpdateAggregator>(field, std::move(nested));
}

}  // namespace bactrian
