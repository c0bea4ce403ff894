#include "bactrian/value.h"

#include <bit>
#include <cmath>

namespace bactrian {
namespace {

/// Java's order: every NaN is the same and largest, -0.0 lies below 0.0.
template <typename Float>
std::strong_ordering CompareFloats(Float a, Float b) {
  if (a < b) return std::strong_ordering::less;
  if (a > b) return std::strong_ordering::greater;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) <=> std::isnan(b);
  return std::signbit(b) <=> std::signbit(a);
}

std::strong_ordering Compare(float a, float b) { return CompareFloats(a, b); }
std::strong_ordering Compare(double a, double b) { return CompareFloats(a, b); }
std::strong_ordering Compare(const std::string& a, const std::string& b) { return a.compare(b) <=> 0; }
std::strong_ordering Compare(const arrow::Decimal128& a, const arrow::Decimal128& b) {
  return a < b ? std::strong_ordering::less : b < a ? std::strong_ordering::greater : std::strong_ordering::equal;
}
std::strong_ordering Compare(std::monostate, std::monostate) { return std::strong_ordering::equal; }
template <typename T>
std::strong_ordering Compare(const T& a, const T& b) {
  return a <=> b;
}

}  // namespace

std::strong_ordering CompareValues(const Value& a, const Value& b) {
  if (a.index() != b.index()) return a.index() <=> b.index();
  return std::visit(
      [&](const auto& left) -> std::strong_ordering { return Compare(left, std::get<std::decay_t<decltype(left)>>(b)); }, a);
}

}  // namespace bactrian
