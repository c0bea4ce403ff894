// Casts among dates, times and timestamps. Everything is in UTC: TIMESTAMP WITH LOCAL TIME ZONE has the same wall clock.
#include "bactrian/expr/cast_kernels.h"
#include "bactrian/types/timestamp.h"

namespace bactrian {
namespace {

constexpr int64_t kMillisPerDay = 86'400'000;
constexpr int64_t kMillisPerSecond = 1'000;
constexpr int kMilliDigits = 3, kNanoDigits = 9;

int64_t PowerOfTen(int exponent) {
  int64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

int64_t ZeroLastDigits(int64_t value, int digits) {
  const int64_t power = PowerOfTen(digits);
  return value / power * power;
}

int SignificantFractionDigits(const TimestampValue& value) {
  int64_t nanos = FloorMod(value.millis, kMillisPerSecond) * kNanosPerMilli + value.nanos;
  if (nanos == 0) return 0;
  int digits = kNanoDigits;
  for (; nanos % 10 == 0; nanos /= 10) --digits;
  return digits;
}

/// As the reference shortens: milliseconds towards zero, also before 1970, and not at all if there is nothing to cut.
TimestampValue Truncate(const TimestampValue& value, int precision) {
  if (SignificantFractionDigits(value) <= precision) return value;
  if (precision <= kMilliDigits) return {ZeroLastDigits(value.millis, kMilliDigits - precision), 0};
  return {value.millis, static_cast<int32_t>(ZeroLastDigits(value.nanos, kNanoDigits - precision))};
}

/// fn gives the timestamp of a value of CType. One that does not fit the target's 64 bits is an error.
template <typename CType, typename Fn>
CastPtr MakeToTimestamp(const DataType& to, const ArrowTypePtr& type, Fn fn) {
  const int32_t units_per_milli = UnitsPerMilli(to);
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    arrow::Status failure;
    auto convert = [&](CType value) -> std::optional<int64_t> {
      arrow::Result<int64_t> units = TimestampToUnits(fn(value), units_per_milli);
      if (units.ok()) return *units;
      failure = units.status();
      return std::nullopt;
    };
    ARROW_ASSIGN_OR_RAISE(auto result, MapOrNull<int64_t>(*array, type, pool, FixedValues<CType>(*array), convert));
    ARROW_RETURN_NOT_OK(failure);
    return result;
  });
}

template <typename Out, typename Fn>
CastPtr MakeFromTimestamp(const DataType& from, const ArrowTypePtr& type, Fn fn) {
  const int32_t units_per_milli = UnitsPerMilli(from);
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) {
    return MapValues<Out>(*array, type, pool, FixedValues<int64_t>(*array), [=](int64_t units) {
      return static_cast<Out>(fn(TimestampFromUnits(units, units_per_milli).millis));
    });
  });
}

/// Java multiplies without looking at the range.
TimestampValue FromSeconds(int64_t seconds) {
  return {static_cast<int64_t>(static_cast<uint64_t>(seconds) * static_cast<uint64_t>(kMillisPerSecond)), 0};
}

CastPtr MakeTimestampToTimestamp(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  const int32_t units_per_milli = UnitsPerMilli(from);
  const int precision = from.precision() > to.precision() ? to.precision() : kNanoDigits;
  return MakeToTimestamp<int64_t>(
      to, type, [=](int64_t units) { return Truncate(TimestampFromUnits(units, units_per_milli), precision); });
}

CastPtr MakeTimestampToSeconds(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  auto seconds = [](int64_t millis) { return millis / kMillisPerSecond; };
  return to.root() == TypeRoot::kInt ? MakeFromTimestamp<int32_t>(from, type, seconds)
                                     : MakeFromTimestamp<int64_t>(from, type, seconds);
}

}  // namespace

CastPtr MakeTimeCast(CastRule rule, const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  switch (rule) {
    case CastRule::kSecondsToTimestamp:
      return from.root() == TypeRoot::kInt ? MakeToTimestamp<int32_t>(to, type, FromSeconds)
                                           : MakeToTimestamp<int64_t>(to, type, FromSeconds);
    case CastRule::kTimestampToSeconds:
      return MakeTimestampToSeconds(from, to, type);
    case CastRule::kTimestampToTimestamp:
      return MakeTimestampToTimestamp(from, to, type);
    case CastRule::kTimestampToDate:
      return MakeFromTimestamp<int32_t>(from, type, [](int64_t millis) { return FloorDiv(millis, kMillisPerDay); });
    case CastRule::kTimestampToTime:
      return MakeFromTimestamp<int32_t>(from, type, [](int64_t millis) { return FloorMod(millis, kMillisPerDay); });
    case CastRule::kDateToTimestamp:
      return MakeToTimestamp<int32_t>(to, type, [](int32_t days) { return TimestampValue{days * kMillisPerDay, 0}; });
    default:  // kTimeToTimestamp
      return MakeToTimestamp<int32_t>(to, type, [](int32_t millis) { return TimestampValue{millis, 0}; });
  }
}

}  // namespace bactrian
