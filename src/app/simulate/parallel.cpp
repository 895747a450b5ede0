#include "app/simulate/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace dray::app {

void run_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t)>& progress) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex telling;
  const auto loop = [&] {
    for (auto at = next++; at < count; at = next++) {
      work(at);
      const std::lock_guard lock(telling);
      ++done;
      if (progress) progress(done);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::min<std::size_t>(threads, count); ++i) others.emplace_back(loop);
  loop();
}

}  // namespace dray::app
