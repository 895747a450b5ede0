#pragma once

#include <chrono>

namespace dray::bench {

/// Wall time since it was made. Short times are measured by it, several times over, and the least
/// counts: what else runs can only make one longer. A virtual machine's CPU clocks are set back
/// when the host tells what it took, so the least by them may be a tenth of what was spent.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  [[nodiscard]] double milliseconds() const { return seconds() * 1e3; }
  [[nodiscard]] double nanoseconds() const { return seconds() * 1e9; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace dray::bench
