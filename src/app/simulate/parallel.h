#pragma once

#include <cstddef>
#include <functional>

namespace dray::app {

/// Calls `work` once with each number below `count`, on so many threads (0: as many as the machine
/// has cores). Who gets which number is chance: `work` must not depend on it. `progress`, if any,
/// is called with how many are done, one call at a time.
void run_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t)>& progress = {});

}  // namespace dray::app
