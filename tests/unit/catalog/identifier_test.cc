#include <gtest/gtest.h>

#include "../status_asserts.h"
#include "bactrian/catalog.h"

namespace bactrian {
namespace {

TEST(Identifier, NamesTableBranchAndSystemTable) {
  const Identifier plain{"db", "t"}, system{"db", "t$snapshots"}, branch{"db", "t$branch_b1"},
      both{"db", "t$branch_b1$snapshots"};
  for (const Identifier& identifier : {plain, system, branch, both}) EXPECT_EQ(identifier.table(), "t");
  EXPECT_EQ(plain.branch(), std::nullopt);
  EXPECT_EQ(plain.system_table(), std::nullopt);
  EXPECT_EQ(system.branch(), std::nullopt);
  EXPECT_EQ(system.system_table(), "snapshots");
  EXPECT_EQ(branch.branch(), "b1");
  EXPECT_EQ(branch.system_table(), std::nullopt);
  EXPECT_EQ(both.branch(), "b1");
  EXPECT_EQ(both.system_table(), "snapshots");
}

TEST(Identifier, ParsesDatabaseAndObject) {
  ASSERT_OK_AND_ASSIGN(Identifier identifier, Identifier::Parse("db.t$branch_x$files"));
  EXPECT_EQ(identifier.database, "db");
  EXPECT_EQ(identifier.object, "t$branch_x$files");
  for (const char* text : {"t", ".t", "db.", "a.b.c", ""}) {
    EXPECT_EQ(ErrorKindOf(Identifier::Parse(text)), ErrorKind::kInvalid) << text;
  }
}

}  // namespace
}  // namespace bactrian
