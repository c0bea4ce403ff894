/// The makers of casts, one a family of rules, and the loops that they share.
#pragma once

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "bactrian/expr/cast.h"
#include "bactrian/expr/cast_rules.h"

namespace bactrian {

using CastPtr = std::shared_ptr<const Cast>;
using ArrowTypePtr = std::shared_ptr<arrow::DataType>;
using ArrayResult = arrow::Result<std::shared_ptr<arrow::Array>>;

/// A cast that is a function of (array, pool).
template <typename Function>
class FunctionCast final : public Cast {
 public:
  explicit FunctionCast(Function function) : function_(std::move(function)) {}
  ArrayResult Apply(const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) const override {
    return function_(array, pool);
  }

 private:
  Function function_;
};

template <typename Function>
CastPtr MakeFunctionCast(Function function) {
  return std::make_shared<FunctionCast<Function>>(std::move(function));
}

// `type` is ToArrowType(to); the rule is FindCastRule(from, to).
CastPtr MakeNumericCast(CastRule rule, const DataType& from, const DataType& to, const ArrowTypePtr& type);
CastPtr MakeTimeCast(CastRule rule, const DataType& from, const DataType& to, const ArrowTypePtr& type);
CastPtr MakeTextCast(CastRule rule, const TypePtr& from, const TypePtr& to, const ArrowTypePtr& type);
arrow::Result<CastPtr> MakeNestedToTextCast(const TypePtr& from, const ArrowTypePtr& type);
arrow::Result<CastPtr> MakeTextToNestedCast(const TypePtr& to, const ArrowTypePtr& type);
/// Between two ROW, ARRAY or MAP types, fields matched by id. nullptr for other types.
arrow::Result<CastPtr> MakeNestedCast(const TypePtr& from, const TypePtr& to, const ArrowTypePtr& type);

/// The validity of `array` as a bitmap without offset; nullptr when no row is null.
arrow::Result<std::shared_ptr<arrow::Buffer>> ValidityOf(const arrow::Array& array, arrow::MemoryPool* pool);

/// The values of an array of fixed width, also of 16 bytes at any alignment.
template <typename CType>
class FixedValues {
 public:
  explicit FixedValues(const arrow::Array& array)
      : bytes_(array.data()->GetValues<uint8_t>(1, 0) + array.offset() * static_cast<int64_t>(sizeof(CType))) {}
  CType operator()(int64_t i) const {
    CType value;
    std::memcpy(&value, bytes_ + i * static_cast<int64_t>(sizeof(CType)), sizeof(CType));
    return value;
  }

 private:
  const uint8_t* bytes_;
};

/// fn(load(i)) for every row; it must not mind what lies in null rows.
template <typename Out, typename Load, typename Fn>
ArrayResult MapValues(const arrow::Array& array, const ArrowTypePtr& type, arrow::MemoryPool* pool, Load load, Fn fn) {
  const int64_t length = array.length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, ValidityOf(array, pool));
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> values,
                        arrow::AllocateBuffer(length * static_cast<int64_t>(sizeof(Out)), pool));
  auto* out = reinterpret_cast<Out*>(values->mutable_data());
  for (int64_t i = 0; i < length; ++i) out[i] = fn(load(i));
  return arrow::MakeArray(arrow::ArrayData::Make(type, length, {std::move(validity), std::move(values)}));
}

/// As MapValues for an fn that returns std::optional and sees no null row: nullopt becomes null.
template <typename Out, typename Load, typename Fn>
ArrayResult MapOrNull(const arrow::Array& array, const ArrowTypePtr& type, arrow::MemoryPool* pool, Load load, Fn fn) {
  const int64_t length = array.length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, arrow::AllocateEmptyBitmap(length, pool));
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> values,
                        arrow::AllocateBuffer(length * static_cast<int64_t>(sizeof(Out)), pool));
  auto* out = reinterpret_cast<Out*>(values->mutable_data());
  for (int64_t i = 0; i < length; ++i) {
    const std::optional<Out> value = array.IsNull(i) ? std::nullopt : fn(load(i));
    out[i] = value.value_or(Out{});
    if (value.has_value()) arrow::bit_util::SetBit(validity->mutable_data(), i);
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, length, {std::move(validity), std::move(values)}));
}

}  // namespace bactrian
