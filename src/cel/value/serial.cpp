#include "cel/value/serial.h"

#include <atomic>

namespace dray::cel {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace dray::cel
