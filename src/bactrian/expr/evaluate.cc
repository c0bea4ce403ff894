#include "bactrian/expr/evaluate.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "bactrian/expr/bound_leaf.h"
#include "bactrian/expr/compare.h"

namespace bactrian {
namespace {

using BoundPtr = std::shared_ptr<const BoundPredicate>;

class BoundConstant final : public BoundPredicate {
 public:
  explicit BoundConstant(bool value) : value_(value) {}
  arrow::Status Evaluate(const arrow::RecordBatch& batch, uint8_t* mask) const override {
    std::memset(mask, value_ ? 1 : 0, static_cast<size_t>(batch.num_rows()));
    return arrow::Status::OK();
  }

 private:
  bool value_;
};

class BoundNullTest final : public BoundPredicate {
 public:
  BoundNullTest(int position, bool is_null) : position_(position), is_null_(is_null) {}
  arrow::Status Evaluate(const arrow::RecordBatch& batch, uint8_t* mask) const override {
    if (position_ >= batch.num_columns()) return Invalid("a null test on a column that the batch does not have");
    const std::shared_ptr<arrow::Array> values = batch.column(position_);
    const int64_t length = values->length();
    if (values->type_id() == arrow::Type::DICTIONARY) {
      for (int64_t i = 0; i < length; ++i) mask[i] = IsValidEntry(static_cast<const arrow::DictionaryArray&>(*values), i);
    } else {
      std::memset(mask, 1, static_cast<size_t>(length));
      ClearNulls(*values, mask);
    }
    if (is_null_) {
      for (int64_t i = 0; i < length; ++i) mask[i] ^= 1;
    }
    return arrow::Status::OK();
  }

 private:
  static bool IsValidEntry(const arrow::DictionaryArray& values, int64_t row) {
    return values.IsValid(row) && values.dictionary()->IsValid(values.GetValueIndex(row));
  }

  int position_;
  bool is_null_;
};

/// Only whether a row is true counts, and neither AND nor OR turns null or false into true: a byte a row is enough.
class BoundJunction final : public BoundPredicate {
 public:
  BoundJunction(bool is_and, std::vector<BoundPtr> children) : is_and_(is_and), children_(std::move(children)) {}
  arrow::Status Evaluate(const arrow::RecordBatch& batch, uint8_t* mask) const override {
    ARROW_RETURN_NOT_OK(children_.front()->Evaluate(batch, mask));
    const auto length = static_cast<size_t>(batch.num_rows());
    std::vector<uint8_t> other(length);
    for (size_t i = 1; i < children_.size(); ++i) {
      if (std::memchr(mask, is_and_ ? 1 : 0, length) == nullptr) return arrow::Status::OK();  // no row is open
      ARROW_RETURN_NOT_OK(children_[i]->Evaluate(batch, other.data()));
      Combine(other.data(), length, mask);
    }
    return arrow::Status::OK();
  }

 private:
  void Combine(const uint8_t* __restrict other, size_t length, uint8_t* __restrict mask) const {
    if (is_and_) {
      for (size_t i = 0; i < length; ++i) mask[i] &= other[i];
    } else {
      for (size_t i = 0; i < length; ++i) mask[i] |= other[i];
    }
  }

  bool is_and_;
  std::vector<BoundPtr> children_;
};

/// The alternative of Value that holds values of a type; nullopt for types without order or equality.
std::optional<size_t> ValueIndexOf(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Value(false).index();
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return Value(int64_t{0}).index();
    case TypeRoot::kFloat:
      return Value(0.0F).index();
    case TypeRoot::kDouble:
      return Value(0.0).index();
    case TypeRoot::kDecimal:
      return Value(arrow::Decimal128()).index();
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return Value(TimestampValue()).index();
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return Value(std::string()).index();
    default:
      return std::nullopt;
  }
}

arrow::Result<BoundPtr> BindComparison(const Predicate& leaf, const Field& field, int position) {
  const std::optional<size_t> kind = ValueIndexOf(*field.type);
  if (!kind.has_value()) {
    return Unsupported("filter '", leaf.ToString(), "': ", field.type->ToSqlString(), " has no order or equality");
  }
  Comparison comparison{leaf.op(), {}};
  bool has_null = false;
  for (const Value& literal : leaf.literals()) {
    if (IsNull(literal)) {
      has_null = true;
    } else if (literal.index() != *kind) {
      return Invalid("filter '", leaf.ToString(), "': a literal is not a ", field.type->ToSqlString());
    } else {
      comparison.literals.push_back(literal);
    }
  }
  const bool is_text = field.type->is_string() || field.type->is_binary();
  if (IsStringOp(leaf.op()) && !is_text) {
    return Invalid("filter '", leaf.ToString(), "': ", field.type->ToSqlString(), " is no string");
  }
  if (has_null && leaf.op() != PredicateOp::kIn) return std::make_shared<BoundConstant>(false);
  if (comparison.literals.empty()) {
    if (leaf.op() == PredicateOp::kIn) return std::make_shared<BoundConstant>(false);
    return std::make_shared<BoundNullTest>(position, false);
  }
  return is_text ? BindTextLeaf(comparison, field, position) : BindKeyLeaf(comparison, field, position);
}

arrow::Result<BoundPtr> BindLeaf(const Predicate& leaf, std::span<const Field> fields) {
  if (leaf.op() == PredicateOp::kTrue || leaf.op() == PredicateOp::kFalse) {
    return std::make_shared<BoundConstant>(leaf.op() == PredicateOp::kTrue);
  }
  ARROW_RETURN_NOT_OK(ValidateLeaf(leaf));
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == leaf.column(); });
  if (field == fields.end()) return Invalid("filter '", leaf.ToString(), "': no column '", leaf.column(), "'");
  const auto position = static_cast<int>(field - fields.begin());
  if (IsNullOp(leaf.op())) return std::make_shared<BoundNullTest>(position, leaf.op() == PredicateOp::kIsNull);
  return BindComparison(leaf, *field, position);
}

}  // namespace

arrow::Result<BoundPtr> BoundPredicate::Bind(const PredicatePtr& predicate, std::span<const Field> fields) {
  if (predicate == nullptr) return std::make_shared<BoundConstant>(true);
  if (predicate->op() != PredicateOp::kAnd && predicate->op() != PredicateOp::kOr) return BindLeaf(*predicate, fields);
  std::vector<BoundPtr> children;
  for (const PredicatePtr& child : predicate->children()) {
    ARROW_ASSIGN_OR_RAISE(BoundPtr bound, Bind(child, fields));
    children.push_back(std::move(bound));
  }
  return std::make_shared<BoundJunction>(predicate->op() == PredicateOp::kAnd, std::move(children));
}

}  // namespace bactrian
