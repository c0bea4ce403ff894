#include "bactrian/predicate.h"

#include <algorithm>
#include <sstream>

namespace bactrian {
namespace {

std::string_view OpText(PredicateOp op) {
  switch (op) {
    case PredicateOp::kAnd:
      return " AND ";
    case PredicateOp::kOr:
      return " OR ";
    case PredicateOp::kIsNull:
      return " IS NULL";
    case PredicateOp::kIsNotNull:
      return " IS NOT NULL";
    case PredicateOp::kEqual:
      return " = ";
    case PredicateOp::kNotEqual:
      return " <> ";
    case PredicateOp::kLess:
      return " < ";
    case PredicateOp::kLessOrEqual:
      return " <= ";
    case PredicateOp::kGreater:
      return " > ";
    case PredicateOp::kGreaterOrEqual:
      return " >= ";
    case PredicateOp::kIn:
      return " IN ";
    case PredicateOp::kNotIn:
      return " NOT IN ";
    case PredicateOp::kStartsWith:
      return " STARTS WITH ";
    case PredicateOp::kEndsWith:
      return " ENDS WITH ";
    case PredicateOp::kContains:
      return " CONTAINS ";
    case PredicateOp::kLike:
      return " LIKE ";
    case PredicateOp::kTrue:
      return "TRUE";
    case PredicateOp::kFalse:
      return "FALSE";
  }
  return "";
}

/// A literal as text for people: its type is not known here, so a decimal shows unscaled and a timestamp as milliseconds.
struct LiteralText {
  std::string operator()(std::monostate) const { return "NULL"; }
  std::string operator()(bool value) const { return value ? "TRUE" : "FALSE"; }
  std::string operator()(const arrow::Decimal128& value) const { return value.ToIntegerString(); }
  std::string operator()(const TimestampValue& value) const {
    std::string text = std::to_string(value.millis) + "ms";
    return value.nanos == 0 ? text : text + "+" + std::to_string(value.nanos) + "ns";
  }
  std::string operator()(const std::string& value) const { return "'" + value + "'"; }
  template <typename Number>
  std::string operator()(Number value) const {
    std::ostringstream text;
    text << value;
    return text.str();
  }
};

std::string ToText(const Value& value) { return std::visit(LiteralText(), value); }

bool IsJunction(PredicateOp op) { return op == PredicateOp::kAnd || op == PredicateOp::kOr; }

void CollectColumns(const Predicate& predicate, std::vector<std::string>* columns) {
  if (!predicate.column().empty() && std::find(columns->begin(), columns->end(), predicate.column()) == columns->end()) {
    columns->push_back(predicate.column());
  }
  for (const PredicatePtr& child : predicate.children()) CollectColumns(*child, columns);
}

}  // namespace

PredicatePtr Predicate::Join(PredicateOp op, std::vector<PredicatePtr> children) {
  const PredicateOp neutral = op == PredicateOp::kAnd ? PredicateOp::kTrue : PredicateOp::kFalse;
  const PredicateOp dominant = op == PredicateOp::kAnd ? PredicateOp::kFalse : PredicateOp::kTrue;
  std::vector<PredicatePtr> flat;
  for (PredicatePtr& child : children) {
    if (child == nullptr || child->op() == neutral) continue;
    if (child->op() == dominant) return Constant(dominant);
    if (child->op() == op) {
      flat.insert(flat.end(), child->children().begin(), child->children().end());
    } else {
      flat.push_back(std::move(child));
    }
  }
  if (flat.empty()) return Constant(neutral);
  if (flat.size() == 1) return flat.front();
  std::shared_ptr<Predicate> predicate(new Predicate());
  predicate->op_ = op;
  predicate->children_ = std::move(flat);
  return predicate;
}

PredicatePtr Predicate::Constant(PredicateOp op) {
  std::shared_ptr<Predicate> predicate(new Predicate());
  predicate->op_ = op;
  return predicate;
}

PredicatePtr Predicate::And(std::vector<PredicatePtr> children) { return Join(PredicateOp::kAnd, std::move(children)); }
PredicatePtr Predicate::Or(std::vector<PredicatePtr> children) { return Join(PredicateOp::kOr, std::move(children)); }
PredicatePtr Predicate::True() { return Constant(PredicateOp::kTrue); }
PredicatePtr Predicate::False() { return Constant(PredicateOp::kFalse); }

PredicatePtr Predicate::Compare(PredicateOp op, std::string column, std::vector<Value> literals) {
  std::shared_ptr<Predicate> predicate(new Predicate());
  predicate->op_ = op;
  predicate->column_ = std::move(column);
  predicate->literals_ = std::move(literals);
  return predicate;
}

std::string Predicate::ToString() const {
  std::string text;
  if (IsJunction(op_)) {
    for (const PredicatePtr& child : children_) {
      if (!text.empty()) text += OpText(op_);
      text += IsJunction(child->op()) ? "(" + child->ToString() + ")" : child->ToString();
    }
    return text;
  }
  text = column_ + std::string(OpText(op_));
  const bool list = op_ == PredicateOp::kIn || op_ == PredicateOp::kNotIn;
  if (list) text += "(";
  for (size_t i = 0; i < literals_.size(); ++i) text += (i == 0 ? "" : ", ") + ToText(literals_[i]);
  return list ? text + ")" : text;
}

std::vector<PredicatePtr> SplitConjuncts(const PredicatePtr& predicate) {
  if (predicate == nullptr || predicate->op() == PredicateOp::kTrue) return {};
  if (predicate->op() == PredicateOp::kAnd) return predicate->children();
  return {predicate};
}

std::vector<std::string> ColumnsOf(const PredicatePtr& predicate) {
  std::vector<std::string> columns;
  if (predicate != nullptr) CollectColumns(*predicate, &columns);
  return columns;
}

}  // namespace bactrian
