#include "engine/books/group_book.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "dray/engine/group_marks.h"
#include "engine/books/pod_mentions.h"

namespace dray::engine {
namespace {

std::optional<std::int32_t> number(const std::string& text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

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

std::int32_t pods_of(const ReplicatedJob& job) {
  const auto parallelism = job.parallelism.value_or(1);
  const auto each = job.completions ? std::min(parallelism, *job.completions) : parallelism;
  return job.replicas * each;
}

GroupForm form_of_job_set(const JobSet& job_set, const std::string& part) {
  GroupForm form;
  form.uid = part.empty() ? job_set.meta.uid : Uid(job_set.meta.uid.get() + "/" + part);
  form.created = job_set.meta.created;
  for (const auto& job : job_set.jobs) {
    if (!part.empty() && job.name != part) continue;
    form.root.pod_sets.push_back(
        {.name = job.name, .min_member = pods_of(job), .topology = {}, .tasks = {}});
  }
  return form;
}

/// A group that only its pods speak of.
GroupForm form_by_marks(const JobKey& key, const Pod& first, std::int32_t minimum) {
  GroupForm form;
  form.uid = Uid("group/" + key.namespace_name + "/" + key.name);
  policy::TopologyConstraint topology{mark(first.meta.annotations, kai_topology_annotation),
                                      mark(first.meta.annotations, kai_required_level_annotation),
                                      mark(first.meta.annotations, kai_preferred_level_annotation)};
  form.root = flat(minimum, std::move(topology));
  return form;
}

planner::NotReady not_there(const std::string& what, const JobKey& key) {
  return {Reason::gang_incomplete,
          what + " " + key.namespace_name + "/" + key.name + " does not exist"};
}

}  // namespace

GroupBook::GroupBook()
    : GroupBook([](const Pod&, policy::GangOwner owner) { return GangRules().allows("", owner); }) {
}

template <class T>
bool GroupBook::keep(Table<T>& table, const T& object) {
  auto [place, added] = table.try_emplace({object.meta.namespace_name, object.meta.name}, object);
  if (added) return true;
  auto next = object;
  next.meta.resource_version = place->second.meta.resource_version;
  if (next == place->second) return false;
  place->second = object;
  return true;
}

bool GroupBook::keep_pod_group(const PodGroup& group) {
  const auto* known = pod_group(group.meta.namespace_name, group.meta.name);
  const auto before = known == nullptr ? std::vector<std::string>() : known->topology;
  if (!keep(pod_groups_, group)) return false;
  count_topology(before, false);
  count_topology(group.topology, true);
  return true;
}

bool GroupBook::forget_pod_group(const std::pair<std::string, std::string>& key) {
  const auto gone = pod_groups_.extract(key);
  if (gone.empty()) return false;
  count_topology(gone.mapped().topology, false);
  return true;
}

void GroupBook::count_topology(const std::vector<std::string>& labels, bool more) {
  for (const auto& label : labels) {
    auto& uses = topology_uses_[label];
    uses += more ? 1 : -1;
    if (uses == (more ? 1 : 0)) ++topology_version_;
    if (uses == 0) topology_uses_.erase(label);
  }
}

bool GroupBook::observe(const KubeObject& object) {
  if (const auto* group = std::get_if<PodGroup>(&object)) return keep_pod_group(*group);
  if (const auto* group = std::get_if<KaiPodGroup>(&object)) return keep(kai_groups_, *group);
  if (const auto* group = std::get_if<CoschedulingGroup>(&object)) {
    return keep(coscheduling_groups_, *group);
  }
  if (const auto* group = std::get_if<VolcanoGroup>(&object)) return keep(volcano_groups_, *group);
  if (const auto* job_set = std::get_if<JobSet>(&object)) return keep(job_sets_, *job_set);
  if (const auto* rank = std::get_if<PriorityClass>(&object)) return keep(priority_classes_, *rank);
  return workloads_.observe(object);
}

bool GroupBook::forget(Kind kind, const std::string& namespace_name, const std::string& name) {
  const std::pair key(namespace_name, name);
  switch (kind) {
    case Kind::pod_group:
      return forget_pod_group(key);
    case Kind::kai_pod_group:
      return kai_groups_.erase(key) > 0;
    case Kind::coscheduling_group:
      return coscheduling_groups_.erase(key) > 0;
    case Kind::volcano_group:
      return volcano_groups_.erase(key) > 0;
    case Kind::job_set:
      return job_sets_.erase(key) > 0;
    case Kind::priority_class:
      return priority_classes_.erase(key) > 0;
    default:
      return workloads_.forget(kind, namespace_name, name);
  }
}

std::set<std::string> GroupBook::group_names(const Pod& pod) {
  std::set<std::string> names;
  for (auto& mention : mentions_of(pod)) {
    if (mention.source != GroupSource::owner) names.insert(std::move(mention.name));
  }
  return names;
}

JobKey GroupBook::key_of(const Pod& pod) const {
  const auto& space = pod.meta.namespace_name;
  for (auto& [source, name, part] : mentions_of(pod)) {
    JobKey key{source, space, std::move(name), std::move(part)};
    if (source == GroupSource::pod_group) {
      // A basic group only names its pods; each is placed by itself. One that is not there is
      // waited for, unless the Workload that it would be made from says as much.
      const auto* group = pod_group(space, key.name);
      if (group == nullptr && said_by_workload(pod)) continue;
      if (group != nullptr && !group->min_count) break;
    } else if (source == GroupSource::workload) {
      const auto* workload = workloads_.find(key);
      if (workload == nullptr) continue;
      if (workload->says == Workload::Says::single) break;
    } else if (!is_gang(key, pod)) {
      continue;
    }
    if (source == GroupSource::job_set) {
      const auto* found = find(job_sets_, key);
      if (found != nullptr && found->in_order)
        key.part = mark(pod.meta.labels, replicated_job_label);
    }
    return key;
  }
  return {GroupSource::none, space, pod.meta.uid.get(), ""};
}

bool GroupBook::said_by_workload(const Pod& pod) const {
  const auto mentions = mentions_of(pod);
  const auto found = std::ranges::find(mentions, GroupSource::workload, &Mention::source);
  return found != mentions.end() && workloads_.find({GroupSource::workload, pod.meta.namespace_name,
                                                     found->name, found->part}) != nullptr;
}

std::string GroupBook::spoken_of_as(Kind kind, const std::string& namespace_name,
                                    const std::string& name) const {
  return kind == Kind::workload ? workloads_.controller_of(namespace_name, name) : name;
}

/// What is said on purpose is; an owner's pods are where it says so, else where their queue does.
bool GroupBook::is_gang(const JobKey& key, const Pod& pod) const {
  const auto owner = WorkloadBook::owner_of(key.source);
  if (!owner) return true;
  const auto* workload = workloads_.find(key);
  if (workload != nullptr && workload->says != Workload::Says::nothing) {
    return workload->says == Workload::Says::gang;
  }
  return gangs_(pod, *owner);
}

std::string GroupBook::set_of(const JobKey& key, const Pod& pod) const {
  std::string name;
  if (key.source == GroupSource::kai) name = mark(pod.meta.labels, kai_subgroup_label);
  if (key.source == GroupSource::job_set) name = mark(pod.meta.labels, replicated_job_label);
  const auto* workload = workloads_.find(key);
  if (workload != nullptr && !workload->parts.empty()) name = WorkloadBook::part_of(key, pod);
  return name.empty() ? default_pod_set : name;
}

template <class T>
const T* GroupBook::find(const Table<T>& table, const JobKey& key) {
  const auto found = table.find({key.namespace_name, key.name});
  return found == table.end() ? nullptr : &found->second;
}

const PodGroup* GroupBook::pod_group(const std::string& namespace_name,
                                     const std::string& name) const {
  const auto found = pod_groups_.find({namespace_name, name});
  return found == pod_groups_.end() ? nullptr : &found->second;
}

std::optional<std::int32_t> GroupBook::priority_of(const std::string& class_name) const {
  const auto found = priority_classes_.find({"", class_name});
  if (class_name.empty() || found == priority_classes_.end()) return std::nullopt;
  return found->second.value;
}

std::set<std::string> GroupBook::topology_keys() const {
  std::set<std::string> keys;
  for (const auto& [label, uses] : topology_uses_) keys.insert(keys.end(), label);
  return keys;
}

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
  form.root = flat(std::max(group.min_member, 1));
  return form;
}

GroupForm GroupBook::form(const Workload& workload, const JobKey& key) {
  GroupForm form;
  const bool replica = key.source == GroupSource::leader_worker_set;
  form.uid = replica ? Uid(workload.uid.get() + "/" + key.part) : workload.uid;
  form.created = workload.created;
  const auto& label = workload.topology;
  form.root = flat(workload.minimum, label.empty() ? policy::TopologyConstraint()
                                                   : policy::TopologyConstraint{label, label, ""});
  if (workload.parts.empty()) return form;
  form.root.pod_sets.clear();
  for (const auto& [name, minimum] : workload.parts) {
    form.root.pod_sets.push_back(
        {.name = name, .min_member = minimum, .topology = {}, .tasks = {}});
  }
  return form;
}

std::expected<GroupForm, planner::NotReady> GroupBook::form_of(const JobKey& key,
                                                               const Pod& first) const {
  switch (key.source) {
    case GroupSource::pod_group:
      if (const auto* group = find(pod_groups_, key)) return form(*group);
      return std::unexpected(not_there("PodGroup", key));
    case GroupSource::kai:
      if (const auto* group = find(kai_groups_, key)) return form(*group);
      return std::unexpected(not_there("KAI's PodGroup", key));
    case GroupSource::coscheduling: {
      const auto* group = find(coscheduling_groups_, key);
      if (group == nullptr) return std::unexpected(not_there("coscheduling's PodGroup", key));
      GroupForm form;
      form.uid = group->meta.uid;
      form.created = group->meta.created;
      form.root = flat(std::max(group->min_member, 1));
      return form;
    }
    case GroupSource::volcano:
      if (const auto* group = find(volcano_groups_, key)) return form(*group);
      return std::unexpected(not_there("Volcano's PodGroup", key));
    case GroupSource::job_set:
      if (const auto* job_set = find(job_sets_, key)) return form_of_job_set(*job_set, key.part);
      return std::unexpected(not_there("JobSet", key));
    case GroupSource::old_coscheduling:
      return form_by_marks(key, first,
                           number(mark(first.meta.labels, old_coscheduling_min_label)).value_or(1));
    case GroupSource::leader_worker_set:
    case GroupSource::ray_cluster:
    case GroupSource::training_job:
    case GroupSource::batch_job:
    case GroupSource::workload:
      if (const auto* workload = workloads_.find(key)) return form(*workload, key);
      return std::unexpected(not_there(WorkloadBook::kind_name(key), key));
    case GroupSource::owner:
    case GroupSource::none:
      break;
  }
  const auto minimum = number(mark(first.meta.annotations, kai_min_member_annotation));
  return form_by_marks(key, first, key.is_group() ? minimum.value_or(1) : 1);
}

}  // namespace dray::engine
