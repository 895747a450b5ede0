#include "planner/place/node_choice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dray/model/pod_marks.h"
#include "planner/place/placement_strategy.h"

namespace dray::planner {
namespace {

using cluster::NodeIndex;

// The weights of KAI's plugins (pkg/scheduler/plugins/scores), each above all below it together.
constexpr std::int64_t nominated_weight = 10'000'000;
constexpr std::int64_t shared_weight = 10'000;
constexpr std::int64_t idle_weight = 1'000;
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

NodeChoice::NodeChoice(const PlanInput& input, const policy::Policy& policy, const Overlay& overlay,
                       Fit& fit)
    : input_(input),
      policy_(policy),
      overlay_(overlay),
      fit_(fit),
      strategies_((policy.queues.queues().size() + 1) * overlay.nodes().columns()) {}

std::optional<NodeIndex> NodeChoice::nominated(const Task& task) const {
  const auto& pod = task.pod();
  const auto hint = pod.meta.annotations.find(reservation_annotation);
  if (hint != pod.meta.annotations.end()) {
    if (const auto node = input_.snapshot->node(NodeName(hint->second))) return node;
  }
  return pod.nominated_node ? input_.snapshot->node(*pod.nominated_node) : std::nullopt;
}

NodeChoice::Wish NodeChoice::wish_of(const PlanJob& job, const Task& task) {
  const auto& nodes = overlay_.nodes();
  const auto& resources = policy_.counting.resources();
  const bool devices = task.demand->devices > 0;
  std::size_t column = devices ? nodes.devices_column() : nodes.cpu_column();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (resources[r].unit != policy::ResourceUnit::devices || task.demand->counts[r] <= 0) continue;
    column = r;
    break;
  }
  auto& strategy = strategies_[(job.queue ? job.queue->get() : 0) * nodes.columns() + column];
  if (!strategy) {
    std::string resource = devices ? "gpu" : "cpu";
    if (column < resources.size()) resource = resources[column].name;
    strategy = policy::placement_of(policy_.config, job.job->queue.get(), resource);
  }
  // Parts of devices are placed by whole free devices: what is shared already comes first anyway.
  if (task.shape != nullptr && task.shape->partial) column = nodes.devices_column();
  return {*strategy,
          column,
          devices,
          nominated(task),
          best_preference(task.claims),
          joins_shared_devices(policy_.config.shares)};
}

NodeChoice::Candidate NodeChoice::candidate(const Wish& wish, const NodeSet& among, NodeIndex node,
                                            const NodeVerdict* verdict) const {
  const auto& nodes = overlay_.nodes();
  const auto capacity = nodes.capacity(node);
  Score score;
  score.rules = among.bonus.empty() ? 0 : among.bonus[node.get()];
  if (wish.nominated == node) score.rules += nominated_weight;
  if (wish.joins_shares && (verdict == nullptr || verdict->shares)) {
    score.rules += shared_weight;
  }
  if (verdict == nullptr || verdict->idle == Reason::none) score.rules += idle_weight;
  if (!wish.needs_devices && capacity[nodes.devices_column()] == 0) score.rules += kind_weight;
  score.placement =
      placement_score(wish.strategy, nodes.free(node)[wish.column], capacity[wish.column]);
  score.preference = verdict != nullptr ? verdict->preference : wish.preference;
  score.unready = verdict != nullptr ? verdict->unready : 0;
  score.alignment = verdict != nullptr ? verdict->alignment : 0;
  return {score, nodes.rank(node), node};
}

bool NodeChoice::ahead(const Candidate& a, const Candidate& b) {
  if (a.score.rules != b.score.rules) return a.score.rules > b.score.rules;
  if (a.score.preference != b.score.preference) return a.score.preference > b.score.preference;
  if (a.score.unready != b.score.unready) return a.score.unready < b.score.unready;
  if (a.score.alignment != b.score.alignment) return a.score.alignment > b.score.alignment;
  if (a.score.placement != b.score.placement) return a.score.placement > b.score.placement;
  return a.rank < b.rank;
}

std::string_view NodeChoice::why(const Wish& wish, NodeIndex node, bool shares) {
  if (wish.nominated == node) return "promised before";
  if (shares && wish.joins_shares) return "beside other shares";
  return placement_reason(wish.strategy);
}

std::vector<NodeIndex> NodeChoice::ranked(const PlanJob& job, const Task& task,
                                          const NodeSet& nodes) {
  const auto wish = wish_of(job, task);
  std::vector<Candidate> candidates;
  candidates.reserve(nodes.nodes.size());
  for (const auto node : nodes.nodes) {
    candidates.push_back(candidate(wish, nodes, node, &fit_.verdict(task, node)));
  }
  std::ranges::sort(candidates, ahead);
  std::vector<NodeIndex> ranked;
  ranked.reserve(candidates.size());
  for (const auto& each : candidates) ranked.push_back(each.node);
  return ranked;
}

/// The best candidate so far.
struct NodeChoice::Best {
  std::optional<Candidate> candidate;
  bool idle = false;
  bool shares = false;

  void offer(const Candidate& other, const NodeVerdict& verdict, Room room) {
    if (candidate && !ahead(other, *candidate)) return;
    candidate = other;
    // A share of a device that is in use anyway is worth the wait for it.
    idle = verdict.idle == Reason::none && !(room == Room::releasing && verdict.shares_releasing);
    shares = verdict.shares;
  }
};

std::optional<Choice> NodeChoice::best(const PlanJob& job, const Task& task, const NodeSet& among,
                                       const BarredNodes& barred, Room room) {
  const auto wish = wish_of(job, task);
  Best best;
  const auto offer = [&](NodeIndex node, const NodeVerdict& verdict) {
    if (verdict.releasing != Reason::none || verdict.in(room) != Reason::none) return;
    best.offer(candidate(wish, among, node, &verdict), verdict, room);
  };
  std::vector<Candidate> unknown;
  for (const auto node : among.nodes) {
    if (fit_.refused(task, node) || (!barred.empty() && barred.contains(node))) continue;
    if (const auto* known = fit_.known(task, node)) {
      offer(node, *known);
    } else {
      unknown.push_back(candidate(wish, among, node, nullptr));
    }
  }
  // Those that could get the most first: the others need no look once one is ahead of what they
  // could get.
  const auto behind = [](const Candidate& a, const Candidate& b) { return ahead(b, a); };
  std::ranges::make_heap(unknown, behind);
  while (!unknown.empty()) {
    if (best.candidate && !ahead(unknown.front(), *best.candidate)) break;
    if (!fit_.may_try()) return std::nullopt;
    std::ranges::pop_heap(unknown, behind);
    const auto node = unknown.back().node;
    unknown.pop_back();
    offer(node, fit_.verdict(task, node));
  }
  if (!best.candidate) return std::nullopt;
  const auto node = best.candidate->node;
  // Where one goes that is moved, its old place is gone: that is releasing room.
  const bool idle = best.idle && !task.has_to_leave();
  return Choice{.node = node,
                .room = idle ? Room::idle : Room::releasing,
                .why = why(wish, node, best.shares),
                .among = among.nodes.size()};
}

}  // namespace dray::planner
