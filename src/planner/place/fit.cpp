#include "planner/place/fit.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

namespace dray::planner {
namespace {

using cluster::NodeIndex;

/// What is used of a device, with what the plan changed.
const cluster::DeviceUse* use_of(const cluster::AllocatedState& state, cluster::PoolIndex pool,
                                 const cluster::PoolSlot& slot, std::size_t at) {
  if (const auto* changed = state.changed_use(pool, *slot.slice->devices[at].name)) return changed;
  if (!slot.use) return nullptr;
  const auto known = std::ranges::find(*slot.use, at, [](const auto& each) { return each.first; });
  return known == slot.use->end() ? nullptr : &known->second;
}

/// Whether a device in use, and not wholly, has so much left.
bool has_part(const cluster::PublishedDevice& device, const cluster::DeviceUse* use,
              const Counters& wanted) {
  if (use == nullptr || use->shares == 0 || use->dedicated > 0) return false;
  return std::ranges::all_of(wanted, [&](const auto& want) {
    const auto total = device.traits->capacity.find(want.first);
    if (total == device.traits->capacity.end()) return false;
    const auto used = use->consumed.find(want.first);
    const auto taken = used == use->consumed.end() ? 0.0 : used->second.as_approximate_double();
    return taken + want.second.as_approximate_double() <=
           total->second.value.as_approximate_double();
  });
}

}  // namespace

void NodeVerdicts::look_up(const Shape& shape) {
  last_ = {shape.number, rows_.find(shape.number)};
}

NodeVerdict& NodeVerdicts::at(const Shape& shape, NodeIndex node) {
  if (held_ >= most_) forget_oldest();
  if (last_.shape != shape.number || last_.row == nullptr) {
    last_ = {shape.number, &rows_.obtain(shape.number).first};
  }
  held_ -= last_.row->held();
  auto& verdict = (*last_.row)[node.get()];
  held_ += last_.row->held();
  return verdict;
}

void NodeVerdicts::forget_oldest() {
  held_ -= rows_.oldest().second.held();
  rows_.erase_oldest();
  last_ = {};
}

void NodeVerdicts::clear() {
  rows_.clear();
  last_ = {};
  held_ = 0;
}

Fit::Fit(const PlanInput& input, Overlay& overlay, Devices& devices, NodeVerdicts& verdicts)
    : input_(input),
      overlay_(overlay),
      devices_(devices),
      verdicts_(verdicts),
      limit_(input.budget.nodes_tried) {
  if (!input.only) {
    const auto all = overlay.nodes().by_name();
    everywhere_.nodes.assign(all.begin(), all.end());
    return;
  }
  everywhere_.nodes = overlay.nodes().find_all(*input.only);
}

void Fit::allow(std::size_t pairs) {
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  limit_ = pairs > all - tried_ ? all : tried_ + pairs;
  exhausted_ = false;
}

bool Fit::may_try() {
  if (tried_ >= limit_) exhausted_ = true;
  return tried_ < limit_;
}

bool Fit::is_refused(const Task& task, NodeIndex node) const {
  const RefusedNode refused{task.pod().meta.uid, input_.snapshot->name(node)};
  return std::ranges::binary_search(input_.refused, refused);
}

const NodeVerdict& Fit::verdict(const Task& task, NodeIndex node) {
  if (task.shape->singular) {
    passing_ = look(task, node);
    return passing_;
  }
  auto& known = verdicts_.at(*task.shape, node);
  const auto stamp = overlay_.nodes().stamp(node);
  if (known.stamp != stamp) {
    known = look(task, node);
    known.stamp = stamp;
  }
  return known;
}

NodeVerdict Fit::look(const Task& task, NodeIndex node) {
  const auto& shape = *task.shape;
  ++tried_;
  NodeVerdict verdict;
  verdict.releasing = look_in(overlay_.releasing(), task, node, verdict);
  verdict.idle = verdict.releasing;
  if (verdict.releasing == Reason::none &&
      (overlay_.split(node) || (shape.singular && overlay_.split(task.claims)))) {
    verdict.idle = look_in(overlay_.idle(), task, node, verdict);
  }
  if (shape.singular && verdict.idle == Reason::none &&
      std::ranges::any_of(
          task.claims, [&](const auto& claim) { return overlay_.from_releasing(claim->key()); })) {
    verdict.idle = Reason::room_freed;
  }
  // Others may be using what the claim is to have.
  if (shape.singular && verdict.releasing == Reason::none &&
      std::ranges::any_of(task.claims,
                          [&](const auto& claim) { return overlay_.is_reserved(claim->key()); })) {
    verdict.releasing = verdict.idle = Reason::room_kept;
  }
  if (shape.partial && verdict.releasing == Reason::none) {
    verdict.shares = has_shared_room(overlay_.releasing(), shape, node);
    verdict.shares_releasing =
        verdict.shares && overlay_.split(node) && !has_shared_room(overlay_.idle(), shape, node);
  }
  return verdict;
}

Reason Fit::look_in(const cluster::AllocatedState& state, const Task& task, NodeIndex node,
                    NodeVerdict& verdict) {
  if (const auto no = task.shape->fit.check(state, node); no != Reason::none) return no;
  auto devices = devices_.check(state, task, node);
  if (devices.ranks) {
    verdict.preference = devices.ranks->preference;
    verdict.unready = devices.ranks->unready;
    verdict.alignment = devices.ranks->alignment;
  }
  verdict.shortage = std::move(devices.shortage);
  return devices.reason;
}

std::string Fit::error_on(const Task& task, NodeIndex node) {
  return devices_.check(overlay_.releasing(), task, node).error;
}

std::optional<cluster::NodeAllocatableLack> Fit::lack_with_devices(const Task& task,
                                                                   NodeIndex node) {
  return devices_.check(overlay_.releasing(), task, node).lack;
}

const std::string& Fit::pool_faults(NodeIndex node) {
  const auto [at, fresh] = pool_faults_.try_emplace(node.get());
  if (fresh) at->second = devices_.pool_faults(overlay_.releasing(), node);
  return at->second;
}

/// A device in use of which a part is left that is as large as what is asked for.
bool Fit::has_shared_room(const cluster::AllocatedState& state, const Shape& shape,
                          NodeIndex node) const {
  const auto& snapshot = *input_.snapshot;
  const auto& asked = shape.claims.front()->spec.requests.front();
  if (!asked.exactly || asked.exactly->capacity_requests.empty()) return false;
  std::int64_t found = 0;
  for (const auto index : snapshot.entry(node).pools) {
    const auto& pool = snapshot.pool(index);
    const auto [first, last] = pool.of_node(snapshot.name(node).get());
    for (auto slot = first; slot != last; ++slot) {
      const auto& devices = pool.slots[slot].slice->devices;
      for (std::size_t at = 0; at < devices.size(); ++at) {
        const auto* use = use_of(state, index, pool.slots[slot], at);
        if (has_part(devices[at], use, asked.exactly->capacity_requests)) ++found;
      }
    }
  }
  return found >= std::max<std::int64_t>(asked.exactly->count, 1);
}

}  // namespace dray::planner
