#include "progress.h"

#include <unistd.h>

#include <cstdio>

namespace bactrian::cli {

using std::chrono::steady_clock;

namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(std::string what, int64_t total, std::string unit)
    : what_(std::move(what)),
      total_(total),
      unit_(std::move(unit)),
      on_terminal_(isatty(STDERR_FILENO)),
      drawn_(steady_clock::now()) {}

Progress::~Progress() {
  if (on_terminal_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Add(int64_t amount) {
  const int64_t done = done_.fetch_add(amount) + amount;
  if (!on_terminal_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const auto now = steady_clock::now();
  if (!lock.owns_lock() || now - drawn_ < kRedrawEvery) return;
  drawn_ = now;
  std::fprintf(stderr, "\r\x1b[K%s  %3d %%  %lld of %lld %s", what_.c_str(),
               static_cast<int>(total_ > 0 ? done * 100 / total_ : 0), static_cast<long long>(done),
               static_cast<long long>(total_), unit_.c_str());
}

}  // namespace bactrian::cli
