// Casts of single values from and to text, and between text and bytes.
#include <arrow/builder.h>

#include "bactrian/expr/array_value.h"
#include "bactrian/expr/cast_kernels.h"
#include "bactrian/expr/text_length.h"

namespace bactrian {
namespace {

CastPtr MakeReinterpretation(const ArrowTypePtr& type) {
  return MakeFunctionCast([type](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool*) -> ArrayResult {
    std::shared_ptr<arrow::ArrayData> data = array->data()->Copy();
    data->type = type;
    return arrow::MakeArray(std::move(data));
  });
}

/// Strings and bytes to strings or bytes of another length.
CastPtr MakeLengthChange(const DataType& to, const ArrowTypePtr& type) {
  const LengthRule rule(to);
  if (rule.changes_nothing()) return MakeReinterpretation(type);
  return MakeFunctionCast([rule, type](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    const auto& values = static_cast<const arrow::BinaryArray&>(*array);
    arrow::BinaryBuilder builder(type, pool);
    std::string scratch;
    for (int64_t i = 0; i < values.length(); ++i) {
      ARROW_RETURN_NOT_OK(values.IsNull(i) ? builder.AppendNull() : builder.Append(rule.Fit(values.GetView(i), &scratch)));
    }
    return builder.Finish();
  });
}

CastPtr MakeAtomicToText(const TypePtr& from, const DataType& to, const ArrowTypePtr& type) {
  const LengthRule rule(to);
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    arrow::StringBuilder builder(type, pool);
    std::string scratch;
    for (int64_t i = 0; i < array->length(); ++i) {
      const Value value = ValueAt(*array, i, *from);
      ARROW_RETURN_NOT_OK(IsNull(value) ? builder.AppendNull() : builder.Append(rule.Fit(FormatValue(value, *from), &scratch)));
    }
    return builder.Finish();
  });
}

CastPtr MakeTextToAtomic(const TypePtr& to, const ArrowTypePtr& type) {
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    const auto& texts = static_cast<const arrow::StringArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::ArrayBuilder> builder, arrow::MakeBuilder(type, pool));
    for (int64_t i = 0; i < texts.length(); ++i) {
      if (texts.IsNull(i)) {
        ARROW_RETURN_NOT_OK(builder->AppendNull());
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const Value value, ParseValue(texts.GetView(i), *to));
      ARROW_RETURN_NOT_OK(AppendValue(value, *to, builder.get()));
    }
    return builder->Finish();
  });
}

CastPtr MakeFloatToDecimal(const TypePtr& from, const TypePtr& to, const ArrowTypePtr& type) {
  const TypePtr text_type = DataType::Make(TypeRoot::kDouble);
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    arrow::Decimal128Builder builder(type, pool);
    for (int64_t i = 0; i < array->length(); ++i) {
      Value number = ValueAt(*array, i, *from);
      if (const auto* narrow = std::get_if<float>(&number)) number = static_cast<double>(*narrow);
      Value decimal;
      if (!IsNull(number)) {
        ARROW_ASSIGN_OR_RAISE(decimal, ParseValue(FormatValue(number, *text_type), *to));
      }
      ARROW_RETURN_NOT_OK(AppendValue(decimal, *to, &builder));
    }
    return builder.Finish();
  });
}

}  // namespace

CastPtr MakeTextCast(CastRule rule, const TypePtr& from, const TypePtr& to, const ArrowTypePtr& type) {
  switch (rule) {
    case CastRule::kAtomicToText:
      return MakeAtomicToText(from, *to, type);
    case CastRule::kTextToAtomic:
      return MakeTextToAtomic(to, type);
    case CastRule::kNumericToDecimal:
      return MakeFloatToDecimal(from, to, type);
    case CastRule::kBinaryToText:  // bytes are taken as they are, of any length
      return MakeReinterpretation(type);
    default:
      return MakeLengthChange(*to, type);
  }
}

}  // namespace bactrian
