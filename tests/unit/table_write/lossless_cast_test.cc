#include "bactrian/table/write/lossless_cast.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "bactrian/data_type.h"

namespace bactrian {
namespace {

// What FromArrowType makes of an Arrow type is what a table made from it must be able to take: load and CTAS depend on it.
TEST(LosslessCast, UnsignedIntegersFitTheTypesThatTablesMadeFromThemHave) {
  for (const auto& [type, json] :
       {std::pair{arrow::uint8(), "[255, null]"}, std::pair{arrow::uint16(), "[65535, null]"},
        std::pair{arrow::uint32(), "[4294967295, null]"}, std::pair{arrow::uint64(), "[18446744073709551615, null]"}}) {
    const auto array = arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
    const auto column = ToArrowType(*FromArrowType(*type).ValueOrDie()).ValueOrDie();
    const auto cast = CastLossless(array, column, arrow::default_memory_pool()).ValueOrDie();
    EXPECT_EQ(cast->GetScalar(0).ValueOrDie()->ToString(), array->GetScalar(0).ValueOrDie()->ToString()) << type->ToString();
    EXPECT_TRUE(cast->IsNull(1));
  }
}

}  // namespace
}  // namespace bactrian
