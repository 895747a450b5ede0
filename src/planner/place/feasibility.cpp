#include "planner/place/feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace dray::planner {
namespace {

using cluster::NodeIndex;

/// So many shapes are kept in mind at most.
constexpr std::size_t most_shapes = 65'536;

/// Whether a node that says so in the state in which it is empty says so whoever leaves. Others
/// are of the moment (a pool that is being updated), or of no node (a selector that fails).
bool is_final(Reason reason) {
  switch (reason) {
    case Reason::node_unschedulable:
    case Reason::node_selector:
    case Reason::node_taint:
    case Reason::node_resources:
    case Reason::node_ports:
    case Reason::no_devices:
    case Reason::class_selector:
    case Reason::claim_selector:
    case Reason::device_taint:
    case Reason::devices_in_use:
    case Reason::counters:
    case Reason::capacity:
    case Reason::constraint:
      return true;
    default:
      return false;
  }
}

/// Whether what the task fits can be known once for all: not where its claims have devices, or go
/// by what a namespace may.
bool can_be_judged(const Task& task, const cluster::Snapshot& snapshot) {
  if (task.shape == nullptr || !task.shape->class_resources.empty()) return false;
  // Others have claims of their own, without devices.
  const bool allocated =
      task.shape->singular && std::ranges::any_of(task.claims, [&](const auto& claim) {
        return claim->allocation || snapshot.allocation(claim->key());
      });
  return !allocated && std::ranges::none_of(task.claims, [](const auto& claim) {
    return std::ranges::any_of(claim->spec.requests, [](const DeviceRequest& request) {
      return request.exactly && request.exactly->admin_access.value_or(false);
    });
  });
}

/// What pods ask for at least.
struct Sums {
  std::map<ClassName, std::size_t> devices;  ///< by class
  double milli_cpu = 0;
};

Sums sums_of(const PlanJob& job, std::span<const std::uint32_t> chunk) {
  Sums sums;
  std::set<const ResourceClaim*> counted;
  for (const auto id : chunk) {
    const auto& task = job.tasks[id];
    sums.milli_cpu += task.demand->milli_cpu;
    for (const auto& claim : task.claims) {
      if (!counted.insert(claim.get()).second) continue;
      for (const auto& request : claim->spec.requests) {
        if (!request.exactly || request.exactly->admin_access.value_or(false)) continue;
        const bool all = request.exactly->allocation_mode == "All";
        const auto count =
            all ? std::int64_t{1} : std::max<std::int64_t>(request.exactly->count, 0);
        sums.devices[request.exactly->device_class] += static_cast<std::size_t>(count);
      }
    }
  }
  return sums;
}

}  // namespace

Feasibility::Feasibility(std::shared_ptr<const cluster::Snapshot> snapshot, const NodeTable& nodes,
                         alloc::Allocator& allocator, FeasibilityMemory& memory)
    : nodes_(nodes), devices_(*snapshot, allocator), empty_(std::move(snapshot)), memory_(memory) {}

std::optional<Feasibility::Infeasible> Feasibility::check(PlanJob& job, std::size_t most) {
  const auto end = looks_ + std::min(most, std::numeric_limits<std::size_t>::max() - looks_);
  const auto chunk = job.next_chunk();
  auto found = check_chunk(job, chunk, end);
  if (!found) return std::nullopt;
  // Who comes after a pod that finds no node may have no claims yet.
  found->lasting = std::ranges::all_of(chunk, [&](auto id) {
    const auto& shape = job.tasks[id].shape;
    return shape != nullptr && !shape->singular;
  });
  if (!job.gang) return found;
  // A group that finds no room is passed over where others could start without it.
  auto next = found;
  while (next &&
         job.pass_over(next->homeless != nullptr ? *next->homeless : job.tasks[chunk.front()])) {
    // Which group makes it too large is not known.
    if (next->homeless == nullptr) {
      next.reset();
    } else {
      next = check_chunk(job, job.next_chunk(), end);
    }
  }
  job.pass_over_none();
  return next ? found : std::nullopt;
}

std::optional<Feasibility::Infeasible> Feasibility::check_chunk(
    const PlanJob& job, std::span<const std::uint32_t> chunk, std::size_t most) {
  const Shape* last = nullptr;
  for (const auto id : chunk) {
    const auto& task = job.tasks[id];
    if (!can_be_judged(task, empty_.snapshot())) return std::nullopt;
    if (task.shape.get() == last) continue;
    last = task.shape.get();
    if (nowhere(task, most)) return Infeasible{.homeless = &task};
  }
  if (chunk.size() < 2) return std::nullopt;
  auto why = too_large(job, chunk);
  if (why.empty()) return std::nullopt;
  return Infeasible{.too_large = std::move(why)};
}

/// Only nodes whose hardware has changed are looked at again. A singular shape has its number for
/// this plan alone.
bool Feasibility::nowhere(const Task& task, std::size_t most) {
  if (memory_.shapes.size() >= most_shapes) memory_.shapes.clear();
  FeasibilityMemory::OfShape of_this_plan;
  auto& known = task.shape->singular ? of_this_plan : memory_.shapes[task.shape->number];
  const auto changed = nodes_.hardware_changed_since(known.seen);
  const bool fresh = known.seen == 0 || !changed;
  // A node that went is no change of a node.
  const bool gone = known.taken_by && !exists(*known.taken_by);
  if (!fresh && !gone && changed->empty()) return !known.taken_by;
  const bool same = !fresh && !gone && known.taken_by &&
                    std::ranges::find(*changed, *known.taken_by) == changed->end();
  if (same) {
    known.seen = nodes_.hardware_changes();
    return false;
  }
  // The node that could is another now: any other may be the one.
  const auto nodes = fresh || known.taken_by ? nodes_.by_name() : *changed;
  for (const auto node : nodes) {
    if (!exists(node)) continue;
    if (looks_ >= most) {
      known.seen = 0;
      return false;
    }
    ++looks_;
    if (!could_take(task, node)) continue;
    known = {.seen = nodes_.hardware_changes(), .taken_by = node};
    return false;
  }
  known = {.seen = nodes_.hardware_changes(), .taken_by = {}};
  return true;
}

bool Feasibility::exists(NodeIndex node) const {
  const auto& snapshot = empty_.snapshot();
  return node.get() < snapshot.node_limit() && snapshot.entry(node).facts != nullptr;
}

bool Feasibility::could_take(const Task& task, NodeIndex node) {
  const auto before = empty_.checkpoint();
  empty_.clear_node(node);
  auto reason = task.shape->fit.check(empty_, node);
  if (reason == Reason::none) reason = devices_.check(empty_, task, node).reason;
  empty_.rollback(before);
  return !is_final(reason);
}

std::string Feasibility::too_large(const PlanJob& job, std::span<const std::uint32_t> chunk) {
  const auto sums = sums_of(job, chunk);
  for (const auto& [name, wanted] : sums.devices) {
    const auto have = devices_of(name);
    if (have && *have < wanted) {
      return fmt::format("it asks for {} devices of class {} together, and all nodes have {}",
                         wanted, name.get(), *have);
    }
  }
  double milli_cpu = 0;
  for (const auto node : nodes_.by_name()) milli_cpu += nodes_.capacity(node)[nodes_.cpu_column()];
  if (sums.milli_cpu <= milli_cpu) return {};
  return fmt::format("it asks for {} CPUs together, and all nodes have {}", sums.milli_cpu / 1000,
                     milli_cpu / 1000);
}

/// Nothing: a device may have several users.
std::optional<std::size_t> Feasibility::devices_of(const ClassName& name) {
  auto& known = memory_.classes[name];
  const auto changes = nodes_.hardware_changes();
  if (known.seen == changes) return known.devices;
  known = {.seen = changes, .devices = {}};
  const auto found = empty_.snapshot().compiled_class(name);
  if (!found) return std::nullopt;
  const auto may_be = [&](const cluster::PublishedDevice& device) {
    return std::ranges::none_of(found->selectors, [&](const auto& selector) {
      return selector.program &&
             memory_.memo.match(selector.program, device.shape) == cel::Verdict::no;
    });
  };
  std::size_t devices = 0;
  bool several = false;
  empty_.snapshot().for_each_pool([&](const cluster::Pool& pool) {
    for (const auto& slot : pool.slots) {
      for (const auto& device : slot.slice->devices) {
        if (!may_be(device)) continue;
        ++devices;
        several = several || device.traits->allow_multiple_allocations;
      }
    }
  });
  if (!several) known.devices = devices;
  return known.devices;
}

}  // namespace dray::planner
