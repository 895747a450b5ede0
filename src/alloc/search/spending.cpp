#include "alloc/search/spending.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace dray::alloc {
namespace {

/// Sums of parts may differ in their last digits from what they stand for.
constexpr double rounding = 1e-9;

}  // namespace

Spending::Spending(const Allowance& allowance, const NodeView& view, const PreparedClaims& prepared,
                   const CandidateTables& tables)
    : most_(allowance.most), spent_(most_.size(), 0), costs_(prepared.specs.size()) {
  const auto resources = most_.size();
  for (std::uint32_t s = 0; s < prepared.specs.size(); ++s) {
    const auto& spec = prepared.specs[s];
    const auto& row = tables.row(s);
    auto& costs = costs_[s];
    auto& cheapest = cheapest_.emplace_back(resources, std::numeric_limits<double>::infinity());
    costs.assign(view.devices.size() * resources, 0);
    if (row.capacity.empty()) continue;  // the spec has an error
    for (std::uint32_t d = 0; d < view.devices.size(); ++d) {
      const auto& device = view.devices[d];
      const auto of_device = std::span(costs).subspan(d * resources, resources);
      const auto* plan = tables.shareable(d) ? row.capacity[d] : nullptr;
      if (!spec.admin) {
        allowance.count(spec.claim, spec.spec->device_class, view.pools[device.pool].pool->driver,
                        device.traits(), plan == nullptr ? nullptr : &plan->consumed, of_device);
      }
      if (!row.visit.test(d) && !spec.all) continue;
      for (std::size_t r = 0; r < resources; ++r) {
        cheapest[r] = std::min(cheapest[r], of_device[r]);
      }
    }
  }
}

bool Spending::within(std::span<const double> cost, double times) const {
  for (std::size_t r = 0; r < most_.size(); ++r) {
    if (cost[r] > 0 && spent_[r] + cost[r] * times > most_[r] + rounding) return false;
  }
  return true;
}

bool Spending::affords(const Pick& pick) const {
  return within(cost(pick), 1);
}

bool Spending::may_afford(std::uint32_t spec, std::int64_t count) const {
  return count <= 0 || within(cheapest_[spec], static_cast<double>(count));
}

void Spending::spend(const Pick& pick, double sign) {
  const auto costs = cost(pick);
  for (std::size_t r = 0; r < spent_.size(); ++r) spent_[r] += sign * costs[r];
}

void Spending::sign(std::vector<std::uint64_t>& key) const {
  for (const auto amount : spent_) key.push_back(std::bit_cast<std::uint64_t>(amount));
}

void Spending::describe(std::uint32_t device, std::vector<std::uint64_t>& key) const {
  for (std::uint32_t s = 0; s < costs_.size(); ++s) {
    for (const auto amount : cost({.spec = s, .device = device})) {
      key.push_back(std::bit_cast<std::uint64_t>(amount));
    }
  }
}

}  // namespace dray::alloc
