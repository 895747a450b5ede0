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

/// Where one goes that is moved, its old place is gone: that is releasing room.
Room room_of(const Task& task, const NodeCandidate& candidate) {
  return candidate.idle && !task.has_to_leave() ? Room::idle : Room::releasing;
}

}  // namespace

NodeChoice::NodeChoice(const PlanInput& input, const policy::Policy& policy, const Overlay& overlay,
                       Fit& fit, NodeRankings& everywhere)
    : input_(input),
      policy_(policy),
      overlay_(overlay),
      fit_(fit),
      strategies_((policy.queues.queues().size() + 1) * overlay.nodes().columns()),
      everywhere_(everywhere) {
  everywhere_.go_on(fit.everywhere(), overlay.nodes().size());
}

NodeRankings& NodeChoice::rankings(const NodeSet& among) {
  if (&among == &fit_.everywhere()) return everywhere_;
  one_set_.restart(among, overlay_.nodes().size());
  return one_set_;
}

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

void NodeChoice::appraise(const Wish& wish, const NodeSet& among, NodeIndex node,
                          const NodeVerdict* verdict, NodeCandidate& made) {
  ++judged_;
  const auto& nodes = overlay_.nodes();
  const auto capacity = nodes.capacity(node);
  made.rules = among.bonus.empty() ? 0 : among.bonus[node.get()];
  if (wish.nominated == node) made.rules += nominated_weight;
  if (wish.joins_shares && (verdict == nullptr || verdict->shares)) made.rules += shared_weight;
  if (verdict == nullptr || verdict->idle == Reason::none) made.rules += idle_weight;
  if (!wish.needs_devices && capacity[nodes.devices_column()] == 0) made.rules += kind_weight;
  made.placement =
      placement_score(wish.strategy, nodes.free(node)[wish.column], capacity[wish.column]);
  made.preference = verdict != nullptr ? verdict->preference : wish.preference;
  made.unready = verdict != nullptr ? verdict->unready : 0;
  made.alignment = verdict != nullptr ? verdict->alignment : 0;
  made.rank = nodes.rank(node);
  made.node = node;
  made.stamp = nodes.stamp(node);
}

bool NodeChoice::judge(const Wish& wish, const NodeSet& among, NodeIndex node, Room room,
                       const NodeVerdict& verdict, NodeCandidate& made) {
  if (verdict.releasing != Reason::none || verdict.in(room) != Reason::none) return false;
  appraise(wish, among, node, &verdict, made);
  made.looked = true;
  made.shares = verdict.shares;
  // A share of a device that is in use anyway is worth the wait for it.
  made.idle =
      verdict.idle == Reason::none && !(room == Room::releasing && verdict.shares_releasing);
  return true;
}

ChosenFor NodeChoice::chosen_for(const Wish& wish, const NodeSet& among,
                                 const NodeCandidate& found) const {
  const auto& nodes = overlay_.nodes();
  const auto node = found.node;
  ChosenFor chosen{.rule = ChosenFor::Rule::strategy,
                   .strategy = wish.strategy,
                   .column = wish.column,
                   .free = nodes.free(node)[wish.column],
                   .capacity = nodes.capacity(node)[wish.column],
                   .among = among.nodes.size()};
  if (!among.bonus.empty() && among.bonus[node.get()] > 0) chosen.rule = ChosenFor::Rule::domain;
  if (found.shares && wish.joins_shares) chosen.rule = ChosenFor::Rule::shares;
  if (wish.nominated == node) chosen.rule = ChosenFor::Rule::promised;
  return chosen;
}

std::vector<NodeIndex> NodeChoice::ranked(const PlanJob& job, const Task& task,
                                          const NodeSet& nodes) {
  const auto wish = wish_of(job, task);
  std::vector<NodeCandidate> candidates;
  candidates.reserve(nodes.nodes.size());
  for (const auto node : nodes.nodes) {
    appraise(wish, nodes, node, &fit_.verdict(task, node), candidates.emplace_back());
  }
  std::ranges::sort(candidates, [](const auto& a, const auto& b) { return a.ahead_of(b); });
  std::vector<NodeIndex> ranked;
  ranked.reserve(candidates.size());
  for (const auto& each : candidates) ranked.push_back(each.node);
  return ranked;
}

/// The first that takes the member, looked at in full. What could be the best is looked at first:
/// the others need no look once one is ahead of what they could be.
std::optional<NodeCandidate> NodeChoice::find(const Wish& wish, const Task& task,
                                              const NodeSet& among, NodeRanking& ranking,
                                              const BarredNodes& barred, Room room,
                                              const AcceptsNode& accepts) {
  std::vector<NodeCandidate> not_this_pod;
  std::optional<NodeCandidate> found;  // with `accepts`, it may be behind others
  while (const auto* best = ranking.best(overlay_.nodes())) {
    const auto node = best->node;
    if (found && !best->ahead_of(*found)) break;
    if (fit_.refused(task, node) || (!barred.empty() && barred.contains(node))) {
      not_this_pod.push_back(ranking.take_best());
      continue;
    }
    if (best->looked && !accepts) {
      found = *best;
      break;
    }
    if (best->looked) {
      auto accepted = not_this_pod.emplace_back(ranking.take_best());
      const bool takes = accepts(accepted, room_of(task, accepted));
      if (takes && (!found || accepted.ahead_of(*found))) found = accepted;
      continue;
    }
    if (fit_.known(task, node) == nullptr && !fit_.may_try()) break;
    static_cast<void>(ranking.take_best());
    NodeCandidate judged;
    if (judge(wish, among, node, room, fit_.verdict(task, node), judged)) ranking.put(judged);
  }
  for (const auto& each : not_this_pod) ranking.put(each);
  return found;
}

std::optional<Choice> NodeChoice::best(const PlanJob& job, const Task& task, NodeRankings& rankings,
                                       const BarredNodes& barred, Room room,
                                       const AcceptsNode& accepts) {
  const auto wish = wish_of(job, task);
  const auto& among = rankings.among();
  // Of one pod alone: not kept.
  NodeRanking own;
  auto& ranking = task.shape->singular || wish.nominated
                      ? own
                      : rankings.of({task.shape->number, wish.column, wish.strategy, room});
  // What nobody has looked at is taken for the best that it could be.
  const auto worth = [&](NodeIndex node, NodeCandidate& made) {
    if (const auto* known = fit_.known(task, node)) {
      return judge(wish, among, node, room, *known, made);
    }
    appraise(wish, among, node, nullptr, made);
    return true;
  };
  ranking.refresh(overlay_.nodes(), among, rankings.members(), worth);
  const auto found = find(wish, task, among, ranking, barred, room, accepts);
  if (!found) return std::nullopt;
  return Choice{.node = found->node,
                .room = room_of(task, *found),
                .chosen = chosen_for(wish, among, *found)};
}

}  // namespace dray::planner
