// What filters and statistics may do across a change of type (format reference: schema.md §7).
#include <limits>

#include "bactrian/expr/cast.h"
#include "bactrian/expr/cast_rules.h"

namespace bactrian {
namespace {

int64_t HighestOf(TypeRoot root) {
  switch (root) {
    case TypeRoot::kTinyint:
      return std::numeric_limits<int8_t>::max();
    case TypeRoot::kSmallint:
      return std::numeric_limits<int16_t>::max();
    case TypeRoot::kInt:
      return std::numeric_limits<int32_t>::max();
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

/// Digits before the point that values of an exact number type may have.
int WholeDigits(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return 3;
    case TypeRoot::kSmallint:
      return 5;
    case TypeRoot::kInt:
      return 10;
    case TypeRoot::kBigint:
      return 19;
    default:
      return type.precision() - type.scale();
  }
}

bool IsFloating(const DataType& type) { return type.root() == TypeRoot::kFloat || type.root() == TypeRoot::kDouble; }

/// Numbers keep their order when none wraps around or becomes null. Rounding keeps it too.
bool NumbersKeepOrder(const DataType& from, const DataType& to) {
  if (from.is_integer() && to.is_integer()) return from.root() <= to.root();
  if (IsFloating(from)) return IsFloating(to);
  if (IsFloating(to)) return true;
  // One digit more, as rounding may carry.
  const bool may_round = to.root() == TypeRoot::kDecimal && from.root() == TypeRoot::kDecimal && to.scale() < from.scale();
  if (to.root() == TypeRoot::kDecimal) return WholeDigits(from) + (may_round ? 1 : 0) <= WholeDigits(to);
  return WholeDigits(from) < WholeDigits(to);  // decimal to integer: all values of fewer digits fit
}

}  // namespace

std::optional<Value> CastLiteralToDataType(const Value& literal, const DataType& query_type, const DataType& data_type) {
  if (query_type.EqualsIgnoreNullable(data_type) || IsNull(literal)) return literal;
  // A cast to a limited length may cut, as writers do not check lengths; one to STRING changes nothing.
  if (data_type.is_string() && query_type.root() == TypeRoot::kVarchar && query_type.length() == DataType::kMaxLength) {
    return literal;
  }
  // Widened integers; a narrowed one has wrapped values, which an equal literal in the file's type would miss.
  if (!query_type.is_integer() || !data_type.is_integer() || query_type.root() < data_type.root()) return std::nullopt;
  const auto* number = std::get_if<int64_t>(&literal);
  const int64_t highest = HighestOf(data_type.root());
  if (number == nullptr || *number > highest || *number < -highest - 1) return std::nullopt;
  return literal;
}

bool CastKeepsOrder(const DataType& from, const DataType& to) {
  if (from.EqualsIgnoreNullable(to)) return true;
  switch (FindCastRule(from, to)) {
    case CastRule::kNumericToNumeric:
    case CastRule::kNumericToDecimal:
    case CastRule::kDecimalToDecimal:
    case CastRule::kDecimalToNumeric:
      return NumbersKeepOrder(from, to);
    case CastRule::kTimestampToTimestamp:
    case CastRule::kTimestampToDate:
    case CastRule::kDateToTimestamp:
    case CastRule::kBinaryToBinary:  // zeros are the least bytes to pad with
    case CastRule::kTextToBinary:
    case CastRule::kBinaryToText:
      return true;
    case CastRule::kTextToText:  // a space is not the least character to pad with
      return to.root() == TypeRoot::kVarchar;
    default:
      return false;
  }
}

}  // namespace bactrian
