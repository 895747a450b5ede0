#include "dashboard/caller_bounds.h"

#include <algorithm>
#include <cstdint>

namespace dray::dashboard {
namespace {

bool is_full(const Rate& rate, CallerBounds::Clock::time_point next,
             CallerBounds::Clock::time_point now) {
  return next > now + rate.every * static_cast<std::int64_t>(rate.at_once);
}

}  // namespace

bool CallerBounds::may_ask(const std::string& caller, Clock::time_point now) {
  const auto known = next_.find(caller);
  if (known != next_.end() && is_full(of_one_, known->second, now)) return false;
  if (is_full(of_all_, next_of_all_, now)) return false;
  // As many as all may ask at once are remembered at most: the others' parts are free again.
  if (known == next_.end()) {
    std::erase_if(next_, [&](const auto& each) { return each.second <= now; });
  }
  next_of_all_ = std::max(next_of_all_, now) + of_all_.every;
  auto& next = next_[caller];
  next = std::max(next, now) + of_one_.every;
  return true;
}

std::string host_of(const std::string& peer) {
  return peer.substr(0, peer.rfind(':'));
}

}  // namespace dray::dashboard
