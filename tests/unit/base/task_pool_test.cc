#include "bactrian/base/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>

namespace bactrian {
namespace {

TEST(TaskPool, RunsEveryTaskOnce) {
  TaskPool pool(3);
  std::vector<std::atomic<int>> runs(1000);
  ASSERT_TRUE(pool.ParallelFor(1000,
                               [&](int64_t i) {
                                 ++runs[i];
                                 return arrow::Status::OK();
                               })
                  .ok());
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(TaskPool, NestedLoopsFinishOnOneThread) {
  TaskPool pool(1);
  std::atomic<int> inner{0};
  ASSERT_TRUE(pool.ParallelFor(4,
                               [&](int64_t) {
                                 return pool.ParallelFor(4, [&](int64_t) {
                                   ++inner;
                                   return arrow::Status::OK();
                                 });
                               })
                  .ok());
  EXPECT_EQ(inner, 16);
}

TEST(TaskPool, ReturnsTheErrorOfTheLowestFailedTaskAndStartsNoMore) {
  TaskPool pool(1);
  int started = 0;
  arrow::Status status = pool.ParallelFor(10, [&](int64_t i) {
    ++started;
    return i == 3 ? Invalid("task ", i) : arrow::Status::OK();
  });
  EXPECT_EQ(KindOf(status), ErrorKind::kInvalid);
  EXPECT_EQ(started, 4);
}

}  // namespace
}  // namespace bactrian
