#include "bactrian/base/wall_clock.h"

#include <chrono>
#include <ctime>

namespace bactrian {

int64_t WallClockMillis() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

int64_t LocalWallClockMillis() {
  const int64_t millis = WallClockMillis();
  const std::time_t seconds = millis / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  return millis + int64_t{local.tm_gmtoff} * 1000;
}

}  // namespace bactrian
