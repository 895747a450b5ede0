#include "engine/plan_cycle.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "dray/cluster/snapshot.h"

namespace dray::engine {

void PlanCycle::want_at(Time at) {
  if (!again_at_ || at < *again_at_) again_at_ = at;
}

bool PlanCycle::take_turn(Time now) {
  if (under_way_ || rest_ || now < not_before_) return false;
  return std::exchange(wanted_, false);
}

void PlanCycle::placed_inline(const policy::QueueName& queue) {
  if (under_way_) moved_queues_.insert(queue);
}

std::uint64_t PlanCycle::begin(Time now) {
  begun_ = now;
  moved_queues_.clear();
  ++made_;
  return ++generation_;
}

void PlanCycle::under_way(std::shared_ptr<const planner::PlanInput> input) {
  under_way_ = std::move(input);
}

std::shared_ptr<const planner::PlanInput> PlanCycle::step(const Planned& planned) {
  if (planned.generation != generation_) return nullptr;
  return std::exchange(under_way_, nullptr);
}

void PlanCycle::taken(const planner::Plan& plan, std::optional<Time> jobs_change,
                      std::optional<Time> budgets_change, Time now) {
  if (pause_ > Duration{0}) not_before_ = now + std::max(pause_, now - begun_);
  queues_ = plan.queues;
  progress_ = plan.progress;
  again_at_ = plan.again_at;
  for (const auto at : {jobs_change, budgets_change}) {
    if (at) want_at(*at);
  }
}

void PlanCycle::go_on_after(const planner::Plan& plan, Time now) {
  if (!plan.exhausted) return;
  const bool moved_on =
      !plan.evictions.empty() || (!plan.jobs.empty() && planner::gets_something(plan.jobs.front()));
  const bool lacks_evictions = std::ranges::equal(
      plan.ended_by, std::initializer_list<planner::BudgetKind>{planner::BudgetKind::evictions});
  if (moved_on && !lacks_evictions) {
    want();
  } else {
    want_at(now + exhausted_pause);
  }
}

void PlanCycle::leave_rest(std::shared_ptr<const planner::Plan> plan, std::size_t from, Time now) {
  if (from >= plan->jobs.size()) return;
  rest_ = std::move(plan);
  rest_from_ = from;
  rest_since_ = now;
}

std::span<const planner::JobOutcome> PlanCycle::take_slice() {
  const auto all = std::span(rest_->jobs);
  const auto first = rest_from_;
  std::size_t pods = 0;
  do {
    pods += all[rest_from_++].pods.size() + 1;
  } while (rest_from_ < all.size() && pods + all[rest_from_].pods.size() < slice_pods);
  return all.subspan(first, rest_from_ - first);
}

void PlanCycle::slice_taken() {
  if (rest_ && rest_from_ >= rest_->jobs.size()) rest_.reset();
}

void PlanCycle::tick(Time now) {
  if (under_way_ || !again_at_ || *again_at_ > now) return;
  again_at_.reset();
  wanted_ = true;
}

std::optional<Time> PlanCycle::next_tick() const {
  if (under_way_) return std::nullopt;
  if (rest_) return rest_since_;
  if (wanted_ && (!again_at_ || not_before_ < *again_at_)) return not_before_;
  return again_at_;
}

void PlanCycle::reset() {
  under_way_.reset();
  rest_.reset();
  progress_ = {};
  ++generation_;
  wanted_ = true;
  not_before_ = {};
}

namespace {

template <class T>
bool same_object(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}

/// What kube-scheduler's filters read of a node; heartbeats change nothing of it.
bool same_for_filters(const cluster::NodeFacts& a, const cluster::NodeFacts& b) {
  return a.uid == b.uid && a.unschedulable == b.unschedulable && same_object(a.labels, b.labels) &&
         a.hostname_label == b.hostname_label && same_object(a.taints, b.taints) &&
         same_object(a.allocatable, b.allocatable) &&
         same_object(a.declared_features, b.declared_features);
}

/// Whether pods take no more of the node than before.
bool no_fuller(const std::shared_ptr<const cluster::NodeUse>& before,
               const std::shared_ptr<const cluster::NodeUse>& after) {
  if (before == after || !after) return true;
  const auto old = before ? *before : cluster::NodeUse{};
  const auto& was = old.requested;
  const auto& is = after->requested;
  return is.milli_cpu <= was.milli_cpu && is.memory <= was.memory &&
         is.ephemeral_storage <= was.ephemeral_storage && is.pods <= was.pods &&
         std::ranges::all_of(
             is.others,
             [&](const auto& other) { return other.second <= was.other(other.first); }) &&
         std::ranges::all_of(after->ports, [&](const auto& port) {
           return std::ranges::find(old.ports, port) != old.ports.end();
         });
}

bool same_node(const cluster::NodeEntry& before, const cluster::NodeEntry& after) {
  if (before.version != after.version || !no_fuller(before.use, after.use)) return false;
  return before.facts == after.facts || same_for_filters(*before.facts, *after.facts);
}

/// Whether what a node sees of the pool is as it was. Its own slices are part of the node's
/// version; those of other nodes, of none, and counters are part of the pool's.
bool same_pool(cluster::PoolIndex pool, const cluster::Snapshot& then,
               const cluster::Snapshot& current) {
  return then.pool(pool).version == current.pool(pool).version;
}

bool same_pools_of(const ClaimPlacement& part, const cluster::Snapshot& then,
                   const cluster::Snapshot& current) {
  return std::ranges::all_of(part.allocation.devices, [&](const auto& each) {
    const auto before = then.find_pool(each.device.driver, each.device.pool);
    const auto after = current.find_pool(each.device.driver, each.device.pool);
    return before == after && (!before || same_pool(*before, then, current));
  });
}

}  // namespace

bool unmoved(const planner::JobOutcome& outcome, const cluster::Snapshot& then,
             const cluster::Snapshot& current) {
  if (then.generation() == current.generation()) return true;
  if (then.class_epoch() != current.class_epoch() || then.rule_epoch() != current.rule_epoch()) {
    return false;
  }
  return std::ranges::all_of(outcome.placements, [&](const Placement& placement) {
    const auto before = then.node(placement.node);
    const auto after = current.node(placement.node);
    if (!before || before != after) return false;
    const auto& node = current.entry(*after);
    if (!same_node(then.entry(*before), node)) return false;
    const bool takes_devices = !placement.claims.empty();
    if (takes_devices && !std::ranges::all_of(node.pools, [&](const auto pool) {
          return same_pool(pool, then, current);
        })) {
      return false;
    }
    return std::ranges::all_of(placement.claims, [&](const ClaimPlacement& part) {
      return then.claim(part.claim) == current.claim(part.claim) &&
             same_object(then.allocation(part.claim), current.allocation(part.claim)) &&
             same_pools_of(part, then, current);
    });
  });
}

}  // namespace dray::engine
