#include "bactrian/base/idle_threads.h"

#include <memory>
#include <utility>

namespace bactrian {

arrow::Status IdleThreads::SpawnReal(arrow::internal::TaskHints, arrow::internal::FnOnce<void()> task, arrow::StopToken,
                                     StopCallback&&) {
  auto shared = std::make_shared<arrow::internal::FnOnce<void()>>(std::move(task));
  const std::function<void()> run = [shared] { std::move (*shared)(); };
  if (!pool_->RunIfIdle(run)) run();
  return arrow::Status::OK();
}

}  // namespace bactrian
