// Casts of single values from and to text, and between text and bytes.
#include <arrow/builder.h>

#include "bactrian/expr/array_value.h"
#include "bactrian/expr/cast_kernels.h"

namespace bactrian {
namespace {

CastPtr MakeReinterpretation(const ArrowTypePtr& type) {
  return MakeFunctionCast([type](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool*) -> ArrayResult {
    std::shared_ptr<arrow::ArrayData> data = array->data()->Copy();
    data->type = type;
    return arrow::MakeArray(data);
  });
}

/// Text (or bytes) to any atomic type.
CastPtr MakeParse(const TypePtr& to, const ArrowTypePtr& type) {
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    const auto& texts = static_cast<const arrow::BinaryArray&>(*array);
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

bool IsUnlimited(const DataType& type) {
  const bool pads = type.root() == TypeRoot::kChar || type.root() == TypeRoot::kBinary;
  return !pads && type.length() == DataType::kMaxLength;
}

/// Strings and bytes to strings or bytes of another length.
CastPtr MakeLengthChange(const TypePtr& to, const ArrowTypePtr& type) {
  return IsUnlimited(*to) ? MakeReinterpretation(type) : MakeParse(to, type);
}

/// ParseValue also cuts and pads text to the target's length.
CastPtr MakeAtomicToText(const TypePtr& from, const TypePtr& to, const ArrowTypePtr& type) {
  const bool is_unlimited = IsUnlimited(*to);
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    arrow::StringBuilder builder(type, pool);
    for (int64_t i = 0; i < array->length(); ++i) {
      Value value = ValueAt(*array, i, *from);
      if (!IsNull(value)) value = FormatValue(value, *from);
      if (!IsNull(value) && !is_unlimited) {
        ARROW_ASSIGN_OR_RAISE(value, ParseValue(std::get<std::string>(value), *to));
      }
      ARROW_RETURN_NOT_OK(AppendValue(value, *to, &builder));
    }
    return builder.Finish();
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
      return MakeAtomicToText(from, to, type);
    case CastRule::kTextToAtomic:
      return MakeParse(to, type);
    case CastRule::kNumericToDecimal:
      return MakeFloatToDecimal(from, to, type);
    case CastRule::kBinaryToText:  // bytes are taken as they are, of any length
      return MakeReinterpretation(type);
    default:
      return MakeLengthChange(to, type);
  }
}

}  // namespace bactrian
