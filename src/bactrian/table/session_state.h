#pragma once

#include <arrow/memory_pool.h>

#include <memory>

#include "bactrian/base/cache.h"
#include "bactrian/base/task_pool.h"
#include "bactrian/session.h"

namespace bactrian {

/// What the library's own code shares through a Session. Thread-safe members; made by Session::Make.
struct Session::State {
  explicit State(SessionOptions session_options);

  SessionOptions options;
  /// Set when options.memory_limit_bytes is: a capped pool counts all that the pool below it has handed out, and the one below
  /// may be the whole process's.
  std::unique_ptr<arrow::MemoryPool> counting_pool;
  std::unique_ptr<arrow::MemoryPool> capped_pool;
  arrow::MemoryPool* pool;
  ShardedLruCache cache;  ///< manifests, footers, deletion vectors, … by path
  TaskPool tasks;
};

}  // namespace bactrian
