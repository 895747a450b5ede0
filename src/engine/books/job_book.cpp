#include "engine/books/job_book.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "dray/cluster/state.h"
#include "dray/engine/group_marks.h"
#include "dray/engine/share_wish.h"
#include "engine/books/lineage.h"
#include "engine/books/succeeded_members.h"
#include "engine/books/volcano_topology.h"

namespace dray::engine {
namespace {

/// A pod that is still there so long after it should be gone: nobody may count on its room (KAI's
/// --stuck-in-releasing-threshold).
constexpr Duration stuck_after = std::chrono::minutes(2);

std::int64_t task_priority(const Pod& pod) {
  const auto found = pod.meta.labels.find(kai_task_priority_label);
  std::int64_t value = 0;
  if (found == pod.meta.labels.end()) return value;
  const auto& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Time> bound_since(const Pod& pod) {
  const auto found = std::ranges::find(pod.conditions, "PodScheduled", &Condition::type);
  if (found == pod.conditions.end() || found->status != "True") return std::nullopt;
  return found->last_transition;
}

policy::PodSet* find_set(policy::SubGroup& group, const std::string& name) {
  for (auto& set : group.pod_sets) {
    if (set.name == name) return &set;
  }
  for (auto& sub : group.sub_groups) {
    if (auto* found = find_set(sub, name)) return found;
  }
  return nullptr;
}

bool alive(planner::MemberState state) {
  return state != planner::MemberState::done;
}

/// A part of a device is asked for in a claim, which cannot be added to a pod that is there.
std::optional<planner::NotReady> unsupported_marks(const Pod& pod) {
  if (pod.node_name || has_share_entry(pod)) return std::nullopt;
  const auto mark = asked_for_share_by(pod);
  if (mark.empty()) return std::nullopt;
  return planner::NotReady{Reason::unsupported,
                           mark +
                               ": the admission policy of manifests/shares.yaml was not there "
                               "when the pod was created"};
}

}  // namespace

void JobBook::set_policy(std::shared_ptr<const policy::Policy> policy, bool default_queue_only) {
  // The topologies that groups name, and no rule.
  const bool same =
      policy_ && policy_->config == policy->config && default_queue_only_ == default_queue_only;
  policy_ = std::move(policy);
  if (same) return;
  // Who made room for whom was right by the rules of then.
  remembered_.evicted.forget_beneficiaries();
  rules_ = {QueueUsers(policy_->config), GangRules(policy_->config)};
  default_queue_only_ = default_queue_only;
  for (const auto& [key, entry] : entries_) changed_.insert(key);
}

bool JobBook::observe(const KubeObject& object) {
  return groups_.observe(object);
}

bool JobBook::forget(Kind kind, const std::string& namespace_name, const std::string& name) {
  return groups_.forget(kind, namespace_name, name);
}

void JobBook::put(const std::shared_ptr<const Pod>& pod, Time now) {
  const auto& uid = pod->meta.uid;
  const auto found = pods_.find(uid);
  if (found != pods_.end()) {
    auto& known = found->second;
    const bool same_group = groups_.key_of(*pod) == known.key;
    if (same_group && bound_since(*known.pod) == bound_since(*pod) &&
        cluster::same_for_plans(*known.pod, *pod)) {
      return;
    }
    known.pod = pod;
    if (same_group) return touch(uid);
    erase(uid);
  }
  auto key = groups_.key_of(*pod);
  auto& entry = entries_[key];
  entry.key = key;
  entry.pods.insert(uid);
  unformed_.add(key, uid);
  changed_.insert(key);
  pods_[uid] = {pod, std::move(key), now};
}

void JobBook::erase(const Uid& pod) {
  const auto known = pods_.extract(pod);
  if (known.empty()) return;
  const auto& key = known.mapped().key;
  const auto entry = entries_.find(key);
  entry->second.pods.erase(pod);
  unformed_.erase(pod);
  if (!entry->second.pods.empty() || entry->second.job) {
    changed_.insert(key);
    return;
  }
  // Nobody was told of a job: a replica that stands by asks for none.
  unformed_.erase(key);
  changed_.erase(key);
  entries_.erase(entry);
}

void JobBook::touch(const Uid& pod) {
  const auto known = pods_.find(pod);
  if (known != pods_.end()) changed_.insert(known->second.key);
}

void JobBook::refresh(Time now) {
  wake_stuck(now);
  for (const auto& key : std::exchange(changed_, {})) {
    const auto entry = entries_.find(key);
    if (entry == entries_.end()) continue;
    make(entry->second, now);
    if (entry->second.not_ready) {
      unformed_.put(key, entry->second.pods, *entry->second.not_ready);
    } else {
      unformed_.erase(key);
    }
    if (entry->second.pods.empty()) entries_.erase(entry);
  }
}

const planner::JobList& JobBook::jobs(Time now) {
  refresh(now);
  return lists_.all();
}

const planner::JobList& JobBook::holders(Time now) {
  refresh(now);
  return lists_.holders();
}

void JobBook::wake_stuck(Time now) {
  while (!stuck_at_.empty() && stuck_at_.begin()->first <= now) {
    touch(stuck_at_.begin()->second);
    stuck_at_.erase(stuck_at_.begin());
  }
}

std::optional<Time> JobBook::next_change() const {
  if (stuck_at_.empty()) return std::nullopt;
  return stuck_at_.begin()->first;
}

GroupForm JobBook::form_alone(const Pod& pod) const {
  GroupForm form;
  form.uid = pod.meta.uid;
  form.created = pod.meta.created;
  form.root = planner::plain_gang(0, 1);
  form.root.topology = groups_.topology_by_marks(pod);
  return form;
}

std::expected<GroupForm, planner::NotReady> JobBook::form_of(const Entry& entry) const {
  std::vector<const Pod*> pods;
  pods.reserve(entry.pods.size());
  for (const auto& uid : entry.pods) pods.push_back(pods_.at(uid).pod.get());
  if (!entry.key.is_group()) return form_alone(*pods.front());
  const auto lives = std::ranges::find_if(
      pods, [](const Pod* pod) { return !pod->finished() && !pod->meta.deleted; });
  const auto& first = lives == pods.end() ? *pods.front() : **lives;
  auto form = groups_.form_of(entry.key, GroupPods(first, std::move(pods)));
  if (!form || !form->network_topology) return form;
  auto topology = volcano_constraint(*form->network_topology, policy_->config.topology);
  if (!topology) return std::unexpected(std::move(topology.error()));
  form->root.topology = *std::move(topology);
  return form;
}

void JobBook::make(Entry& entry, Time now) {
  entry.not_ready.reset();
  if (entry.pods.empty()) return replace(entry, nullptr);
  entry.not_ready = unsupported_marks(*pods_.at(*entry.pods.begin()).pod);
  if (entry.not_ready) return replace(entry, nullptr);
  const auto form = form_of(entry);
  if (!form) {
    entry.not_ready = form.error();
    return replace(entry, nullptr);
  }
  planner::Job job;
  job.uid = form->uid;
  job.gang = form->root;
  add_members(entry, job, now);
  if (form->counts_succeeded) leave_out_succeeded(job);
  if (WorkloadBook::owner_of(entry.key.source)) entry.minimum.settle(job);
  const auto some = std::ranges::any_of(
      job.members, [](const planner::Member& member) { return alive(member.state); });
  if (!some) return replace(entry, nullptr);
  const auto& lead = job.first();
  job.name = entry.key.is_group() && entry.key.source != GroupSource::owner
                 ? entry.key.namespace_name + "/" + entry.key.name
                 : lead.key().to_string();
  choose_queue(entry, job, form->queue);
  if (entry.not_ready) return replace(entry, nullptr);
  job.priority = form->priority.value_or(lead.priority);
  job.preemptible = form->preemptible.value_or(preemptible(lead, job.priority));
  job.may_evict = job.may_evict && lead.preemption_policy != "Never";
  job.evict_delay = form->evict_delay;
  job.stale_after = form->stale_after;
  job.created = form->created.value_or(lead.meta.created.value_or(now));
  set_times(entry, job);
  if (entry.job && *entry.job == job) return;
  replace(entry, std::make_shared<const planner::Job>(std::move(job)));
}

void JobBook::add_members(const Entry& entry, planner::Job& job, Time now) {
  std::vector<const Known*> members;
  members.reserve(entry.pods.size());
  for (const auto& uid : entry.pods) members.push_back(&pods_.at(uid));
  std::ranges::sort(members, {}, [](const Known* known) {
    return std::tuple(-task_priority(*known->pod), known->pod->meta.created.value_or(Time{}),
                      known->pod->key());
  });
  for (const auto* known : members) {
    const auto& pod = known->pod;
    auto view = view_(*pod);
    if (view.state == planner::MemberState::leaving) {
      const auto since = pod->meta.deleted.value_or(now);
      if (now >= since + stuck_after) {
        view.state = planner::MemberState::stuck;
      } else {
        stuck_at_.emplace(since + stuck_after, pod->meta.uid);
      }
    }
    job.promised = job.promised || view.promised;
    job.may_evict = job.may_evict && !view.denied;
    const auto name = groups_.set_of(entry.key, *pod);
    auto* set = find_set(job.gang, name);
    if (set == nullptr) {  // a pod of no part: above every minimum
      job.gang.pod_sets.push_back({.name = name, .min_member = 0, .topology = {}, .tasks = {}});
      set = &job.gang.pod_sets.back();
    }
    set->tasks.push_back({.id = static_cast<std::uint32_t>(job.members.size())});
    job.members.push_back({pod, view.state, std::move(view.node)});
  }
}

void JobBook::set_times(const Entry& entry, planner::Job& job) {
  job.queued = job.created;
  std::optional<Time> waiting_since;
  for (const auto& member : job.members) {
    const auto& known = pods_.at(member.pod->meta.uid);
    if (member.state == planner::MemberState::waiting) {
      const auto since = member.pod->meta.created.value_or(known.first_seen);
      if (!waiting_since || since < *waiting_since) waiting_since = since;
    } else if (member.state == planner::MemberState::placed) {
      const auto since = bound_since(*member.pod);
      if (since && (!job.started || *since < *job.started)) job.started = since;
    }
  }
  if (waiting_since) job.queued = std::max(job.queued, *waiting_since);
  job.lineage = lineage_of(entry.key, job.first());
  const bool controlled = !entry.key.is_group() && job.lineage != job.first().key().to_string();
  const auto made = controlled ? std::optional(job.created) : std::nullopt;
  if (const auto* past = remembered_.evicted.past_of(job.lineage, job.uid, made)) {
    job.evicted = past->evicted;
    job.evicted_for = past->evicted_for;
  }
  job.evictions_paused_until = remembered_.in_vain.paused_until(job.lineage);
  const auto stale = stale_since_.find(job.uid);
  if (stale != stale_since_.end()) job.stale_since = stale->second;
}

void JobBook::replace(Entry& entry, std::shared_ptr<const planner::Job> job) {
  if (entry.job == job) return;
  queue_counts_.replace(entry.job.get(), job.get());
  if (entry.job) {
    if (!job || job->uid != entry.job->uid)
      remembered_.evicted.gone(entry.job->lineage, entry.job->uid);
    lists_.changed(entry.job->uid);
    index_.erase(entry.job);
  }
  entry.job = std::move(job);
  if (!entry.job) return;
  lists_.changed(entry.job->uid);
  index_.put(entry.job);
}

std::shared_ptr<const planner::Job> JobBook::job_of(const Uid& pod) const {
  const auto known = pods_.find(pod);
  if (known == pods_.end()) return nullptr;
  const auto entry = entries_.find(known->second.key);
  return entry == entries_.end() ? nullptr : entry->second.job;
}

/// Keys of single pods come first.
bool JobBook::has_groups() const {
  return !entries_.empty() && entries_.rbegin()->first.is_group();
}

void JobBook::evicted(const planner::Job& job, const planner::Job* made_room_for, Time since,
                      Time now) {
  remembered_.evicted.evicted(job, made_room_for != nullptr ? made_room_for->lineage : "", since,
                              now + policy_->config.fairness.memory(), now);
  touch(job.first().meta.uid);
}

void JobBook::made_room_for(const Uid& job) {
  if (const auto found = find(job)) remembered_.in_vain.made_room(found->lineage);
}

void JobBook::place_refused(const Uid& pod, Time now) {
  const auto job = job_of(pod);
  if (job && remembered_.in_vain.refused(job->lineage, now)) touch(pod);
}

void JobBook::bound(const Uid& pod) {
  if (const auto job = job_of(pod)) remembered_.in_vain.bound(job->lineage);
}

void JobBook::set_stale(const std::vector<planner::StaleGang>& stale) {
  std::map<Uid, Time> next;
  for (const auto& gang : stale) next.emplace(gang.job, gang.since);
  const auto mark = [&](const Uid& job) {
    if (const auto found = find(job)) touch(found->first().meta.uid);
  };
  for (const auto& [job, since] : stale_since_) {
    if (!next.contains(job)) mark(job);
  }
  for (const auto& [job, since] : next) {
    const auto old = stale_since_.find(job);
    if (old == stale_since_.end() || old->second != since) mark(job);
  }
  stale_since_ = std::move(next);
}

}  // namespace dray::engine
