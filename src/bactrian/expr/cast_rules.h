/// Which casts exist (format reference: schema.md §6).
#pragma once

#include "bactrian/data_type.h"

namespace bactrian {

/// How values go from one type to another. The reference resolves the same rules.
enum class CastRule : uint8_t {
  kNone,
  kNumericToNumeric,  ///< integers and floats among each other
  kNumericToDecimal,  ///< integers and floats
  kDecimalToDecimal,
  kDecimalToNumeric,  ///< integers and floats
  kBooleanToNumeric,  ///< decimals too
  kIntegerToBoolean,
  kSecondsToTimestamp,  ///< INT, BIGINT
  kTimestampToSeconds,  ///< INT, BIGINT
  kTimestampToTimestamp,
  kTimestampToDate,
  kTimestampToTime,
  kDateToTimestamp,
  kTimeToTimestamp,
  kAtomicToText,
  kNestedToText,  ///< ARRAY, MAP, ROW
  kTextToAtomic,
  kTextToNested,
  kTextToText,
  kTextToBinary,
  kBinaryToBinary,
  kBinaryToText,
};

CastRule FindCastRule(const DataType& from, const DataType& to);

}  // namespace bactrian
