#include <gtest/gtest.h>

#include "bactrian/bactrian.h"
#include "bactrian/expr/cast.h"
#include "bactrian/expr/evaluate.h"
#include "bactrian/format/avro/avro_file.h"
#include "bactrian/format/file_format.h"
#include "bactrian/index/deletion_vector.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/bucket.h"
#include "bactrian/types/core_options.h"
#include "bactrian/types/partition_path.h"

namespace bactrian {
namespace {

TEST(Status, CarriesItsKindAndMessage) {
  arrow::Status status = Corrupt("manifest ", "m-1", ": bad length ", 7);
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(status.message(), "manifest m-1: bad length 7");
}

TEST(Status, ForeignErrorsHaveNoKind) { EXPECT_EQ(KindOf(arrow::Status::IOError("disk")), ErrorKind::kUnknown); }

}  // namespace
}  // namespace bactrian
