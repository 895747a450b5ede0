#include "planner/explain/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dray/base/count_of.h"
#include "planner/explain/device_help.h"

namespace dray::planner {
namespace {

/// Bounds of queues that are raised one after another for one job.
constexpr int most_raised = 8;

std::string namespace_of(const Job& job) {
  return job.first().meta.namespace_name;
}

/// `taint k=v:NoSchedule` is of the key `k`.
std::string key_of_taint(const std::string& what) {
  const auto from = what.find(' ') + 1;
  return what.substr(from, what.find_first_of("=:", from) - from);
}

void tolerate(Pod& pod, const std::string& key) {
  pod.tolerations.push_back(
      {.key = key, .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}});
}

/// Bounds that were raised for one job, and as far as it took.
class Raised {
 public:
  void raise(policy::Policy& policy, const policy::CapacityRefusal& refusal) {
    const auto needed = refusal.held + refusal.requested;
    auto& queue = policy.queues[refusal.queue];
    const bool limit = refusal.rule == policy::CapacityRule::limit;
    (limit ? queue.limit : queue.quota)[refusal.resource] = needed;
    const auto known = std::ranges::find_if(raised_, [&](const auto& each) {
      return each.first.queue == refusal.queue && each.first.rule == refusal.rule &&
             each.first.resource == refusal.resource;
    });
    if (known == raised_.end()) {
      raised_.emplace_back(refusal, needed);
    } else {
      known->second = needed;
    }
  }
  /// `the limit of queue a from 4 to 6 GPUs`
  [[nodiscard]] std::string text(const policy::Policy& policy) const {
    std::string text;
    for (const auto& [refusal, needed] : raised_) {
      const auto& resource = policy.counting.resources()[refusal.resource];
      const bool limit = refusal.rule == policy::CapacityRule::limit;
      text += fmt::format("{}the {} of queue {} from {} to {} {}", text.empty() ? "" : " and ",
                          limit ? "limit" : "quota", policy.queues[refusal.queue].name.get(),
                          policy::humanize(refusal.bound, resource.unit),
                          policy::humanize(needed, resource.unit), policy::display_unit(resource));
    }
    return text;
  }

 private:
  std::vector<std::pair<policy::CapacityRefusal, double>> raised_;
};

}  // namespace

bool same_tenant(const Job& a, const Job& b) {
  return a.queue == b.queue || namespace_of(a) == namespace_of(b);
}

bool may_name(const Question& question, const Job& job, const Job& other) {
  if (question.named) return question.named->contains(namespace_of(other));
  return same_tenant(job, other);
}

std::vector<std::string> help_for_lack(const cluster::Snapshot& snapshot, const Pod& pod,
                                       Reason reason) {
  std::vector<std::string> helps;
  const auto& space = pod.meta.namespace_name;
  switch (reason) {
    case Reason::claim_missing:
      for (const auto& entry : pod.resource_claims) {
        const auto made = std::ranges::any_of(pod.resource_claim_statuses, [&](const auto& status) {
          return status.name == entry.name;
        });
        if (entry.template_name && !made) {
          helps.push_back(fmt::format(
              "the claim \"{}\" comes from ResourceClaimTemplate {}/{}: make that if it is not "
              "there (kubectl -n {} get resourceclaimtemplate {})",
              entry.name, space, *entry.template_name, space, *entry.template_name));
        } else if (entry.claim_name) {
          helps.push_back(fmt::format(
              "the claim \"{}\" is ResourceClaim {}/{}: make it if it is not there (kubectl -n {} "
              "get resourceclaim {})",
              entry.name, space, *entry.claim_name, space, *entry.claim_name));
        }
      }
      break;
    case Reason::class_missing:
      helps.push_back(
          "make that DeviceClass, or name one that there is (kubectl get deviceclasses); a "
          "driver's installation makes its own" +
          near_class(snapshot, pod));
      break;
    case Reason::gang_incomplete:
      helps.emplace_back("more pods of the gang have to be created before any of them starts");
      break;
    case Reason::queue_missing:
      helps.emplace_back(
          "name a queue that the policy has and that takes pods of this namespace (label "
          "dray.dev/queue)");
      break;
    default:
      break;
  }
  return helps;
}

std::string WhatHelps::Tried::where() const {
  const bool now = !outcome.placements.empty();
  const auto& placements = now ? outcome.placements : outcome.held;
  if (placements.size() > 1) {
    return fmt::format("{} {}", now ? "starts, with room for" : "gets room for",
                       count_of(placements.size(), "pod"));
  }
  return fmt::format("{} {}", now ? "goes to" : "gets its place on", placements.front().node.get());
}

WhatHelps::Tried WhatHelps::read(Plan plan, JobWatch watch) const {
  Tried tried{.outcome = {}, .watch = std::move(watch), .plan = std::move(plan)};
  const auto made = std::ranges::find(tried.plan.jobs, job_.uid, &JobOutcome::job);
  if (made != tried.plan.jobs.end()) tried.outcome = *made;
  return tried;
}

WhatHelps::Tried WhatHelps::try_out(const PlanInput& changed, std::size_t cost) {
  if (!trials_.may_try(cost)) {
    trials_.cut_short();
    return {};
  }
  JobWatch watch;
  watch.job = job_.uid;
  auto plan = trials_.try_out(changed, watch, cost);
  return read(std::move(plan), std::move(watch));
}

WhatHelps::Tried WhatHelps::try_free_room(const PlanInput& changed) {
  if (!trials_.may_try()) {
    trials_.cut_short();
    return {};
  }
  JobWatch watch;
  watch.job = job_.uid;
  auto plan = trials_.try_free_room(changed, watch);
  return read(std::move(plan), std::move(watch));
}

WhatHelps::Tried WhatHelps::try_policy(const std::function<void(policy::Policy&)>& change) {
  auto input = question_.input;
  auto policy = *input.policy;
  change(policy);
  input.policy = std::make_shared<const policy::Policy>(std::move(policy));
  return try_out(input, Trials::of_another_policy);
}

WhatHelps::Tried WhatHelps::try_job(const std::function<void(Job&)>& change) {
  auto input = question_.input;
  auto job = job_;
  change(job);
  input.jobs.put(std::make_shared<const Job>(std::move(job)));
  return try_out(input);
}

WhatHelps::Tried WhatHelps::try_pods(const std::function<void(Pod&)>& change) {
  return try_job([&](Job& job) {
    for (auto& member : job.members) {
      if (member.state != MemberState::waiting) continue;
      auto pod = *member.pod;
      change(pod);
      member.pod = std::make_shared<const Pod>(std::move(pod));
    }
  });
}

WhatHelps::Found WhatHelps::find() {
  if (watch_.capacity) raise_bounds();
  if (watch_.no_room) {
    change_nodes();
    start_with_fewer();
    if (!help_devices()) {
      end_jobs();
      evict();
    }
  }
  if (trials_.was_cut_short()) {
    found_.helps.emplace_back(
        "more may help: in a cluster of this size not everything is tried for an explanation");
  }
  return std::move(found_);
}

/// What the devices themselves lack. Whether nobody's end can help.
bool WhatHelps::help_devices() {
  const auto outcome = std::ranges::find(plan_.jobs, job_.uid, &JobOutcome::job);
  if (outcome == plan_.jobs.end()) return false;
  const auto& info = reason_info(outcome->reason);
  if (info.stage != ReasonStage::devices) return false;
  const auto& no_room = *watch_.no_room;
  const auto refused = std::ranges::find(job_.members, no_room.pod,
                                         [](const Member& each) { return each.pod->meta.uid; });
  if (refused == job_.members.end()) return false;
  DeviceLack lack{.reason = outcome->reason,
                  .said = no_room.text.empty() ? outcome->detail : no_room.text,
                  .node = {}};
  const auto group = std::ranges::find(no_room.nodes, outcome->reason, &NodesAlike::reason);
  if (group != no_room.nodes.end()) lack.node = group->nearest;
  lack.free_would_do = std::ranges::any_of(no_room.nodes, [](const NodesAlike& alike) {
    return alike.free_would_do && reason_info(alike.reason).eviction_helps;
  });
  for (auto& each : help_for_devices(no_room.state, *refused->pod, lack, options_)) {
    found_.helps.push_back(std::move(each));
  }
  const bool never = outcome->reason == Reason::constraint && !lack.free_would_do;
  return never || !info.eviction_helps || outcome->reason == Reason::allocation_error;
}

/// Each bound that is in the way, as far as it has to go.
void WhatHelps::raise_bounds() {
  auto policy = *question_.input.policy;
  auto refusal = watch_.capacity;
  Raised raised;
  Tried tried;
  for (int i = 0; refusal && i < most_raised; ++i) {
    raised.raise(policy, *refusal);
    tried = try_policy([&](policy::Policy& changed) { changed = policy; });
    refusal = tried.watch.capacity;
  }
  const auto text = raised.text(policy);
  if (tried.helped()) {
    found_.helps.push_back(fmt::format("raise {}: it then {}", text, tried.where()));
  } else if (trials_.was_cut_short()) {
    found_.helps.push_back(fmt::format("raise {}; whether it starts then was not tried", text));
  } else {
    found_.helps.push_back(fmt::format("raise {}; but then it still waits: {}", text,
                                       tried.watch.no_room && !tried.watch.no_room->text.empty()
                                           ? tried.watch.no_room->text
                                           : std::string(plain_text(tried.outcome.reason))));
  }
  if (watch_.capacity->rule == policy::CapacityRule::limit) return;
  const auto preemptible = try_job([](Job& job) { job.preemptible = true; });
  if (!preemptible.helped()) return;
  found_.helps.push_back("make the job preemptible, which may go over the quota: it then " +
                         preemptible.where());
}

/// Labels, taints and requests, group by group.
void WhatHelps::change_nodes() {
  for (const auto& group : watch_.no_room->nodes) {
    std::string change;
    Tried tried;
    switch (group.reason) {
      case Reason::node_unschedulable:
        tried = try_pods([](Pod& pod) { tolerate(pod, "node.kubernetes.io/unschedulable"); });
        change = tried.helped()
                     ? "uncordon " + (tried.outcome.placements.empty() ? tried.outcome.held
                                                                       : tried.outcome.placements)
                                         .front()
                                         .node.get()
                     : "";
        break;
      case Reason::node_taint:
        tried = try_pods([&](Pod& pod) { tolerate(pod, key_of_taint(group.what)); });
        change = "let the pod tolerate the " + group.what;
        break;
      case Reason::node_selector:
        if (group.what.starts_with("label ")) {
          const auto label = group.what.substr(group.what.find(' ') + 1);
          const auto name = label.substr(0, label.find('='));
          tried = try_pods([&](Pod& pod) { pod.node_selector.erase(name); });
          change = fmt::format("drop {} from the pod's nodeSelector{}", label,
                               name == label_hostname ? "" : ", or label the node so");
        } else {
          tried = try_pods([](Pod& pod) { pod.required_node_affinity.reset(); });
          change = "drop the pod's required node affinity, or label the node so";
        }
        break;
      case Reason::node_resources:
        change_request(group);
        break;
      default:
        break;
    }
    if (tried.helped()) {
      found_.helps.push_back(fmt::format("{}: it then {}", change, tried.where()));
    }
  }
}

/// A plain gang of as many pods as there is room for.
void WhatHelps::start_with_fewer() {
  const auto found = watch_.no_room->found;
  if (found == 0 || watch_.no_room->no_domain || job_.gang.pod_sets.size() != 1) return;
  const auto& set = job_.gang.pod_sets.front();
  const auto minimum = static_cast<std::size_t>(std::max(set.min_member, 0));
  if (!job_.gang.sub_groups.empty() || found >= minimum) return;
  const auto tried = try_job(
      [&](Job& job) { job.gang.pod_sets.front().min_member = static_cast<std::int32_t>(found); });
  if (!tried.helped()) return;
  found_.helps.push_back(fmt::format("let the gang start with {} (its minimum is {}): it then {}",
                                     count_of(found, "pod"), minimum, tried.where()));
}

/// A request of a pod of one container as large as what the roomiest node has left.
void WhatHelps::change_request(const NodesAlike& group) {
  if (group.left <= 0) return;
  const auto amount = group.what == "cpu" ? Quantity::from_milli(group.left) : Quantity(group.left);
  bool alone = true;
  const auto tried = try_pods([&](Pod& pod) {
    alone = pod.containers.size() == 1 && pod.init_containers.empty() && !pod.pod_requests;
    if (alone) pod.containers.front().requests[group.what] = amount;
  });
  if (!alone || !tried.helped()) return;
  found_.helps.push_back(fmt::format("ask for at most {} of {}: it then {}", amount.to_string(),
                                     group.what, tried.where()));
}

}  // namespace dray::planner
