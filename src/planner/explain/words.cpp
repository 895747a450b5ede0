#include "planner/explain/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace dray::planner {

std::string some_of(std::span<const std::string> names, std::size_t most) {
  const auto shown = names.first(std::min(names.size(), most));
  auto text = fmt::format("{}", fmt::join(shown, ", "));
  if (shown.size() < names.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  return text;
}

std::string capacity_text(const policy::CapacityRefusal& refusal, const policy::Policy& policy) {
  const auto& resource = policy.counting.resources()[refusal.resource];
  const auto amount = [&](double value) { return policy::humanize(value, resource.unit); };
  const bool limit = refusal.rule == policy::CapacityRule::limit;
  return fmt::format("queue {} holds {} of its {} of {} {}{}, and the job asks for {} more",
                     policy.queues[refusal.queue].name.get(), amount(refusal.held),
                     limit ? "limit" : "quota", amount(refusal.bound),
                     policy::display_unit(resource),
                     limit ? "" : " in jobs that may not be preempted", amount(refusal.requested));
}

std::vector<std::string> device_lines(const AllocationResult& allocation) {
  std::vector<std::string> lines;
  lines.reserve(allocation.devices.size());
  for (const auto& each : allocation.devices) {
    lines.push_back(each.request + ": " + each.device.to_string());
  }
  return lines;
}

std::vector<std::string> device_lines(const Placement& placement) {
  std::vector<std::string> lines;
  for (const auto& claim : placement.claims) {
    std::ranges::move(device_lines(claim.allocation), std::back_inserter(lines));
  }
  return lines;
}

}  // namespace dray::planner
