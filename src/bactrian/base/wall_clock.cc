#include "bactrian/base/wall_clock.h"

#include <chrono>
#include <ctime>

namespace bactrian {

int64_t LocalWallClockMillis() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm local{};
  localtime_r(&seconds, &local);
  const int64_t millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  return millis + int64_t{local.tm_gmtoff} * 1000;
}

}  // namespace bactrian
