#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace bactrian::cli {

/// A line on standard error that is rewritten in place; nothing at all when that is no terminal. Thread-safe.
class Progress {
 public:
  Progress(std::string what, int64_t total, std::string unit = "rows");
  ~Progress();  ///< wipes the line
  void Add(int64_t amount);

 private:
  std::string what_;
  int64_t total_;
  std::string unit_;
  bool on_terminal_;
  std::atomic<int64_t> done_{0};
  std::mutex mutex_;  ///< of what follows
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace bactrian::cli
