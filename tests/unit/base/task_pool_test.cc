#include "bactrian/base/task_pool.h"

#include <arrow/util/parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "bactrian/base/idle_threads.h"

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

TEST(TaskPool, HandsWorkToIdleThreadsOnly) {
  TaskPool alone(1);
  EXPECT_FALSE(alone.RunIfIdle([] {})) << "its one thread is the caller's";
  TaskPool pool(2);
  std::promise<void> started, release, done;
  ASSERT_TRUE(pool.RunIfIdle([&] {
    started.set_value();
    release.get_future().wait();
  }));
  started.get_future().wait();
  EXPECT_FALSE(pool.RunIfIdle([] {})) << "the other is busy";
  release.set_value();
  while (!pool.RunIfIdle([&] { done.set_value(); })) std::this_thread::yield();
  done.get_future().wait();
}

TEST(IdleThreads, EveryTaskRunsOnceWhetherOrNotAThreadIsFreeAndInPoolThreadsToo) {
  TaskPool pool(3);
  IdleThreads executor(&pool);
  std::atomic<int> runs{0};
  const auto submit = [&](int64_t) {
    return arrow::internal::ParallelFor(
        50, [&](int) { return ++runs, arrow::Status::OK(); }, &executor);
  };
  ASSERT_TRUE(pool.ParallelFor(8, submit).ok());
  EXPECT_EQ(runs, 400);
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
