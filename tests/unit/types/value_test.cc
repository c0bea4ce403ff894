#include "bactrian/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bactrian {
namespace {

void ExpectAscending(const std::vector<Value>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) EXPECT_EQ(CompareValues(values[i], values[j]), i <=> j) << i << " " << j;
  }
}

TEST(CompareValues, FloatsOrderAsInJava) {
  const double infinity = std::numeric_limits<double>::infinity();
  ExpectAscending({-infinity, -1.5, -0.0, 0.0, 1e-300, infinity, std::nan("")});
  const float float_infinity = std::numeric_limits<float>::infinity();
  ExpectAscending({-float_infinity, -1.5F, -0.0F, 0.0F, 1.0F, float_infinity, std::nanf("")});
  EXPECT_EQ(CompareValues(std::nan("1"), -std::nan("2")), std::strong_ordering::equal);
}

TEST(CompareValues, StringsOrderByUnsignedBytes) {
  ExpectAscending({std::string(""), std::string("\0", 1), std::string("a"), std::string("aa"), std::string("b"),
                   std::string("\x7f"), std::string("ü"), std::string("\xff")});
}

TEST(CompareValues, OtherTypesOrderByValue) {
  ExpectAscending({false, true});
  ExpectAscending({std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0}, int64_t{5}});
  ExpectAscending(
      {arrow::Decimal128("-99999999999999999999"), arrow::Decimal128(-1), arrow::Decimal128(0), arrow::Decimal128(7)});
  ExpectAscending({TimestampValue{-1, 0}, TimestampValue{-1, 999999}, TimestampValue{0, 0}, TimestampValue{0, 1}});
}

}  // namespace
}  // namespace bactrian
