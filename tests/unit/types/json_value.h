#pragma once

#include <nlohmann/json.hpp>

#include "bactrian/types/timestamp.h"
#include "bactrian/value.h"
#include "hex.h"

namespace bactrian {

/// A value as the interop corpus spells it.
inline Value ValueFromCorpusJson(const nlohmann::json& json, const DataType& type) {
  if (json.is_null()) return {};
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return json.get<bool>();
    case TypeRoot::kFloat:
      return json.is_string() ? std::stof(json.get<std::string>()) : json.get<float>();
    case TypeRoot::kDouble:
      return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
    case TypeRoot::kDecimal: {
      arrow::Decimal128 value;
      int32_t precision, scale;
      if (!arrow::Decimal128::FromString(json.get<std::string>(), &value, &precision, &scale).ok()) return {};
      return value.Rescale(scale, type.scale()).ValueOrDie();
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return TimestampFromUnits(std::stoll(json.get<std::string>()), kNanosPerMilli);
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return FromHex(json.get<std::string>());
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return json.get<std::string>();
    default:
      return json.get<int64_t>();
  }
}

}  // namespace bactrian
