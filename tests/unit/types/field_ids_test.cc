#include "bactrian/types/field_ids.h"

#include <gtest/gtest.h>

#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

std::string IdsOf(std::vector<Field> fields) {
  int32_t highest = -1;
  for (Field& field : fields) field = WithNewFieldIds(std::move(field), &highest);
  return CompactJson(FieldsToJson(fields)) + " " + std::to_string(highest);
}

// Expectation printed by the reference for Schema.newBuilder().column(…).
TEST(FieldIds, AColumnComesBeforeItsFieldsButANestedFieldBehindItsOwn) {
  const TypePtr row = ParseSqlType(
                          "ROW<id INT, a ROW<x ROW<p INT, q ARRAY<ROW<e INT>>>, y INT, z MAP<ROW<k INT>, ROW<v INT>>>, "
                          "b MULTISET<ROW<m INT>>, c STRING>")
                          .ValueOrDie();
  EXPECT_EQ(
      IdsOf(row->fields()),
      R"([{"id":0,"name":"id","type":"INT"},{"id":1,"name":"a","type":{"type":"ROW","fields":[{"id":5,"name":"x","type":)"
      R"({"type":"ROW","fields":[{"id":2,"name":"p","type":"INT"},{"id":4,"name":"q","type":{"type":"ARRAY","element":)"
      R"({"type":"ROW","fields":[{"id":3,"name":"e","type":"INT"}]}}}]}},{"id":6,"name":"y","type":"INT"},{"id":9,)"
      R"("name":"z","type":{"type":"MAP","key":{"type":"ROW","fields":[{"id":7,"name":"k","type":"INT"}]},"value":)"
      R"({"type":"ROW","fields":[{"id":8,"name":"v","type":"INT"}]}}}]}},{"id":10,"name":"b","type":{"type":"MULTISET",)"
      R"("element":{"type":"ROW","fields":[{"id":11,"name":"m","type":"INT"}]}}},{"id":12,"name":"c","type":"STRING"}] 12)");
}

// Computed by the reference's SpecialFields.
TEST(FieldIds, PartsOfCollectionsHaveSyntheticIds) {
  EXPECT_EQ(ElementFieldId(5, 2), 536876033);
  EXPECT_EQ(MapKeyFieldId(5, 2), 536865789);
  EXPECT_EQ(MapValueFieldId(5, 2), 536876033);
  EXPECT_EQ(ElementFieldId(3000000, 1), -686096384);
}

TEST(FieldIds, SystemNamesAreReserved) {
  for (const char* name : {"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID", "_KEY_a"}) {
    EXPECT_TRUE(IsReservedColumnName(name)) << name;
  }
  for (const char* name : {"a", "_KEY", "ROWKIND", "_row_id"}) EXPECT_FALSE(IsReservedColumnName(name)) << name;
}

}  // namespace
}  // namespace bactrian
