#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "bactrian/io/fault_store.h"

namespace bactrian {

/// Writes down every file that is opened for reading.
class RecordingStore final : public FaultStore {
 public:
  using FaultStore::FaultStore;
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path,
                                                                        std::optional<int64_t> length) override {
    {
      std::lock_guard lock(mutex_);
      opened_.insert(path);
    }
    return FaultStore::OpenInput(path, length);
  }
  /// How many files opened since the last Forget() have `text` in their path, each once however often it was opened.
  int64_t Opened(const std::string& text) {
    std::lock_guard lock(mutex_);
    return std::count_if(opened_.begin(), opened_.end(),
                         [&](const std::string& path) { return path.find(text) != std::string::npos; });
  }
  void Forget() {
    std::lock_guard lock(mutex_);
    opened_.clear();
  }

 private:
  std::mutex mutex_;
  std::set<std::string> opened_;
};

}  // namespace bactrian
