#include "engine/books/group_book.h"

#include <algorithm>
#include <utility>

#include "dray/engine/group_marks.h"
#include "engine/books/job_set_form.h"
#include "engine/books/pod_mentions.h"

namespace dray::engine {

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
  const auto& meta = meta_of(object);
  const auto labels = [&] {
    return topology_labels(kind_of(object), meta.namespace_name, meta.name);
  };
  const auto before = labels();
  if (!workloads_.observe(object)) return false;
  count_topology(before, false);
  count_topology(labels(), true);
  return true;
}

/// Node labels that an owner of pods names as a topology of its own.
std::vector<std::string> GroupBook::topology_labels(Kind kind, const std::string& namespace_name,
                                                    const std::string& name) const {
  std::vector<std::string> labels;
  const auto* workload = workloads_.object(kind, namespace_name, name);
  if (workload == nullptr) return labels;
  const auto& whole = workload->topology;
  if (!whole.topology.empty() && whole.topology == whole.required) labels.push_back(whole.required);
  if (workload->has_subgroups()) labels.push_back(workload->subgroups.topology);
  return labels;
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
    default: {
      const auto labels = topology_labels(kind, namespace_name, name);
      if (!workloads_.forget(kind, namespace_name, name)) return false;
      count_topology(labels, false);
      return true;
    }
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
      if (found != nullptr) key.part = job_set_part(*found, pod);
    }
    if (source == GroupSource::leader_worker_set) {
      const auto* set = workloads_.find(key);
      // The leader starts alone; its workers are a gang, which is created once it is ready.
      if (set != nullptr && set->leader_first && !follows_leader(pod)) break;
      if (set != nullptr && set->leader_first) key.part += "/workers";
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
  if (key.source == GroupSource::job_set) {
    const auto* set = find(job_sets_, key);
    name =
        set == nullptr ? mark(pod.meta.labels, replicated_job_label) : job_set_pod_set(*set, pod);
  }
  const auto* workload = workloads_.find(key);
  if (workload != nullptr && workload->has_subgroups()) {
    const auto index = mark(pod.meta.labels, leader_worker_subgroup_label);
    if (!index.empty()) name = leader_worker_pod_set(index);
  }
  if (workload != nullptr && !workload->parts.empty()) name = WorkloadBook::part_of(key, pod);
  return name.empty() ? default_pod_set : name;
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

}  // namespace dray::engine
