#include "bactrian/session.h"

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <gtest/gtest.h>

#include "../status_asserts.h"

namespace bactrian {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(SessionTest, TheMemoryLimitCountsWhatTheSessionTookAlone) {
  ASSERT_OK_AND_ASSIGN(const auto others, arrow::AllocateBuffer(32 * kMiB));
  ASSERT_OK_AND_ASSIGN(const auto session, Session::Make({.memory_limit_bytes = 8 * kMiB}));
  ASSERT_OK_AND_ASSIGN(const auto first, arrow::AllocateBuffer(6 * kMiB, session->memory_pool()));
  EXPECT_TRUE(arrow::AllocateBuffer(6 * kMiB, session->memory_pool()).status().IsOutOfMemory());
}

TEST(SessionTest, NegativeOptionsAreRefused) {
  EXPECT_TRUE(Session::Make({.memory_limit_bytes = -1}).status().IsInvalid());
  EXPECT_TRUE(Session::Make({.cache_bytes = -1}).status().IsInvalid());
}

}  // namespace
}  // namespace bactrian
