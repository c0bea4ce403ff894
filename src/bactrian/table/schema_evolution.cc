#include "bactrian/table/schema_evolution.h"

#include <algorithm>
#include <optional>

#include "bactrian/expr/cast.h"
#include "bactrian/expr/evaluate.h"

namespace bactrian {
namespace {

const Field* FindFieldByName(std::span<const Field> fields, std::string_view name) {
  auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

/// Whether casting changes no value: only the limit on lengths or digits grows.
bool IsWidening(const DataType& from, const DataType& to) {
  if (from.EqualsIgnoreNullable(to)) return true;
  if (from.root() != to.root()) return false;
  switch (from.root()) {
    case TypeRoot::kVarchar:
    case TypeRoot::kVarbinary:
      return from.length() <= to.length();
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return from.precision() <= to.precision();
    default:
      return false;
  }
}

/// Whether a value that is not null may become null: a number with more digits than the decimal holds.
bool CastMayGiveNull(const DataType& from, const DataType& to) {
  if (to.root() != TypeRoot::kDecimal) return false;
  const int32_t digits = to.precision() - to.scale();
  switch (from.root()) {
    case TypeRoot::kBoolean:
      return digits < 1;
    case TypeRoot::kTinyint:
      return digits < 3;
    case TypeRoot::kSmallint:
      return digits < 5;
    case TypeRoot::kInt:
      return digits < 10;
    case TypeRoot::kBigint:
      return digits < 19;
    case TypeRoot::kDecimal:
      return digits < from.precision() - from.scale() || to.scale() < from.scale();
    default:
      return true;
  }
}

PredicatePtr FoldConstant(const Predicate& leaf, const std::function<const Value*(std::string_view)>& value_of) {
  return EvaluateRow(leaf, value_of).value_or(false) ? Predicate::True() : Predicate::False();
}

class Evolution {
 public:
  Evolution(std::span<const Field> query_fields, std::span<const Field> data_fields,
            const std::function<const Value*(std::string_view)>& constant_of)
      : query_fields_(query_fields), data_fields_(data_fields), constant_of_(constant_of) {}

  /// `exact` is cleared unless the result is true for just the rows for which the original is. nullptr: nothing can be said.
  PredicatePtr Translate(const PredicatePtr& predicate, bool* exact) const {
    switch (predicate->op()) {
      case PredicateOp::kTrue:
      case PredicateOp::kFalse:
        return predicate;
      case PredicateOp::kAnd:
      case PredicateOp::kOr:
        return TranslateChildren(*predicate, exact);
      default:
        return TranslateLeaf(*predicate, predicate, exact);
    }
  }

 private:
  PredicatePtr TranslateChildren(const Predicate& predicate, bool* exact) const {
    const bool is_and = predicate.op() == PredicateOp::kAnd;
    std::vector<PredicatePtr> children;
    for (const PredicatePtr& child : predicate.children()) {
      PredicatePtr translated = Translate(child, exact);
      if (!translated) {
        *exact = false;
        if (!is_and) return nullptr;
        continue;
      }
      if (translated->op() == (is_and ? PredicateOp::kFalse : PredicateOp::kTrue)) return translated;
      if (translated->op() != (is_and ? PredicateOp::kTrue : PredicateOp::kFalse)) children.push_back(std::move(translated));
    }
    if (children.size() == 1) return children.front();
    return is_and ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
  }

  PredicatePtr TranslateLeaf(const Predicate& leaf, const PredicatePtr& shared, bool* exact) const {
    if (constant_of_(leaf.column())) return FoldConstant(leaf, constant_of_);
    const Field* query = FindFieldByName(query_fields_, leaf.column());
    if (!query) return nullptr;
    const Field* data = FindFieldById(data_fields_, query->id);
    if (!data) {
      static const Value kNull;
      return FoldConstant(leaf, [](std::string_view) { return &kNull; });
    }
    if (IsWidening(*data->type, *query->type)) {
      return data->name == leaf.column() ? shared : Predicate::Compare(leaf.op(), data->name, leaf.literals());
    }
    const bool may_give_null = CastMayGiveNull(*data->type, *query->type);
    switch (leaf.op()) {
      case PredicateOp::kIsNull:
        return may_give_null ? nullptr : Predicate::Compare(leaf.op(), data->name);
      case PredicateOp::kStartsWith:
      case PredicateOp::kEndsWith:
      case PredicateOp::kContains:
      case PredicateOp::kLike:
        return nullptr;
      default:
        break;
    }
    std::vector<Value> literals;
    for (const Value& literal : leaf.literals()) {
      std::optional<Value> cast = IsNull(literal) ? literal : CastLiteralToDataType(literal, *query->type, *data->type);
      if (!cast) return nullptr;
      literals.push_back(std::move(*cast));
    }
    if (may_give_null) *exact = false;
    return Predicate::Compare(leaf.op(), data->name, std::move(literals));
  }

  std::span<const Field> query_fields_, data_fields_;
  const std::function<const Value*(std::string_view)>& constant_of_;
};

}  // namespace

const Field* FindFieldById(std::span<const Field> fields, int32_t id) {
  auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<Field> PhysicalFields(const TableSchema& data_schema, const DataFileMeta& file) {
  if (!file.write_cols) return data_schema.fields;
  std::vector<Field> fields;
  for (const std::string& name : *file.write_cols) {
    if (const Field* field = data_schema.FindField(name)) fields.push_back(*field);
  }
  return fields;
}

EvolvedPredicate EvolvePredicate(const PredicatePtr& predicate, std::span<const Field> query_fields,
                                 std::span<const Field> data_fields,
                                 const std::function<const Value*(std::string_view column)>& constant_of) {
  const Evolution evolution(query_fields, data_fields, constant_of);
  std::vector<PredicatePtr> pushed, residual;
  for (const PredicatePtr& conjunct : SplitConjuncts(predicate)) {
    bool exact = true;
    PredicatePtr translated = evolution.Translate(conjunct, &exact);
    if (!translated || !exact) residual.push_back(conjunct);
    if (translated && translated->op() == PredicateOp::kFalse) return {Predicate::False(), Predicate::True()};
    if (translated && translated->op() != PredicateOp::kTrue) pushed.push_back(std::move(translated));
  }
  return {Predicate::And(std::move(pushed)), Predicate::And(std::move(residual))};
}

}  // namespace bactrian
