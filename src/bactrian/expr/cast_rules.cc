#include "bactrian/expr/cast_rules.h"

#include "bactrian/expr/cast.h"

namespace bactrian {
namespace {

bool IsFloating(const DataType& type) { return type.root() == TypeRoot::kFloat || type.root() == TypeRoot::kDouble; }
bool IsPrimitiveNumber(const DataType& type) { return type.is_integer() || IsFloating(type); }
bool IsDecimal(const DataType& type) { return type.root() == TypeRoot::kDecimal; }
bool IsNumber(const DataType& type) { return IsPrimitiveNumber(type) || IsDecimal(type); }
bool IsSecondsType(const DataType& type) { return type.root() == TypeRoot::kInt || type.root() == TypeRoot::kBigint; }

/// ARRAY, MAP and ROW have a text; VECTOR and MULTISET do not.
bool HasNestedText(const DataType& type) {
  return type.root() == TypeRoot::kArray || type.root() == TypeRoot::kMap || type.root() == TypeRoot::kRow;
}

CastRule RuleToText(const DataType& from, const DataType& to) {
  if (from.is_string()) return CastRule::kTextToText;
  if (from.is_binary()) return CastRule::kBinaryToText;
  if (HasNestedText(from)) return CastRule::kNestedToText;
  if (IsNumber(from) || from.root() == TypeRoot::kBoolean) return CastRule::kAtomicToText;
  // Dates and times have no cast to a string of limited length.
  const bool is_time = from.is_timestamp() || from.root() == TypeRoot::kDate || from.root() == TypeRoot::kTime;
  const bool is_unlimited = to.root() == TypeRoot::kVarchar && to.length() == DataType::kMaxLength;
  return is_time && is_unlimited ? CastRule::kAtomicToText : CastRule::kNone;
}

CastRule RuleFromText(const DataType& to) {
  if (to.is_binary()) return CastRule::kTextToBinary;
  if (HasNestedText(to)) return CastRule::kTextToNested;
  const bool is_time = to.is_timestamp() || to.root() == TypeRoot::kDate || to.root() == TypeRoot::kTime;
  return IsNumber(to) || is_time || to.root() == TypeRoot::kBoolean ? CastRule::kTextToAtomic : CastRule::kNone;
}

CastRule RuleFromNumber(const DataType& from, const DataType& to) {
  if (IsDecimal(to)) return IsDecimal(from) ? CastRule::kDecimalToDecimal : CastRule::kNumericToDecimal;
  if (IsPrimitiveNumber(to)) return IsDecimal(from) ? CastRule::kDecimalToNumeric : CastRule::kNumericToNumeric;
  if (to.root() == TypeRoot::kBoolean && from.is_integer()) return CastRule::kIntegerToBoolean;
  if (to.is_timestamp() && IsSecondsType(from)) return CastRule::kSecondsToTimestamp;
  return CastRule::kNone;
}

CastRule RuleFromTimestamp(const DataType& to) {
  if (to.is_timestamp()) return CastRule::kTimestampToTimestamp;
  if (to.root() == TypeRoot::kDate) return CastRule::kTimestampToDate;
  if (to.root() == TypeRoot::kTime) return CastRule::kTimestampToTime;
  return IsSecondsType(to) ? CastRule::kTimestampToSeconds : CastRule::kNone;
}

/// Widening that loses nothing but digits of a float.
bool IsImplicit(const DataType& from, const DataType& to) {
  switch (to.root()) {
    case TypeRoot::kVarchar:
      return from.is_string();
    case TypeRoot::kVarbinary:
      return from.is_binary();
    case TypeRoot::kDecimal:
    case TypeRoot::kDouble:
      return IsNumber(from);
    case TypeRoot::kFloat:
      return from.is_integer() || IsDecimal(from) || from.root() == TypeRoot::kFloat;
    case TypeRoot::kSmallint:
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
      return from.is_integer() && from.root() <= to.root();
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return from.root() == to.root() || from.root() == TypeRoot::kTimestamp;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return from.is_timestamp();
    default:
      return from.root() == to.root();
  }
}

/// What a statement may ask for beyond that. Casts from text to nested types serve default values only.
bool IsExplicit(const DataType& from, const DataType& to) { return !(from.is_string() && HasNestedText(to)); }

}  // namespace

CastRule FindCastRule(const DataType& from, const DataType& to) {
  if (to.is_string()) return RuleToText(from, to);
  if (from.is_string()) return RuleFromText(to);
  if (from.is_binary()) return to.is_binary() ? CastRule::kBinaryToBinary : CastRule::kNone;
  if (IsNumber(from)) return RuleFromNumber(from, to);
  if (from.is_timestamp()) return RuleFromTimestamp(to);
  if (from.root() == TypeRoot::kBoolean) return IsNumber(to) ? CastRule::kBooleanToNumeric : CastRule::kNone;
  if (to.is_timestamp() && from.root() == TypeRoot::kDate) return CastRule::kDateToTimestamp;
  if (to.is_timestamp() && from.root() == TypeRoot::kTime) return CastRule::kTimeToTimestamp;
  return CastRule::kNone;
}

bool SupportsCast(const DataType& from, const DataType& to, bool allow_explicit) {
  if (from.nullable() && !to.nullable() && !allow_explicit) return false;
  if (from.EqualsIgnoreNullable(to)) return true;
  if (FindCastRule(from, to) == CastRule::kNone) return false;
  return IsImplicit(from, to) || (allow_explicit && IsExplicit(from, to));
}

}  // namespace bactrian
