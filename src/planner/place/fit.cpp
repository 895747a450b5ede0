#include "planner/place/fit.h"

#include <algorithm>
#include <utility>

#include "dray/cluster/node_allocatable.h"
#include "dray/cluster/node_match.h"
#include "dray/model/pod_marks.h"

namespace dray::planner {
namespace {

using cluster::NodeIndex;

// The weights of KAI's plugins (pkg/scheduler/plugins/scores), each above all below it together.
constexpr std::int64_t nominated_weight = 10'000'000;
constexpr std::int64_t shared_weight = 10'000;
constexpr std::int64_t now_weight = 1'000;
constexpr std::int64_t kind_weight = 10;

/// alloc::Fit's preference where each request has its first alternative.
std::int32_t best_preference(const PodClaims& claims) {
  std::int32_t sum = 0;
  for (const auto& claim : claims) {
    for (const auto& request : claim->spec.requests) sum += request.first_available.empty() ? 0 : 8;
  }
  return sum;
}

}  // namespace

NodeVerdict& NodeVerdicts::at(const Shape& shape, NodeIndex node, std::size_t limit) {
  if (shape.number >= rows_.size()) rows_.resize(shape.number + 1);
  auto& row = rows_[shape.number];
  if (row.size() < limit) row.resize(limit);
  return row[node.get()];
}

PlanFit::PlanFit(const PlanInput& input, const policy::Policy& policy, PlanOverlay& overlay,
                 alloc::Allocator& allocator, NodeVerdicts& verdicts)
    : input_(input),
      policy_(policy),
      overlay_(overlay),
      allocator_(allocator),
      verdicts_(verdicts),
      strategies_((policy.queues.queues().size() + 1) * overlay.nodes().columns()) {
  if (!input.only) {
    const auto all = overlay.nodes().by_name();
    everywhere_.nodes.assign(all.begin(), all.end());
    return;
  }
  auto names = *input.only;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const auto& name : names) {
    if (const auto node = input.snapshot->node(name)) everywhere_.nodes.push_back(*node);
  }
}

void PlanFit::bar(NodeIndex node, Reason reason) {
  barred_.insert_or_assign(node, reason);
}

bool PlanFit::refused(const PlanTask& task, NodeIndex node) const {
  if (input_.refused.empty()) return false;
  const RefusedNode refused{task.pod().meta.uid, input_.snapshot->name(node)};
  return std::ranges::binary_search(input_.refused, refused);
}

const NodeVerdict& PlanFit::verdict(PlanTask& task, NodeIndex node) {
  const auto& shape = *task.shape;
  if (shape.singular) {
    passing_ = look(shape, task, node);
    return passing_;
  }
  auto& known = verdicts_.at(shape, node, overlay_.nodes().size());
  const auto stamp = overlay_.nodes().stamp(node);
  if (known.stamp != stamp) {
    known = look(shape, task, node);
    known.stamp = stamp;
  }
  return known;
}

NodeVerdict PlanFit::look(const Shape& shape, const PlanTask& task, NodeIndex node) {
  ++tried_;
  NodeVerdict verdict;
  verdict.soon = look_in(overlay_.soon(), shape, task, node, verdict);
  verdict.now = verdict.soon;
  if (verdict.soon == Reason::none && overlay_.split(node)) {
    verdict.now = look_in(overlay_.now(), shape, task, node, verdict);
  }
  if (shape.singular && verdict.now == Reason::none &&
      std::ranges::any_of(task.claims,
                          [&](const auto& claim) { return overlay_.promised(claim->key()); })) {
    verdict.now = Reason::room_freed;
  }
  if (shape.partial && verdict.soon == Reason::none) {
    verdict.shares = has_shared_room(overlay_.soon(), shape, node);
    verdict.shares_soon =
        verdict.shares && overlay_.split(node) && !has_shared_room(overlay_.now(), shape, node);
  }
  return verdict;
}

Reason PlanFit::look_in(const cluster::AllocatedState& state, const Shape& shape,
                        const PlanTask& task, NodeIndex node, NodeVerdict& verdict) {
  if (const auto reason = shape.fit.check(state, node); reason != Reason::none) return reason;
  // Others of the shape ask for the same, by other names.
  const auto& claims = shape.singular ? task.claims : shape.claims;
  if (shape.singular) {
    if (const auto no = given_elsewhere(state, task, node); no != Reason::none) return no;
  }
  std::vector<const ResourceClaim*> open;
  if (shape.singular) {
    open = open_claims(state, claims);
  } else {
    for (const auto& claim : claims) open.push_back(claim.get());
  }
  std::optional<Extended> extended;
  if (!shape.class_resources.empty()) {
    extended = extend(state, shape, task, node);
    if (!extended) return Reason::claim_elsewhere;
    if (const auto* claim = extended->open()) open.push_back(claim);
  }
  if (!open.empty()) {
    const auto fit = allocator_.check(state, node, open);
    if (!fit) {
      error_ = fit.error().message;
      return Reason::allocation_error;
    }
    verdict.preference = static_cast<std::int32_t>(fit->preference);
    verdict.unready = fit->unready;
    if (fit->reason != Reason::none) return fit->reason;
  }
  if (!counts_node_allocatable()) return Reason::none;
  // Which devices they are decides whether the node itself has room.
  PlanTask* const one = const_cast<PlanTask*>(&task);
  const auto placed = place_in(state, std::span(&one, 1), node);
  return placed ? Reason::none : placed.error();
}

/// Whether the devices that its claims have already are out of the node's reach.
Reason PlanFit::given_elsewhere(const cluster::AllocatedState& state, const PlanTask& task,
                                NodeIndex node) const {
  for (const auto& claim : task.claims) {
    const auto given = state.allocation(claim->key());
    if (!given) continue;
    if (claim->reserved_for.size() >= max_consumers) return Reason::claim_consumers;
    if (!usable_on(*given, node)) return Reason::claim_elsewhere;
    if (!counts_node_allocatable()) continue;
    const bool used = !claim->reserved_for.empty() &&
                      std::ranges::none_of(claim->reserved_for, [&](const auto& user) {
                        return user.uid == task.pod().meta.uid;
                      });
    if (used && cluster::stands_for_node_resource(*input_.snapshot, *given)) {
      return Reason::claim_consumers;
    }
  }
  return Reason::none;
}

const ResourceClaim* PlanFit::Extended::open() const {
  if (!needed || allocated) return nullptr;
  return earlier ? earlier.get() : &needed->claim;
}

std::optional<PlanFit::Extended> PlanFit::extend(const cluster::AllocatedState& state,
                                                 const Shape& shape, const PlanTask& task,
                                                 NodeIndex node) const {
  Extended extended;
  if (shape.class_resources.empty()) return extended;
  extended.needed = alloc::extended_resource_claim(task.pod(), *input_.snapshot, node);
  auto earlier = input_.snapshot->claim(alloc::extended_resource_claim_key(task.pod()));
  if (!earlier || !alloc::is_extended_resource_claim(*earlier, task.pod().meta.uid))
    return extended;
  extended.earlier = std::move(earlier);
  const auto& made = *extended.earlier;
  if (!extended.needed) {
    if (made.allocation) return std::nullopt;
    return extended;
  }
  if (made.meta.deleted || made.spec != extended.needed->claim.spec) return std::nullopt;
  extended.allocated = state.allocation(made.key());
  if (extended.allocated && !usable_on(*extended.allocated, node)) return std::nullopt;
  return extended;
}

bool PlanFit::usable_on(const AllocationResult& allocation, NodeIndex node) const {
  if (!allocation.node_selector) return true;
  const auto matcher = cluster::NodeMatcher::compile(*allocation.node_selector);
  return matcher && matcher->matches(input_.snapshot->facts(node));
}

/// A device in use of which a part is left that is as large as what is asked for.
bool PlanFit::has_shared_room(const cluster::AllocatedState& state, const Shape& shape,
                              NodeIndex node) const {
  const auto& snapshot = *input_.snapshot;
  const auto& asked = shape.claims.front()->spec.requests.front();
  if (!asked.exactly || asked.exactly->capacity_requests.empty()) return false;
  const auto& wanted = asked.exactly->capacity_requests;
  std::int64_t found = 0;
  for (const auto index : snapshot.entry(node).pools) {
    const auto& pool = snapshot.pool(index);
    const auto [first, last] = pool.of_node(snapshot.name(node).get());
    for (auto slot = first; slot != last; ++slot) {
      const auto& devices = pool.slots[slot].slice->devices;
      for (std::size_t at = 0; at < devices.size(); ++at) {
        const auto* use = state.changed_use(index, *devices[at].name);
        if (use == nullptr && pool.slots[slot].use) {
          for (const auto& [position, known] : *pool.slots[slot].use) {
            if (position == at) use = &known;
          }
        }
        if (use == nullptr || use->shares == 0 || use->dedicated > 0) continue;
        const bool room = std::ranges::all_of(wanted, [&](const auto& want) {
          const auto total = devices[at].traits->capacity.find(want.first);
          if (total == devices[at].traits->capacity.end()) return false;
          const auto used = use->consumed.find(want.first);
          const auto taken =
              used == use->consumed.end() ? 0.0 : used->second.as_approximate_double();
          return taken + want.second.as_approximate_double() <=
                 total->second.value.as_approximate_double();
        });
        if (room) ++found;
      }
    }
  }
  return found >= std::max<std::int64_t>(asked.exactly->count, 1);
}

std::optional<NodeIndex> PlanFit::nominated(const PlanTask& task) const {
  const auto& pod = task.pod();
  const auto hint = pod.meta.annotations.find(reservation_annotation);
  if (hint != pod.meta.annotations.end()) {
    if (const auto node = input_.snapshot->node(NodeName(hint->second))) return node;
  }
  return pod.nominated_node ? input_.snapshot->node(*pod.nominated_node) : std::nullopt;
}

PlanFit::Wish PlanFit::wish_of(const PlanJob& job, const PlanTask& task) const {
  const auto& nodes = overlay_.nodes();
  const auto& resources = policy_.counting.resources();
  const bool devices = task.need->devices > 0;
  std::size_t column = devices ? nodes.devices_column() : nodes.cpu_column();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (resources[r].unit != policy::ResourceUnit::devices || task.need->counts[r] <= 0) continue;
    column = r;
    break;
  }
  auto& strategy = strategies_[(job.queue ? job.queue->get() : 0) * nodes.columns() + column];
  if (!strategy) {
    std::string resource = devices ? "gpu" : "cpu";
    if (column < resources.size()) resource = resources[column].name;
    strategy = policy::placement_of(policy_.config, job.job->queue.get(), resource);
  }
  // Parts of devices are packed by whole free devices: what is shared already comes first anyway.
  if (task.shape != nullptr && task.shape->partial) column = nodes.devices_column();
  return {*strategy, column, devices, nominated(task), best_preference(task.claims)};
}

PlanFit::Score PlanFit::score(const Wish& wish, const NodeSet& among, NodeIndex node,
                              const NodeVerdict& verdict, bool known) const {
  Score score;
  const auto& nodes = overlay_.nodes();
  const auto free = nodes.free(node);
  const auto capacity = nodes.capacity(node);
  score.rules = among.bonus.empty() ? 0 : among.bonus[node.get()];
  if (wish.nominated == node) score.rules += nominated_weight;
  const bool packs_shares = policy_.config.shares == policy::PlacementStrategy::pack;
  if (packs_shares && (verdict.shares || !known)) score.rules += shared_weight;
  if (verdict.now == Reason::none || !known) score.rules += now_weight;
  if (!wish.needs_devices && capacity[nodes.devices_column()] == 0) score.rules += kind_weight;
  if (wish.strategy == policy::PlacementStrategy::pack) {
    score.placement = -free[wish.column];
  } else {
    const auto total = capacity[wish.column];
    score.placement = total > 0 ? free[wish.column] / total : 0;
  }
  score.preference = known ? verdict.preference : wish.preference;
  score.unready = known ? verdict.unready : 0;
  return score;
}

bool PlanFit::better(const Score& a, std::uint32_t rank_a, const Score& b, std::uint32_t rank_b) {
  if (a.rules != b.rules) return a.rules > b.rules;
  if (a.preference != b.preference) return a.preference > b.preference;
  if (a.unready != b.unready) return a.unready < b.unready;
  if (a.placement != b.placement) return a.placement > b.placement;
  return rank_a < rank_b;
}

std::string_view PlanFit::why(const Wish& wish, NodeIndex node, bool shares) const {
  if (wish.nominated == node) return "promised before";
  if (shares && policy_.config.shares == policy::PlacementStrategy::pack) {
    return "beside other shares";
  }
  return wish.strategy == policy::PlacementStrategy::pack ? "the fullest with room"
                                                          : "the emptiest with room";
}

std::optional<Choice> PlanFit::best(const PlanJob& job, PlanTask& task, const NodeSet& among,
                                    bool soon) {
  const auto wish = wish_of(job, task);
  const auto& nodes = overlay_.nodes();
  struct Candidate {
    Score score;
    std::uint32_t rank = 0;
    NodeIndex node;
  };
  const auto ahead = [](const Candidate& a, const Candidate& b) {
    return better(a.score, a.rank, b.score, b.rank);
  };
  std::optional<Candidate> best;
  bool best_now = false;
  bool best_shares = false;
  const auto offer = [&](NodeIndex node, const NodeVerdict& verdict) {
    if (verdict.soon != Reason::none || (verdict.now != Reason::none && !soon)) return;
    Candidate candidate{score(wish, among, node, verdict, true), nodes.rank(node), node};
    if (best && !ahead(candidate, *best)) return;
    best = candidate;
    // A share of a device that is in use anyway is worth the wait for it.
    best_now = verdict.now == Reason::none && !(soon && verdict.shares_soon);
    best_shares = verdict.shares;
  };
  const bool any_refused = !input_.refused.empty();
  std::vector<Candidate> unknown;
  for (const auto node : among.nodes) {
    if (any_refused && refused(task, node)) continue;
    if (!barred_.empty() && barred_.contains(node)) continue;
    if (!task.shape->singular) {
      const auto& known = verdicts_.at(*task.shape, node, nodes.size());
      if (known.stamp == nodes.stamp(node)) {
        offer(node, known);
        continue;
      }
    }
    unknown.push_back({score(wish, among, node, {}, false), nodes.rank(node), node});
  }
  const auto behind = [&](const Candidate& a, const Candidate& b) { return ahead(b, a); };
  std::ranges::make_heap(unknown, behind);
  while (!unknown.empty()) {
    if (best && !ahead(unknown.front(), *best)) break;
    if (tried_ >= input_.budget.nodes_tried) {
      exhausted_ = true;
      return std::nullopt;
    }
    std::ranges::pop_heap(unknown, behind);
    const auto node = unknown.back().node;
    unknown.pop_back();
    offer(node, verdict(task, node));
  }
  if (!best) return std::nullopt;
  // Where one goes that is moved, its old place is gone: only what is free soon knows that.
  return Choice{.node = best->node,
                .now = best_now && task.state != policy::TaskState::yielding,
                .why = why(wish, best->node, best_shares),
                .among = among.nodes.size()};
}

}  // namespace dray::planner
