#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/kube_scheduler_state.h"

// schedule_one.go: one pod at a time through filters, extender, scores; then its binding beside.

namespace dray::sim {
namespace {

constexpr std::size_t note_limit = 1024;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// splitmix64.
std::uint64_t draw(std::uint64_t& state) {
  auto x = state += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// fit.go: every resource that is short has its own reason.
std::vector<std::string> insufficient(const Pod& pod, const cluster::AllocatedState& state,
                                      cluster::NodeIndex node) {
  const auto need = cluster::requests_of(pod);
  const auto& have = *state.snapshot().facts(node).allocatable;
  const auto* use = state.use(node);
  const auto used = use == nullptr ? cluster::NodeAmounts{} : use->requested;
  std::vector<std::string> reasons;
  if (used.pods + 1 > have.pods) reasons.emplace_back("Too many pods");
  const auto check = [&](std::string_view name, std::int64_t want, std::int64_t total,
                         std::int64_t taken) {
    if (want > 0 && want > total - taken) reasons.push_back(fmt::format("Insufficient {}", name));
  };
  check("cpu", need.milli_cpu, have.milli_cpu, used.milli_cpu);
  check("memory", need.memory, have.memory, used.memory);
  check("ephemeral-storage", need.ephemeral_storage, have.ephemeral_storage,
        used.ephemeral_storage);
  for (const auto& [name, want] : need.others)
    check(name, want, have.other(name), used.other(name));
  return reasons;
}

/// volumebinding.go, as far as it is modelled.
bool has_volumes_on(const Pod& pod, const NodeName& node) {
  const auto only = pod.meta.annotations.find(volume_node_annotation);
  return only == pod.meta.annotations.end() || only->second == node.get();
}

}  // namespace

void KubeScheduler::State::schedule_next(Time now) {
  while (!cycle) {
    auto queued = queue.pop();
    if (!queued) return;
    begin(*std::move(queued), now);
  }
}

void KubeScheduler::State::begin(QueuedPod queued, Time now) {
  const auto& pod = queued.pod();
  if (pod.meta.deleted) {
    out.emplace_back(engine::RecordEvent{pod.key(),
                                         pod.meta.uid,
                                         {"Warning", "FailedScheduling", "Scheduling",
                                          "skip schedule deleting pod: " + pod.key().to_string()}});
    return queue.done();
  }
  if (assumed.contains(pod.meta.uid)) return queue.done();
  const auto snapshot = cache.snapshot();
  if (snapshot->node_count() == 0) {
    queued.rejectors = 0;
    return fail_attempt(std::move(queued), "no nodes available to schedule pods", false,
                        std::optional<NodeName>(), now);
  }
  cycle.emplace();
  cycle->queued = std::move(queued);
  cycle->snapshot = snapshot;
  if (cycle->queued.pod().nominated_node) return filter_nominated(now);
  filter_all(now);
}

std::vector<std::string> KubeScheduler::State::refusal(const Pod& pod, const cluster::NodeFit& fit,
                                                       const cluster::AllocatedState& state,
                                                       cluster::NodeIndex node, Plugins& by) {
  switch (fit.check(state, node)) {
    case Reason::none:
      if (has_volumes_on(pod, state.snapshot().name(node))) return {};
      by = plugin::volume_binding;
      return {"node(s) didn't match PersistentVolume's node affinity"};
    case Reason::node_unschedulable:
      by = plugin::node_unschedulable;
      return {"node(s) were unschedulable"};
    case Reason::node_selector:
      by = plugin::node_affinity;
      return {"node(s) didn't match Pod's node affinity/selector"};
    case Reason::node_taint:
      by = plugin::taint_toleration;
      return {"node(s) had untolerated taint(s)"};
    case Reason::node_ports:
      by = plugin::node_ports;
      return {"node(s) didn't have free ports for the requested pod ports"};
    default:
      by = plugin::node_resources_fit;
      return insufficient(pod, state, node);
  }
}

void KubeScheduler::State::filter_nominated(Time now) {
  const auto& pod = cycle->queued.pod();
  const auto index = cycle->snapshot->node(*pod.nominated_node);
  if (!index) return filter_all(now);
  const cluster::NodeFit fit(pod, *cycle->snapshot);
  Plugins by = 0;
  const cluster::AllocatedState state(cycle->snapshot);
  static_cast<void>(refusal(pod, fit, state, *index, by));
  if (by != 0) return filter_all(now);
  call_filter({*pod.nominated_node}, SchedulingCycle::Step::nominated);
}

void KubeScheduler::State::filter_all(Time now) {
  auto& diagnosis = cycle->diagnosis;
  diagnosis = {};
  const cluster::NodeFit fit(cycle->queued.pod(), *cycle->snapshot);
  const cluster::AllocatedState state(cycle->snapshot);
  std::vector<NodeName> feasible;
  for (const auto node : cycle->snapshot->nodes_by_name()) {
    const auto& name = cycle->snapshot->name(node);
    Plugins by = 0;
    auto reasons = refusal(cycle->queued.pod(), fit, state, node, by);
    if (by == 0) {
      feasible.push_back(name);
      continue;
    }
    diagnosis.rejectors |= by;
    if ((by & (plugin::node_resources_fit | plugin::node_ports)) != 0) {
      diagnosis.resolvable.insert(name);
    }
    diagnosis.reasons[name] = std::move(reasons);
  }
  // The extender is not called for nothing.
  if (feasible.empty()) return no_fit(now);
  call_filter(std::move(feasible), SchedulingCycle::Step::filtering);
}

extender::FilterRequest KubeScheduler::State::request_for(
    const std::vector<NodeName>& names) const {
  extender::FilterRequest request;
  request.pod = cycle->queued.pod();
  if (options.node_cache_capable) {
    request.node_names = names;
    return request;
  }
  request.nodes.emplace();
  for (const auto& name : names) {
    const auto node = nodes.find(name);
    if (node != nodes.end()) request.nodes->push_back({std::get<Node>(*node->second), ""});
  }
  return request;
}

void KubeScheduler::State::call_filter(std::vector<NodeName> names, SchedulingCycle::Step step) {
  cycle->step = step;
  cycle->call = next_call();
  cycle->offered = std::move(names);
  out.emplace_back(CallFilter{cycle->call, request_for(cycle->offered)});
}

void KubeScheduler::State::filtered(const FilterAnswered& answer, Time now) {
  using Step = SchedulingCycle::Step;
  if (!cycle || cycle->call != answer.id ||
      (cycle->step != Step::nominated && cycle->step != Step::filtering)) {
    return;
  }
  std::string error = answer.response ? answer.response->error : answer.response.error().message;
  if (error.empty()) {
    for (const auto& name : answer.response->node_names) {
      if (std::ranges::find(cycle->offered, name) != cycle->offered.end()) continue;
      error = fmt::format(
          "extender claims a filtered node \"{}\" which is not found in the input node list",
          name.get());
    }
  }
  if (cycle->step == Step::nominated) {
    if (!error.empty() || answer.response->node_names.empty()) return filter_all(now);
    return choose(answer.response->node_names, {}, now);
  }
  if (!error.empty()) {
    auto queued = std::exchange(cycle, std::nullopt)->queued;
    queued.rejectors = 0;
    return fail_attempt(std::move(queued), error, true, std::optional<NodeName>(), now);
  }
  auto& diagnosis = cycle->diagnosis;
  const auto& response = *answer.response;
  for (const auto& [reason, names] : response.failed) {
    for (const auto& name : names) diagnosis.reasons[name] = {reason};
  }
  for (const auto& [reason, names] : response.failed_unresolvable) {
    for (const auto& name : names) diagnosis.reasons[name] = {reason};
  }
  if (response.all_unresolvable) {
    for (const auto& name : cycle->offered) diagnosis.reasons[name] = {*response.all_unresolvable};
  }
  if (response.node_names.size() != cycle->offered.size()) {
    diagnosis.rejectors |= plugin::extender;
  }
  if (response.node_names.empty()) return no_fit(now);
  if (response.node_names.size() == 1 || !options.prioritizes) {
    return choose(response.node_names, {}, now);
  }
  cycle->step = Step::prioritizing;
  cycle->call = next_call();
  cycle->offered = response.node_names;
  out.emplace_back(CallPrioritize{cycle->call, request_for(cycle->offered)});
}

void KubeScheduler::State::prioritized(const PrioritizeAnswered& answer, Time now) {
  if (!cycle || cycle->call != answer.id || cycle->step != SchedulingCycle::Step::prioritizing) {
    return;
  }
  // Errors are ignored: all nodes are even then.
  choose(cycle->offered, answer.response.value_or(extender::PrioritizeResponse()), now);
}

/// The highest score; among equals each node with the same chance.
void KubeScheduler::State::choose(const std::vector<NodeName>& names,
                                  const extender::PrioritizeResponse& scores, Time now) {
  std::map<NodeName, std::int64_t> total;
  for (const auto& [node, score] : scores) total[node] += score;
  std::vector<NodeName> best;
  std::int64_t highest = 0;
  for (const auto& name : names) {
    const auto found = total.find(name);
    const auto score = found == total.end() ? 0 : found->second;
    if (!best.empty() && score < highest) continue;
    if (score > highest) best.clear();
    highest = score;
    best.push_back(name);
  }
  const auto pick = best.size() == 1 ? 0 : draw(random) % best.size();
  assume_and_bind(best[pick], now);
}

void KubeScheduler::State::assume_and_bind(const NodeName& node, Time now) {
  auto queued = std::exchange(cycle, std::nullopt)->queued;
  const auto& pod = queued.pod();
  const auto key = pod.key();
  const auto uid = pod.meta.uid;
  const auto known = pods.find(key);
  if (known != pods.end() && std::get<Pod>(*known->second).node_name) {
    queued.rejectors = 0;
    const auto message =
        fmt::format("pod {}({}) is in the cache, so can't be assumed", uid.get(), key.to_string());
    return fail_attempt(std::move(queued), message, true, std::optional<NodeName>(), now);
  }
  cache.assume({.pod = key, .pod_uid = uid, .node = node, .claims = {}});
  const auto id = next_call();
  assumed.insert_or_assign(uid, Assumed{id, queued.object});
  binding.emplace(id, Binding{std::move(queued), node});
  queue.done();
  out.emplace_back(CallBind{id, {.pod = key, .uid = uid, .node = node}});
}

void KubeScheduler::State::bound(const BindAnswered& answer, Time now) {
  const auto found = binding.find(answer.id);
  if (found == binding.end()) return;
  auto [queued, node] = std::move(found->second);
  binding.erase(found);
  const auto key = queued.pod().key();
  const auto uid = queued.pod().meta.uid;
  const auto error = answer.response ? answer.response->error : answer.response.error().message;
  if (error.empty()) {
    out.emplace_back(engine::RecordEvent{
        key,
        uid,
        {"Normal", "Scheduled", "Binding",
         fmt::format("Successfully assigned {} to {}", key.to_string(), node.get())}});
    return;
  }
  if (const auto mine = assumed.find(uid);
      mine != assumed.end() && mine->second.call == answer.id) {
    assumed.erase(mine);
    cache.forget(uid);
    queue.move_all({ClusterEvent::Type::assigned_pod_deleted, queued.object, nullptr}, now);
  }
  queued.rejectors = 0;
  fail_attempt(std::move(queued), error, true, std::optional<NodeName>(), now);
}

std::string KubeScheduler::State::fit_error(const Diagnosis& diagnosis, std::size_t count) {
  std::map<std::string, std::size_t> histogram;
  for (const auto& [node, reasons] : diagnosis.reasons) {
    for (const auto& reason : reasons) ++histogram[reason];
  }
  std::vector<std::string> parts;
  parts.reserve(histogram.size());
  for (const auto& [reason, times] : histogram) {
    parts.push_back(fmt::format("{} {}", times, reason));
  }
  std::ranges::sort(parts);
  auto text = fmt::format("0/{} nodes are available:", count);
  if (!parts.empty()) text += " " + joined(parts) + ".";
  return text;
}

/// handleSchedulingFailure.
void KubeScheduler::State::fail_attempt(QueuedPod queued, const std::string& message, bool error,
                                        std::optional<std::optional<NodeName>> nominated,
                                        Time now) {
  const auto key = queued.pod().key();
  const auto uid = queued.pod().meta.uid;
  const auto known = pods.find(key);
  auto object = queued.object;
  if (known == pods.end() || std::get<Pod>(*known->second).node_name) {
    queue.done();  // gone, or bound after all: a bind whose answer came too late
  } else if (meta_of(*known->second).uid != uid) {
    return queue.done();
  } else {
    object = known->second;
    queued.object = object;
    queue.add_unschedulable(std::move(queued), now);
  }
  auto note = message;
  if (note.size() > note_limit) note = note.substr(0, note_limit - 4) + " ...";
  out.emplace_back(
      engine::RecordEvent{key, uid, {"Warning", "FailedScheduling", "Scheduling", note}});
  const auto& pod = std::get<Pod>(*object);
  PatchPodStatus patch{.pod = key, .condition = {}, .nominated_node = {}};
  Condition condition{.type = "PodScheduled",
                      .status = "False",
                      .reason = error ? "SchedulerError" : "Unschedulable",
                      .message = message,
                      .last_transition = {}};
  auto conditions = pod.conditions;
  if (set_condition(conditions, condition, now)) patch.condition = std::move(condition);
  if (nominated && pod.nominated_node != *nominated) patch.nominated_node = *nominated;
  if (patch.condition || patch.nominated_node) out.emplace_back(std::move(patch));
}

}  // namespace dray::sim
