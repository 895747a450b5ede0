#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dashboard/history.h"

namespace dray::dashboard::testing {

/// What the engine says of queues, by name, that hold so much of the resource gpu; the fair share
/// is 8.
inline engine::Engine::Status status_of(const std::vector<std::pair<std::string, double>>& used) {
  engine::Engine::Status status;
  status.resources = {{.name = "gpu"}};
  for (const auto& [queue, amount] : used) {
    planner::QueueReport made;
    made.queue = policy::QueueName(queue);
    made.allocated = policy::Amounts(1, amount);
    made.fair_share = policy::Amounts(1, 8);
    status.queues.push_back(std::move(made));
  }
  return status;
}

inline Time at_second(std::int64_t second) {
  return Time(std::chrono::seconds(1'800'000'000 + second));
}

}  // namespace dray::dashboard::testing
