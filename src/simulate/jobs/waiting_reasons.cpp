#include "simulate/jobs/waiting_reasons.h"

#include <algorithm>
#include <functional>

namespace dray::simulate {

void WaitingReasons::add(Reason reason) {
  ++counts_[reason == Reason::none ? std::string() : std::string(plain_text(reason))];
}

std::vector<WaitingFor> WaitingReasons::list() const {
  std::vector<WaitingFor> all;
  all.reserve(counts_.size());
  for (const auto& [reason, count] : counts_) all.push_back({reason, count});
  std::ranges::stable_sort(all, std::ranges::greater(), &WaitingFor::jobs);
  return all;
}

}  // namespace dray::simulate
