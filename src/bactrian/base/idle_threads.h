#pragma once

#include <arrow/util/thread_pool.h>

#include "bactrian/base/task_pool.h"

namespace bactrian {

/// A pool's idle threads as an Arrow executor. A task for which no thread is free runs at once in the thread that submits it:
/// whoever waits for tasks waits for running ones only, so that pool threads may use it as well. Thread-safe.
class IdleThreads final : public arrow::internal::Executor {
 public:
  /// `pool` must outlive it.
  explicit IdleThreads(TaskPool* pool) : pool_(pool) {}
  int GetCapacity() override { return pool_->num_threads(); }

 protected:
  arrow::Status SpawnReal(arrow::internal::TaskHints hints, arrow::internal::FnOnce<void()> task, arrow::StopToken token,
                          StopCallback&& on_stop) override;

 private:
  TaskPool* const pool_;
};

}  // namespace bactrian
