#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "bactrian/status.h"

namespace bactrian {

/// The session's threads for its own parallel work. Thread-safe. Threads start with the first work that needs them.
class TaskPool {
 public:
  explicit TaskPool(int num_threads) : num_threads_(num_threads) {}
  ~TaskPool();
  int num_threads() const { return num_threads_; }

  /// Runs task(0) … task(n - 1), at most `max_parallel` at a time (0: as many as there are threads), the caller's thread among
  /// them, so nested calls cannot deadlock. Returns the error of the lowest index that failed; after a failure no further
  /// task starts.
  arrow::Status ParallelFor(int64_t n, const std::function<arrow::Status(int64_t)>& task, int max_parallel = 0);
  /// Hands `job` to a thread that has nothing to do; false, and nothing done, if there is none. The caller counts as one of the
  /// pool's threads.
  bool RunIfIdle(std::function<void()> job);

 private:
  void Submit(std::function<void()> job);
  void Work();

  const int num_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  int waiting_ = 0;  ///< threads without a job
  bool stopping_ = false;
};

}  // namespace bactrian
