#include "sim/virtual_time.h"

#include <algorithm>

namespace dray::sim {

void VirtualTime::at(Time time, std::function<void()> action) {
  planned_.emplace(std::pair(std::max(time, now_), ++sequence_), std::move(action));
}

bool VirtualTime::run_until(Time end, std::uint64_t max_events) {
  std::uint64_t done = 0;
  while (!planned_.empty() && planned_.begin()->first.first <= end) {
    if (++done > max_events) return false;
    auto next = planned_.extract(planned_.begin());
    now_ = next.key().first;
    ++events_;
    next.mapped()();
  }
  now_ = std::max(now_, end);
  return true;
}

void Alarm::set(VirtualTime& time, std::optional<Time> due, std::function<void()> action) {
  if (!due || (armed_ && *armed_ <= *due)) return;
  armed_ = *due;
  time.at(*due, [this, when = *due, action = std::move(action)] {
    if (armed_ != when) return;
    armed_.reset();
    action();
  });
}

}  // namespace dray::sim
