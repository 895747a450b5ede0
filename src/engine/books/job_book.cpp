#include "engine/books/job_book.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "dray/cluster/state.h"
#include "dray/engine/group_marks.h"
#include "dray/engine/pod_queue.h"
#include "dray/engine/share_wish.h"
#include "engine/books/lineage.h"

namespace dray::engine {
namespace {

/// A pod that is still there so long after it should be gone: nobody may count on its room (KAI's
/// --stuck-in-releasing-threshold).
constexpr Duration stuck_after = std::chrono::minutes(2);

/// KAI's rule where queues are KAI's: from this priority on, a job is not preemptible by itself.
constexpr std::int32_t kai_non_preemptible_from = 100;
/// Of pods that the cluster cannot do without (scheduling.SystemCriticalPriority).
constexpr std::int32_t system_critical_priority = 2'000'000'000;

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

GroupForm JobBook::form_alone(const Pod& pod) {
  GroupForm form;
  form.uid = pod.meta.uid;
  form.created = pod.meta.created;
  form.root = planner::plain_gang(0, 1);
  return form;
}

void JobBook::make(Entry& entry, Time now) {
  entry.not_ready.reset();
  if (entry.pods.empty()) return replace(entry, nullptr);
  const auto& first = *pods_.at(*entry.pods.begin()).pod;
  entry.not_ready = unsupported_marks(first);
  if (entry.not_ready) return replace(entry, nullptr);
  const auto form = entry.key.is_group()
                        ? groups_.form_of(entry.key, first)
                        : std::expected<GroupForm, planner::NotReady>(form_alone(first));
  if (!form) {
    entry.not_ready = form.error();
    return replace(entry, nullptr);
  }
  planner::Job job;
  job.uid = form->uid;
  job.gang = form->root;
  add_members(entry, job, now);
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

/// A job that runs stays in its queue, whatever its labels say by now, as long as the policy is the
/// same. One that waits must be allowed to be there.
void JobBook::choose_queue(Entry& entry, planner::Job& job, const std::string& of_group) const {
  const bool same_policy =
      entry.queued_by == policy_ || (entry.queued_by && entry.queued_by->config == policy_->config);
  const bool runs = std::ranges::any_of(job.members, [](const planner::Member& member) {
    return member.state == planner::MemberState::placed && member.pod->node_name;
  });
  if (entry.job && runs && same_policy) {
    job.queue = entry.job->queue;
    return;
  }
  entry.queued_by = policy_;
  const auto& lead = job.first();
  const auto queue = default_queue_only_ ? std::string(policy::default_queue)
                                         : (of_group.empty() ? queue_of(lead) : of_group);
  job.queue = policy::QueueName(queue);
  if (runs || default_queue_only_) return;
  for (const auto& member : job.members) {
    if (!alive(member.state) || rules_.users.allows(queue, *member.pod)) continue;
    entry.not_ready = planner::NotReady{
        Reason::queue_missing, "queue " + queue + " is not for namespace " +
                                   member.pod->meta.namespace_name + " or its service account (" +
                                   "the policy's queues[].namespaces and serviceAccounts)"};
    return;
  }
}

policy::QueueName JobBook::queue_for(const Pod& pod) const {
  return policy::QueueName(default_queue_only_ ? std::string(policy::default_queue)
                                               : queue_of(pod));
}

bool JobBook::may_be_gang(const Pod& pod, policy::GangOwner owner) const {
  return rules_.gangs.allows(default_queue_only_ ? "" : queue_of(pod), owner);
}

std::string JobBook::queue_of(const Pod& pod) const {
  return engine::queue_of(policy_->config.pod_queues, pod);
}

bool JobBook::preemptible(const Pod& pod, std::int32_t priority) const {
  const auto label = pod.meta.labels.find(kai_preemptibility_label);
  if (label != pod.meta.labels.end()) return label->second != "non-preemptible";
  if (priority >= system_critical_priority) return false;
  const bool kai = policy_->config.queues_from == policy::QueueSource::kai;
  return !kai || priority < kai_non_preemptible_from;
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
