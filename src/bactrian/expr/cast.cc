#include "bactrian/expr/cast.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/type.h>

#include "bactrian/expr/cast_kernels.h"

namespace bactrian {
namespace {

/// Lets a kernel see the one array type it is written for. Readers may deliver strings as views or dictionaries.
class PlainInputCast final : public Cast {
 public:
  PlainInputCast(ArrowTypePtr input, CastPtr kernel) : input_(std::move(input)), kernel_(std::move(kernel)) {}

  ArrayResult Apply(const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) const override {
    if (array->type_id() == input_->id()) return kernel_->Apply(array, pool);
    const bool is_bytes = input_->id() == arrow::Type::STRING || input_->id() == arrow::Type::BINARY;
    if (!is_bytes && array->type_id() != arrow::Type::DICTIONARY) {
      return Invalid("a cast from ", input_->ToString(), " got ", array->type()->ToString());
    }
    arrow::compute::ExecContext context(pool);
    const auto options = arrow::compute::CastOptions::Unsafe(input_);  // any bytes are accepted as a string
    ARROW_ASSIGN_OR_RAISE(arrow::Datum plain, arrow::compute::Cast(array, options, &context));
    return kernel_->Apply(plain.make_array(), pool);
  }

 private:
  ArrowTypePtr input_;
  CastPtr kernel_;
};

CastPtr MakeIdentity() {
  return MakeFunctionCast([](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool*) -> ArrayResult { return array; });
}

arrow::Result<CastPtr> MakeByRule(CastRule rule, const TypePtr& from, const TypePtr& to, const ArrowTypePtr& type) {
  switch (rule) {
    case CastRule::kNumericToNumeric:
    case CastRule::kDecimalToDecimal:
    case CastRule::kDecimalToNumeric:
    case CastRule::kBooleanToNumeric:
    case CastRule::kIntegerToBoolean:
      return MakeNumericCast(rule, *from, *to, type);
    case CastRule::kNumericToDecimal:
      // A float becomes a decimal through its text, as in the reference.
      return from->is_integer() ? MakeNumericCast(rule, *from, *to, type) : MakeTextCast(rule, from, to, type);
    case CastRule::kAtomicToText:
    case CastRule::kTextToAtomic:
    case CastRule::kTextToText:
    case CastRule::kTextToBinary:
    case CastRule::kBinaryToBinary:
    case CastRule::kBinaryToText:
      return MakeTextCast(rule, from, to, type);
    case CastRule::kNestedToText:
      return MakeNestedToTextCast(from, type);
    case CastRule::kTextToNested:
      return MakeTextToNestedCast(to, type);
    case CastRule::kNone:
      return CastPtr();
    default:
      return MakeTimeCast(rule, *from, *to, type);
  }
}

}  // namespace

arrow::Result<CastPtr> Cast::Make(const TypePtr& from, const TypePtr& to) {
  if (from->EqualsIgnoreNullable(*to)) return MakeIdentity();
  ARROW_ASSIGN_OR_RAISE(ArrowTypePtr input, ToArrowType(*from));
  ARROW_ASSIGN_OR_RAISE(ArrowTypePtr output, ToArrowType(*to));
  ARROW_ASSIGN_OR_RAISE(CastPtr kernel, MakeNestedCast(from, to, output));
  if (kernel == nullptr) {
    ARROW_ASSIGN_OR_RAISE(kernel, MakeByRule(FindCastRule(*from, *to), from, to, output));
  }
  if (kernel == nullptr) return Unsupported("no cast from ", from->ToSqlString(), " to ", to->ToSqlString());
  return std::make_shared<PlainInputCast>(std::move(input), std::move(kernel));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ValidityOf(const arrow::Array& array, arrow::MemoryPool* pool) {
  if (array.null_count() == 0) return nullptr;
  if (array.offset() == 0) return array.null_bitmap();
  return arrow::internal::CopyBitmap(pool, array.null_bitmap_data(), array.offset(), array.length());
}

}  // namespace bactrian
