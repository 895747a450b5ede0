#include <algorithm>
#include <map>
#include <utility>

#include "dray/engine/group_marks.h"
#include "dray/model/workload_size.h"
#include "engine/books/group_book.h"
#include "engine/books/job_set_form.h"
#include "engine/books/owner_marks.h"
#include "engine/books/pod_mentions.h"

// GroupBook::form_of(): the objects of each project as one kind of group.

namespace dray::engine {
namespace {

using Form = std::expected<GroupForm, planner::NotReady>;

policy::SubGroup flat(std::int32_t minimum, policy::TopologyConstraint topology = {}) {
  policy::SubGroup root;
  root.topology = std::move(topology);
  root.pod_sets.push_back(
      {.name = default_pod_set, .min_member = minimum, .topology = {}, .tasks = {}});
  return root;
}

policy::TopologyConstraint constraint(const KaiTopologyConstraint& own,
                                      const std::string& inherited) {
  const bool any = !own.required.empty() || !own.preferred.empty();
  if (!any) return {};
  return {own.topology.empty() ? inherited : own.topology, own.required, own.preferred};
}

/// The parts of a group of KAI below `parent`: those that are parents, or count parts, are groups
/// again, the others sets of pods. `depth` ends a tree that is its own parent.
void add_parts(const KaiPodGroup& group, const std::string& parent, int depth,
               policy::SubGroup& into) {
  constexpr int deepest = 16;
  if (depth > deepest) return;
  for (const auto& part : group.sub_groups) {
    if (part.parent != parent || part.name.empty()) continue;
    const auto topology = constraint(part.topology, group.topology.topology);
    const bool is_parent = std::ranges::find(group.sub_groups, part.name, &KaiSubGroup::parent) !=
                           group.sub_groups.end();
    if (is_parent || part.min_sub_group) {
      policy::SubGroup sub;
      sub.name = part.name;
      sub.min_sub_group = part.min_sub_group;
      sub.topology = topology;
      add_parts(group, part.name, depth + 1, sub);
      into.sub_groups.push_back(std::move(sub));
    } else {
      into.pod_sets.push_back({.name = part.name,
                               .min_member = part.min_member.value_or(1),
                               .topology = topology,
                               .tasks = {}});
    }
  }
}

planner::NotReady not_there(const std::string& what, const JobKey& key) {
  return {Reason::gang_incomplete,
          what + " " + key.namespace_name + "/" + key.name + " does not exist"};
}

planner::NotReady unsupported(std::string what) {
  return {Reason::unsupported, std::move(what)};
}

/// Pods of one replica: what it says of its revision, else the set.
std::int32_t replica_size(const Workload& set, const Pod& pod) {
  const auto size = number_mark(pod.meta.annotations, leader_worker_size_annotation);
  return size.value_or(set.minimum);
}

/// A replica with subgroups that each agree in a node label (lws, getSubGroupIndex): where the
/// leader is one too many it is in the first.
void add_subgroups(const LeaderWorkerSubgroups& subgroups, std::int32_t pods,
                   policy::SubGroup& root) {
  const bool leader_is_extra = (pods - 1) % subgroups.size == 0;
  std::map<std::int32_t, std::int32_t> members;
  if (!subgroups.without_leader) ++members[0];
  for (std::int32_t worker = 1; worker < pods; ++worker) {
    ++members[(leader_is_extra ? worker - 1 : worker) / subgroups.size];
  }
  root.pod_sets.clear();
  if (subgroups.without_leader) {
    root.pod_sets.push_back(
        {.name = default_pod_set, .min_member = 1, .topology = {}, .tasks = {}});
  }
  const policy::TopologyConstraint together{subgroups.topology, subgroups.topology, ""};
  for (const auto& [index, count] : members) {
    root.pod_sets.push_back({.name = leader_worker_pod_set(std::to_string(index)),
                             .min_member = count,
                             .topology = together,
                             .tasks = {}});
  }
}

/// Whether a pod's owner creates it only after others of its group are ready or have a node.
bool is_late(const JobKey& key, const Workload& owner, const Pod& pod) {
  if (key.source == GroupSource::leader_worker_set) {
    return owner.leader_first && follows_leader(pod);
  }
  const auto part = std::pair(WorkloadBook::part_of(key, pod), 0);
  return std::ranges::find(owner.parts, part) != owner.parts.end();
}

}  // namespace

/// What groups of all projects say in the same way.
template <class Group>
GroupForm GroupBook::form_of_group(const Group& group) const {
  GroupForm form;
  form.uid = group.meta.uid;
  form.created = group.meta.created;
  if constexpr (requires { group.queue; }) form.queue = group.queue;
  form.priority = priority_of(group.priority_class);
  return form;
}

GroupForm GroupBook::form(const PodGroup& group) const {
  auto form = form_of_group(group);
  if (group.priority) form.priority = group.priority;
  policy::TopologyConstraint topology;
  if (!group.topology.empty()) topology = {group.topology.front(), group.topology.front(), ""};
  form.root = flat(group.min_count.value_or(1), std::move(topology));
  return form;
}

GroupForm GroupBook::form(const KaiPodGroup& group) const {
  auto form = form_of_group(group);
  if (group.preemptibility == "preemptible") form.preemptible = true;
  if (group.preemptibility == "non-preemptible") form.preemptible = false;
  form.evict_delay = group.preemption_delay;
  form.stale_after = group.staleness_grace_period;
  const auto topology = constraint(group.topology, "");
  if (group.sub_groups.empty()) {
    form.root = flat(group.min_member.value_or(1), topology);
    return form;
  }
  form.root.topology = topology;
  form.root.min_sub_group = group.min_sub_group;
  add_parts(group, "", 0, form.root);
  return form;
}

GroupForm GroupBook::form(const VolcanoGroup& group) const {
  auto form = form_of_group(group);
  form.network_topology = group.network_topology;
  form.root = flat(std::max(group.min_member, 1));
  return form;
}

GroupForm GroupBook::form(const CoschedulingGroup& group) const {
  GroupForm form;
  form.uid = group.meta.uid;
  form.created = group.meta.created;
  form.root = flat(std::max(group.min_member, 1));
  return form;
}

Form GroupBook::form(const JobSet& set, const JobKey& key, const GroupPods& pods) const {
  const auto whose = "JobSet " + set.meta.namespace_name + "/" + set.meta.name;
  if (auto wrong = wrong_min_member(set.meta.annotations, whose)) {
    return std::unexpected(unsupported(*std::move(wrong)));
  }
  for (const auto& job : set.jobs) {
    if (auto wrong = wrong_min_member(job.annotations, whose + "'s " + job.name)) {
      return std::unexpected(unsupported(*std::move(wrong)));
    }
  }
  GroupForm form;
  form.uid = key.part.empty() ? set.meta.uid : Uid(set.meta.uid.get() + "/" + key.part);
  form.created = set.meta.created;
  form.root = job_set_gang(set, key.part, pods, workloads_);
  form.root.topology = kai_topology(set.meta.annotations);
  form.counts_succeeded = false;
  return form;
}

Form GroupBook::form(const Workload& workload, const JobKey& key, const GroupPods& pods) const {
  if (!workload.problem.empty()) return std::unexpected(unsupported(workload.problem));
  GroupForm form;
  const bool replica = key.source == GroupSource::leader_worker_set;
  form.uid = replica ? Uid(workload.uid.get() + "/" + key.part) : workload.uid;
  form.created = workload.created;
  auto minimum = workload.minimum;
  if (workload.job && key.source == GroupSource::batch_job) {
    std::int32_t seen = 0;
    for (const auto& [owner, count] : pods.succeeded()) seen += count;
    minimum = std::max(1, std::min(minimum, workload.job->pods_left(seen)));
    form.counts_succeeded = false;
  }
  if (replica) minimum = replica_size(workload, pods.first);
  const bool has_topology = workload.topology != policy::TopologyConstraint();
  auto topology = has_topology ? workload.topology : topology_by_marks(pods.first);
  const bool workers = replica && workload.leader_first;
  form.root = flat(workers ? minimum - 1 : minimum, std::move(topology));
  if (workload.has_subgroups()) {
    add_subgroups(workload.subgroups, minimum, form.root);
  }
  if (workload.parts.empty()) return form;
  form.root.pod_sets.clear();
  for (const auto& [name, pods_of_part] : workload.parts) {
    form.root.pod_sets.push_back(
        {.name = name, .min_member = pods_of_part, .topology = {}, .tasks = {}});
  }
  return form;
}

Form GroupBook::form_by_object(const JobKey& key, const GroupPods& pods) const {
  const auto made = [&](const auto* group, const char* what) -> Form {
    if (group == nullptr) return std::unexpected(not_there(what, key));
    auto form = this->form(*group);
    leave_out_later(form.root, pods);
    return form;
  };
  if (key.source == GroupSource::pod_group) return made(find(pod_groups_, key), "PodGroup");
  if (key.source == GroupSource::kai) return made(find(kai_groups_, key), "KAI's PodGroup");
  if (key.source == GroupSource::volcano) {
    return made(find(volcano_groups_, key), "Volcano's PodGroup");
  }
  return made(find(coscheduling_groups_, key), "coscheduling's PodGroup");
}

/// A group that only its pods speak of.
Form GroupBook::form_by_marks(const JobKey& key, const Pod& first) const {
  GroupForm form;
  form.uid = Uid("group/" + key.namespace_name + "/" + key.name);
  std::int32_t minimum = 1;
  if (key.source == GroupSource::old_coscheduling) {
    minimum = number_mark(first.meta.labels, old_coscheduling_min_label).value_or(1);
  } else if (key.is_group()) {
    const auto whose = "Pod " + first.key().to_string();
    if (auto wrong = wrong_min_member(first.meta.annotations, whose)) {
      return std::unexpected(unsupported(*std::move(wrong)));
    }
    minimum = number_mark(first.meta.annotations, kai_min_member_annotation).value_or(1);
  }
  form.root = flat(minimum, topology_by_marks(first));
  return form;
}

Form GroupBook::form_of(const JobKey& key, const GroupPods& pods) const {
  switch (key.source) {
    case GroupSource::pod_group:
    case GroupSource::kai:
    case GroupSource::coscheduling:
    case GroupSource::volcano:
      return form_by_object(key, pods);
    case GroupSource::job_set:
      if (const auto* job_set = find(job_sets_, key)) return form(*job_set, key, pods);
      return std::unexpected(not_there("JobSet", key));
    case GroupSource::leader_worker_set:
    case GroupSource::ray_cluster:
    case GroupSource::training_job:
    case GroupSource::batch_job:
    case GroupSource::workload:
      if (const auto* workload = workloads_.find(key)) return form(*workload, key, pods);
      return std::unexpected(not_there(WorkloadBook::kind_name(key), key));
    case GroupSource::old_coscheduling:
    case GroupSource::owner:
    case GroupSource::none:
      break;
  }
  return form_by_marks(key, pods.first);
}

/// Minimums of a group that an object defines by itself count all of its pods, also those that
/// their controller creates only once others are ready or complete: these are not waited for.
void GroupBook::leave_out_later(policy::SubGroup& root, const GroupPods& pods) const {
  for (const auto& mention : mentions_of(pods.first)) {
    const bool of_all = std::ranges::all_of(pods.all, [&](const Pod* pod) {
      const auto others = mentions_of(*pod);
      return std::ranges::any_of(others, [&](const Mention& other) {
        return other.source == mention.source && other.name == mention.name &&
               other.part == mention.part;
      });
    });
    if (!of_all) continue;
    const JobKey key{mention.source, pods.first.meta.namespace_name, mention.name, mention.part};
    if (key.source == GroupSource::job_set) {
      if (const auto* set = find(job_sets_, key)) return leave_out_later_jobs(root, *set, pods);
    }
    const auto* owner = workloads_.find(key);
    if (owner == nullptr || root.pod_sets.size() != 1 || !root.sub_groups.empty()) continue;
    const bool late =
        std::ranges::any_of(pods.all, [&](const Pod* pod) { return is_late(key, *owner, *pod); });
    if (late) return;
    auto& minimum = root.pod_sets.front().min_member;
    if (owner->leader_first) minimum = std::min(minimum, 1);
    if (std::ranges::find(owner->parts, 0, &std::pair<std::string, std::int32_t>::second) ==
        owner->parts.end()) {
      continue;
    }
    std::int32_t first_ones = 0;
    for (const auto& [name, count] : owner->parts) first_ones += count;
    minimum = std::min(minimum, first_ones);
  }
}

std::vector<GroupBook::Owner> GroupBook::owners_of(const Pod& pod) const {
  std::vector<Owner> owners;
  for (const auto& mention : mentions_of(pod)) {
    const JobKey key{mention.source, pod.meta.namespace_name, mention.name, mention.part};
    if (key.source == GroupSource::job_set) {
      const auto* set = find(job_sets_, key);
      if (set != nullptr) owners.push_back({&set->meta.labels, &set->meta.annotations});
    } else if (WorkloadBook::owner_of(key.source)) {
      const auto* owner = workloads_.find(key);
      if (owner != nullptr) owners.push_back({&owner->marks.labels, &owner->marks.annotations});
    }
  }
  return owners;
}

policy::TopologyConstraint GroupBook::topology_by_marks(const Pod& pod) const {
  for (const auto& owner : owners_of(pod)) {
    if (has_kai_topology(*owner.annotations)) return kai_topology(*owner.annotations);
  }
  return kai_topology(pod.meta.annotations);
}

}  // namespace dray::engine
