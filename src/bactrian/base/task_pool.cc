#include "bactrian/base/task_pool.h"

#include <algorithm>
#include <memory>

namespace bactrian {

TaskPool::~TaskPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskPool::Submit(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (static_cast<int>(threads_.size()) < num_threads_) threads_.emplace_back([this] { Work(); });
  }
  wake_.notify_one();
}

bool TaskPool::RunIfIdle(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    const int busy = static_cast<int>(threads_.size()) - waiting_ + static_cast<int>(jobs_.size());
    if (busy >= num_threads_ - 1) return false;
    jobs_.push_back(std::move(job));
    if (static_cast<int>(jobs_.size()) > waiting_) threads_.emplace_back([this] { Work(); });
  }
  wake_.notify_one();
  return true;
}

void TaskPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++waiting_;
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    --waiting_;
    if (jobs_.empty()) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

namespace {

/// One ParallelFor: helpers may start after the caller has finished all of the work and gone, hence shared.
struct Loop {
  std::mutex mutex;
  std::condition_variable done;
  std::function<arrow::Status(int64_t)> task;
  int64_t size = 0, next = 0, running = 0;
  int64_t failed_index = -1;
  arrow::Status error;

  void Run() {
    std::unique_lock lock(mutex);
    while (next < size && failed_index < 0) {
      const int64_t index = next++;
      ++running;
      lock.unlock();
      arrow::Status status = task(index);
      lock.lock();
      --running;
      if (!status.ok() && (failed_index < 0 || index < failed_index)) {
        failed_index = index;
        error = std::move(status);
      }
    }
    if (running == 0) done.notify_all();
  }
};

}  // namespace

arrow::Status TaskPool::ParallelFor(int64_t n, const std::function<arrow::Status(int64_t)>& task, int max_parallel) {
  const int64_t lanes = std::min<int64_t>(n, max_parallel > 0 ? std::min(max_parallel, num_threads_) : num_threads_);
  auto loop = std::make_shared<Loop>();
  loop->task = task;
  loop->size = n;
  for (int64_t i = 1; i < lanes; ++i) Submit([loop] { loop->Run(); });
  loop->Run();
  std::unique_lock lock(loop->mutex);
  loop->done.wait(lock, [&] { return loop->running == 0; });
  return loop->error;
}

}  // namespace bactrian
