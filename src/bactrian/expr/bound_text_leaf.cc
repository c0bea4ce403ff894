// Comparisons of strings and bytes, by unsigned bytes: std::string_view compares with memcmp.
#include <arrow/array.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "bactrian/expr/bound_leaf.h"
#include "bactrian/expr/like_pattern.h"

namespace bactrian {
namespace {

class TextLeaf final : public BoundLeaf {
 public:
  TextLeaf(const Comparison& comparison, const Field& field, int position)
      : BoundLeaf(position, field.name), op_(comparison.op) {
    for (const Value& literal : comparison.literals) literals_.push_back(std::get<std::string>(literal));
    // A list of one is a plain comparison.
    if (literals_.size() == 1 && op_ == PredicateOp::kIn) op_ = PredicateOp::kEqual;
    if (literals_.size() == 1 && op_ == PredicateOp::kNotIn) op_ = PredicateOp::kNotEqual;
    set_.insert(literals_.begin(), literals_.end());
    if (op_ == PredicateOp::kLike) like_ = LikePattern::Parse(literals_.front()).ValueOrDie();
  }

 protected:
  bool Accepts(const arrow::DataType& type) const override {
    switch (type.id()) {
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
      case arrow::Type::LARGE_STRING:
      case arrow::Type::LARGE_BINARY:
      case arrow::Type::STRING_VIEW:
      case arrow::Type::BINARY_VIEW:
      case arrow::Type::FIXED_SIZE_BINARY:
        return true;
      default:
        return false;
    }
  }

  void Fill(const arrow::Array& values, uint8_t* mask) const override {
    switch (values.type_id()) {
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        return FillFrom(static_cast<const arrow::BinaryArray&>(values), mask);
      case arrow::Type::LARGE_STRING:
      case arrow::Type::LARGE_BINARY:
        return FillFrom(static_cast<const arrow::LargeBinaryArray&>(values), mask);
      case arrow::Type::STRING_VIEW:
      case arrow::Type::BINARY_VIEW:
        return FillFrom(static_cast<const arrow::BinaryViewArray&>(values), mask);
      default:
        return FillFrom(static_cast<const arrow::FixedSizeBinaryArray&>(values), mask);
    }
  }

 private:
  template <typename Array>
  void FillFrom(const Array& values, uint8_t* mask) const {
    const std::string_view literal = literals_.front();
    switch (op_) {
      case PredicateOp::kEqual:
        return FillIf(values, mask, [=](std::string_view v) { return v == literal; });
      case PredicateOp::kNotEqual:
        return FillIf(values, mask, [=](std::string_view v) { return v != literal; });
      case PredicateOp::kLess:
        return FillIf(values, mask, [=](std::string_view v) { return v < literal; });
      case PredicateOp::kLessOrEqual:
        return FillIf(values, mask, [=](std::string_view v) { return v <= literal; });
      case PredicateOp::kGreater:
        return FillIf(values, mask, [=](std::string_view v) { return v > literal; });
      case PredicateOp::kGreaterOrEqual:
        return FillIf(values, mask, [=](std::string_view v) { return v >= literal; });
      case PredicateOp::kIn:
        return FillIf(values, mask, [this](std::string_view v) { return set_.contains(v); });
      case PredicateOp::kNotIn:
        return FillIf(values, mask, [this](std::string_view v) { return !set_.contains(v); });
      case PredicateOp::kStartsWith:
        return FillIf(values, mask, [=](std::string_view v) { return v.starts_with(literal); });
      case PredicateOp::kEndsWith:
        return FillIf(values, mask, [=](std::string_view v) { return v.ends_with(literal); });
      case PredicateOp::kContains:
        return FillIf(values, mask, [=](std::string_view v) { return v.find(literal) != std::string_view::npos; });
      default:
        return FillIf(values, mask, [this](std::string_view v) { return like_.Matches(v); });
    }
  }

  template <typename Array, typename Test>
  static void FillIf(const Array& values, uint8_t* mask, Test test) {
    const int64_t length = values.length();
    for (int64_t i = 0; i < length; ++i) mask[i] = test(std::string_view(values.GetView(i)));
  }

  PredicateOp op_;
  std::vector<std::string> literals_;         ///< at least one
  std::unordered_set<std::string_view> set_;  ///< views of literals_
  LikePattern like_;
};

}  // namespace

std::shared_ptr<const BoundPredicate> BindTextLeaf(const Comparison& comparison, const Field& field, int position) {
  return std::make_shared<TextLeaf>(comparison, field, position);
}

}  // namespace bactrian
