#include "engine/books/group_book.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/books/group_marks.h"

namespace dray::engine {
namespace {

/// Empty where there is none.
std::string mark(const Labels& marks, const char* key) {
  const auto found = marks.find(key);
  return found == marks.end() ? "" : found->second;
}

std::optional<std::int32_t> number(const std::string& text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string controller_of(const Pod& pod) {
  const auto owner = std::ranges::find(pod.meta.owners, true, &OwnerReference::controller);
  return owner == pod.meta.owners.end() ? "" : owner->uid.get();
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

planner::NotReady not_there(const char* what, const JobKey& key) {
  return {Reason::gang_incomplete,
          std::string(what) + " " + key.namespace_name + "/" + key.name + " does not exist"};
}

}  // namespace

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

bool GroupBook::observe(const KubeObject& object) {
  if (const auto* group = std::get_if<PodGroup>(&object)) return keep(pod_groups_, *group);
  if (const auto* group = std::get_if<KaiPodGroup>(&object)) return keep(kai_groups_, *group);
  if (const auto* group = std::get_if<CoschedulingGroup>(&object)) {
    return keep(coscheduling_groups_, *group);
  }
  if (const auto* group = std::get_if<VolcanoGroup>(&object)) return keep(volcano_groups_, *group);
  if (const auto* job_set = std::get_if<JobSet>(&object)) return keep(job_sets_, *job_set);
  if (const auto* rank = std::get_if<PriorityClass>(&object)) return keep(priority_classes_, *rank);
  return false;
}

bool GroupBook::forget(Kind kind, const std::string& namespace_name, const std::string& name) {
  const std::pair key(namespace_name, name);
  switch (kind) {
    case Kind::pod_group:
      return pod_groups_.erase(key) > 0;
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
      return false;
  }
}

JobKey GroupBook::key_of(const Pod& pod) const {
  const auto& space = pod.meta.namespace_name;
  const JobKey alone{GroupSource::none, space, pod.meta.uid.get(), ""};
  if (pod.pod_group) {
    // A basic group only names its pods; each is placed by itself.
    const auto* group = pod_group(space, *pod.pod_group);
    if (group != nullptr && !group->min_count) return alone;
    return {GroupSource::pod_group, space, *pod.pod_group, ""};
  }
  const auto by = [&](GroupSource source, std::string name, std::string part = {}) {
    return JobKey{source, space, std::move(name), std::move(part)};
  };
  const auto& labels = pod.meta.labels;
  const auto& annotations = pod.meta.annotations;
  if (auto name = mark(annotations, kai_group_annotation); !name.empty()) {
    return by(GroupSource::kai, std::move(name));
  }
  if (auto name = mark(labels, coscheduling_label); !name.empty()) {
    return by(GroupSource::coscheduling, std::move(name));
  }
  if (auto name = mark(labels, old_coscheduling_label); !name.empty()) {
    return by(GroupSource::old_coscheduling, std::move(name));
  }
  if (auto name = mark(annotations, volcano_annotation); !name.empty()) {
    return by(GroupSource::volcano, std::move(name));
  }
  if (auto name = mark(labels, job_set_label); !name.empty()) {
    const auto found = job_sets_.find({space, name});
    const bool in_order = found != job_sets_.end() && found->second.in_order;
    return by(GroupSource::job_set, std::move(name),
              in_order ? mark(labels, replicated_job_label) : "");
  }
  if (annotations.contains(kai_min_member_annotation)) {
    if (auto owner = controller_of(pod); !owner.empty()) {
      return by(GroupSource::owner, std::move(owner));
    }
  }
  return alone;
}

std::string GroupBook::set_of(const JobKey& key, const Pod& pod) {
  std::string name;
  if (key.source == GroupSource::kai) name = mark(pod.meta.labels, kai_subgroup_label);
  if (key.source == GroupSource::job_set) name = mark(pod.meta.labels, replicated_job_label);
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
  for (const auto& [key, group] : pod_groups_) {
    keys.insert(group.topology.begin(), group.topology.end());
  }
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
    case GroupSource::owner:
    case GroupSource::none:
      break;
  }
  const auto minimum = number(mark(first.meta.annotations, kai_min_member_annotation));
  return form_by_marks(key, first, key.is_group() ? minimum.value_or(1) : 1);
}

}  // namespace dray::engine
