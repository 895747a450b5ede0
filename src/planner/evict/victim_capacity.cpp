#include "planner/evict/victim_capacity.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "dray/model/reason.h"

namespace dray::planner {
namespace {

/// Nothing that goes changes this.
bool lasting(Reason reason) {
  return reason != Reason::none && !reason_info(reason).eviction_helps;
}

/// Whether all that the policy counts as the resource has one capacity only: then what is free of a
/// node, and what a part of a device takes of it, are of that one. Of several capacities a node may
/// have enough of the one that a part takes most of, though another is used up.
bool counts_one_capacity(const policy::PolicyConfig& config, const DeviceOffers& offers,
                         const std::string& resource) {
  const auto counted =
      std::ranges::find(config.resources, resource, &policy::CountedResource::name);
  return counted != config.resources.end() &&
         std::ranges::all_of(counted->rules, [&](const auto& rule) {
           const auto* offer = offers.find(rule.device_class);
           return offer != nullptr &&
                  std::ranges::all_of(offer->sizes, [](const DeviceOffers::Size& size) {
                    return size.traits->capacity.size() == 1;
                  });
         });
}

}  // namespace

VictimCapacity::VictimCapacity(const PlanContext& context, const Overlay& overlay, Fit& fit,
                               const Attempt& attempt)
    : overlay_(overlay), members_(attempt.chunk.size()) {
  const auto& nodes = overlay.nodes();
  const auto columns = nodes.columns();
  demand_.assign(columns, 0);
  bool first = true;
  for (const auto id : attempt.chunk) {
    std::vector<double> row(columns, 0);
    const auto& task = attempt.job.tasks[id];
    add_least(row, task.wanted());
    // Shared devices take more than there are free ones; what a class counts as may be had through
    // another.
    if (task.shape->partial || task.shape->singular) row[nodes.devices_column()] = 0;
    for (std::size_t i = 0; i < nodes.devices_column(); ++i) {
      const auto& resource = context.policy.counting.resources()[i];
      const bool bounds =
          resource.unit != policy::ResourceUnit::devices ||
          (task.shape->partial &&
           counts_one_capacity(context.policy.config, nodes.offers(), resource.name));
      if (!bounds) row[i] = 0;
    }
    for (std::size_t i = 0; i < columns; ++i) {
      demand_[i] = first ? row[i] : std::min(demand_[i], row[i]);
    }
    first = false;
  }
  freed_.assign(nodes.size() * columns, 0);
  rooms_.assign(nodes.size(), 0);
  barred_.assign(nodes.size(), 1);
  chunks_.resize(nodes.size());
  for (const auto node : fit.everywhere().nodes) {
    const bool any = std::ranges::any_of(attempt.chunk, [&](auto id) {
      const auto& task = attempt.job.tasks[id];
      return !fit.refused(task, node) && !lasting(fit.verdict(task, node).releasing);
    });
    if (!any) continue;
    barred_[node.get()] = 0;
    rooms_[node.get()] = room(node, freed(node));
    total_ += std::min(rooms_[node.get()], members_);
  }
}

std::size_t VictimCapacity::room(cluster::NodeIndex node, std::span<const double> freed) const {
  if (barred_[node.get()] != 0) return 0;
  const auto free = overlay_.nodes().free(node);
  auto room = static_cast<double>(members_);
  for (std::size_t i = 0; i < demand_.size(); ++i) {
    if (demand_[i] <= 0) continue;
    const auto left = free[i] + freed[i];
    room = std::min(room, std::floor(left / demand_[i] + 1e-9));
  }
  return static_cast<std::size_t>(std::max(room, 0.0));
}

void VictimCapacity::free(const Victims& victims, std::size_t place) {
  for (const auto* task : victims.tasks) {
    if (!task->node) continue;
    const auto node = *task->node;
    auto& chunks = chunks_[node.get()];
    if (chunks.empty()) seen_.push_back(node);
    if (chunks.empty() || chunks.back() != place) chunks.push_back(place);
    add_demand(freed(node), *task->demand, 1);
    total_ -= std::min(rooms_[node.get()], members_);
    rooms_[node.get()] = room(node, freed(node));
    total_ += std::min(rooms_[node.get()], members_);
  }
}

std::vector<VictimCapacity::Giver> VictimCapacity::givers() const {
  const auto& nodes = overlay_.nodes();
  const bool devices = demand_[nodes.devices_column()] > 0;
  const auto column = devices ? nodes.devices_column() : nodes.cpu_column();
  const std::vector<double> nothing(demand_.size(), 0);
  std::vector<Giver> givers;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const auto node = seen_[i];
    if (rooms_[node.get()] == 0) continue;
    const auto free = nodes.free(node)[column] + freed_[node.get() * demand_.size() + column];
    givers.push_back({node, rooms_[node.get()], room(node, nothing), free, i, chunks_[node.get()]});
  }
  std::ranges::sort(givers, [](const Giver& a, const Giver& b) {
    return std::tie(a.free, a.first_seen) < std::tie(b.free, b.first_seen);
  });
  return givers;
}

bool VictimCapacity::enough_with(cluster::NodeIndex node, const policy::Amounts& counts,
                                 double devices) const {
  const auto free = overlay_.nodes().free(node);
  const auto lacks = [&](std::size_t column, double given) {
    return demand_[column] > 0 && free[column] + given + 1e-9 < demand_[column];
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (lacks(i, counts[i])) return false;
  }
  return !lacks(overlay_.nodes().devices_column(), devices);
}

std::size_t VictimCapacity::elsewhere() const {
  std::size_t sum = 0;
  for (std::size_t node = 0; node < rooms_.size(); ++node) {
    if (chunks_[node].empty()) sum += std::min(rooms_[node], members_);
  }
  return sum;
}

}  // namespace dray::planner
