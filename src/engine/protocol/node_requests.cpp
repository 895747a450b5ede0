#include "engine/protocol/node_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

namespace dray::engine {
namespace {

/// Which job a request is for, and which of its requests it is.
constexpr const char* job_annotation = "dray.dev/job";
constexpr const char* attempt_annotation = "dray.dev/attempt";
constexpr const char* managed_label = "app.kubernetes.io/managed-by";
constexpr const char* manager = "dray";

constexpr Duration write_retry = std::chrono::seconds(5);
/// As Kueue's: a minute after the first request that came to nothing, then twice as long each time.
constexpr Duration first_pause = std::chrono::minutes(1);
constexpr Duration longest_pause = std::chrono::minutes(30);
/// Of a name that still needs a hash, a number and what a template adds.
constexpr std::size_t longest_name = 200;

Duration pause_after(std::uint32_t attempt) {
  Duration pause = first_pause;
  for (std::uint32_t i = 1; i < attempt && pause < longest_pause; ++i) pause *= 2;
  return std::min(pause, longest_pause);
}

/// FNV-1a: the same in every run and build.
std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// `train-0a1b2c3d-1`: the job's name, for people; another for each job and each attempt.
std::string request_name(const planner::Job& job, std::uint32_t attempt) {
  auto name = job.name.substr(job.name.find('/') + 1);
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  std::ranges::replace_if(name, [&](char c) { return !fits(c); }, '-');
  const auto begin = name.find_first_not_of('-');
  name = begin == std::string::npos ? std::string("gang") : name.substr(begin, longest_name);
  return fmt::format("{}-{:08x}-{}", name, hash_of(job.uid.get()), attempt);
}

/// What an autoscaler simulates is alike.
bool alike(const Pod& a, const Pod& b) {
  const PodRequirements& left = a;
  const PodRequirements& right = b;
  return left == right && a.resource_claims == b.resource_claims &&
         a.priority_class == b.priority_class && a.service_account == b.service_account;
}

struct PodSet {
  std::shared_ptr<const Pod> example;
  std::int32_t count = 0;
};

std::vector<PodSet> waiting_pods(const planner::Job& job) {
  std::vector<PodSet> sets;
  for (const auto& member : job.members) {
    if (!planner::waits(member.state)) continue;
    const auto same = std::ranges::find_if(
        sets, [&](const PodSet& set) { return alike(*set.example, *member.pod); });
    auto& set = same == sets.end() ? sets.emplace_back(member.pod, 0) : *same;
    ++set.count;
  }
  return sets;
}

/// Who the request ends with: the owner of the pods, else the first of them.
OwnerReference owner_of(const Pod& pod) {
  if (!pod.meta.owners.empty()) {
    auto owner = pod.meta.owners.front();
    owner.controller = false;
    return owner;
  }
  return {.api_version = "v1", .kind = "Pod", .name = pod.meta.name, .uid = pod.meta.uid};
}

RequestNodes request_for(const planner::Job& job, const std::vector<PodSet>& sets,
                         const policy::Provisioning& rule, std::uint32_t attempt) {
  const auto& first = *sets.front().example;
  RequestNodes wanted;
  auto& request = wanted.request;
  request.meta.namespace_name = first.meta.namespace_name;
  request.meta.name = request_name(job, attempt);
  request.meta.labels = {{managed_label, manager}};
  request.meta.annotations = {{job_annotation, job.uid.get()},
                              {attempt_annotation, std::to_string(attempt)}};
  request.meta.owners.push_back(owner_of(first));
  request.class_name = rule.class_name;
  request.parameters = rule.parameters;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    request.pod_sets.push_back({fmt::format("{}-{}", request.meta.name, i), sets[i].count});
    wanted.examples.push_back({sets[i].example->key(), sets[i].example->meta.uid});
  }
  return wanted;
}

/// Of a request of dray's: for which job. Whoever writes in a namespace can say so of jobs there.
std::optional<Uid> job_of(const ProvisioningRequest& request) {
  const auto label = request.meta.labels.find(managed_label);
  if (label == request.meta.labels.end() || label->second != manager) return std::nullopt;
  const auto job = request.meta.annotations.find(job_annotation);
  if (job == request.meta.annotations.end()) return std::nullopt;
  return Uid(job->second);
}

std::uint32_t attempt_of(const ProvisioningRequest& request) {
  std::uint32_t attempt = 1;
  const auto mark = request.meta.annotations.find(attempt_annotation);
  if (mark == request.meta.annotations.end()) return attempt;
  const auto& text = mark->second;
  std::from_chars(text.data(), text.data() + text.size(), attempt);
  return attempt;
}

/// Why nothing more comes of it, or null.
const Condition* end_of(const ProvisioningRequest& request) {
  for (const auto type :
       {failed_condition, capacity_revoked_condition, booking_expired_condition}) {
    if (const auto* found = request.condition(type)) return found;
  }
  return nullptr;
}

RecordEvent told(const Pod& pod, bool warning, const char* reason, std::string note) {
  return {.pod = pod.key(),
          .uid = pod.meta.uid,
          .event = {.type = warning ? "Warning" : "Normal",
                    .reason = reason,
                    .action = "Provisioning",
                    .note = std::move(note)}};
}

}  // namespace

Commands NodeRequests::put(const ProvisioningRequest& request, Time now) {
  Commands out;
  const auto uid = job_of(request);
  if (!uid) return out;
  const auto job = find_job_(*uid);
  // Its pods are in one namespace; a request elsewhere is somebody else's.
  if (job && job->first().meta.namespace_name != request.meta.namespace_name) return out;
  const ProvisioningKey key{request.meta.namespace_name, request.meta.name};
  const auto attempt = attempt_of(request);
  auto& asked = asked_[*uid];
  if (!asked.key.name.empty() && asked.key != key && attempt < asked.attempt) return out;
  if (asked.key != key) {
    asked = Asked();
    asked.key = key;
  }
  asked.uid = request.meta.uid;
  asked.attempt = attempt;
  asked.leaving = asked.leaving || request.meta.deleted.has_value();
  const auto before = std::exchange(asked.state, State::pending);
  if (const auto* end = end_of(request)) {
    asked.state = State::over;
    asked.retry_at = end->last_transition.value_or(now) + pause_after(attempt);
    if (before != State::over && job) {
      out.emplace_back(Send{
          told(job->first(), true, "NodesNotProvisioned",
               fmt::format("ProvisioningRequest {}: {}: {}", key.name, end->type, end->message)),
          ForNothing{}});
    }
  } else if (request.condition(provisioned_condition) != nullptr) {
    asked.state = State::provisioned;
    asked.marks = {{consume_request_annotation, key.name},
                   {provisioning_class_annotation, request.class_name}};
  }
  if (asked.state != before) out.emplace_back(PlanNow{});
  return out;
}

Commands NodeRequests::erase(const ProvisioningKey& key) {
  Commands out;
  for (auto it = asked_.begin(); it != asked_.end(); ++it) {
    auto& asked = it->second;
    if (asked.key != key || asked.uid.get().empty()) continue;
    if (find_job_(it->first)) {
      // The number of attempts outlives it.
      Asked next;
      next.attempt = asked.attempt + (asked.state == State::over ? 1 : 0);
      next.retry_at = asked.retry_at;
      asked = std::move(next);
    } else {
      asked_.erase(it);
    }
    out.emplace_back(PlanNow{});
    break;
  }
  return out;
}

Commands NodeRequests::ask(const planner::Job& job, const policy::Provisioning& rule, Time now) {
  Commands out;
  auto& asked = asked_[job.uid];
  if (asked.under_way || asked.leaving) return out;
  const bool over = asked.state == State::over;
  if (asked.complete && !over) return out;
  if (now < asked.retry_at) {
    out.emplace_back(PlanAt{asked.retry_at});
    return out;
  }
  if (over) {
    drop(job.uid, asked, out);
    return out;
  }
  const auto sets = waiting_pods(job);
  if (sets.empty()) return out;
  if (sets.size() > max_pod_sets) {
    asked.retry_at = now + longest_pause;
    out.emplace_back(
        Send{told(job.first(), true, "NodesNotRequested",
                  fmt::format("its pods are of {} kinds, and a ProvisioningRequest can have {}",
                              sets.size(), max_pod_sets)),
             ForNothing{}});
    return out;
  }
  auto wanted = request_for(job, sets, rule, asked.attempt);
  asked.key = {wanted.request.meta.namespace_name, wanted.request.meta.name};
  asked.under_way = true;
  out.emplace_back(Send{std::move(wanted), ForNodes{job.uid}});
  return out;
}

bool NodeRequests::asks_for(const Uid& job) const {
  const auto found = asked_.find(job);
  return found != asked_.end() && !found->second.key.name.empty() &&
         found->second.state != State::over;
}

const Labels* NodeRequests::provisioned(const Uid& job) const {
  const auto found = asked_.find(job);
  if (found == asked_.end() || found->second.state != State::provisioned) return nullptr;
  return &found->second.marks;
}

Commands NodeRequests::step(const Uid& job, const WriteOutcome& outcome, Time now) {
  Commands out;
  const auto found = asked_.find(job);
  if (found == asked_.end()) return out;
  auto& asked = found->second;
  if (!std::exchange(asked.under_way, false)) return out;
  if (asked.leaving) {
    // The watch shows it gone; where that failed it is tried again.
    asked.leaving = outcome.has_value() || outcome.error().code == ErrorCode::conflict;
    if (!asked.leaving) out.emplace_back(PlanAt{now + write_retry});
    return out;
  }
  const auto known = find_job_(job);
  if (outcome) {
    if (!std::exchange(asked.complete, true) && known) {
      out.emplace_back(
          Send{told(known->first(), false, "NodesRequested",
                    fmt::format("ProvisioningRequest {} asks for nodes", asked.key.name)),
               ForNothing{}});
    }
    return out;
  }
  if (known && asked.uid.get().empty()) {
    out.emplace_back(Send{told(known->first(), true, "NodesNotRequested", outcome.error().message),
                          ForNothing{}});
  }
  const auto code = outcome.error().code;
  if (code == ErrorCode::conflict && !asked.uid.get().empty()) {
    // It is there, and was asked for other pods, before those that have their place by now.
    asked.complete = true;
    return out;
  }
  // Another has the name: the next attempt's is free. What is refused stays so for a while.
  if (code == ErrorCode::conflict) ++asked.attempt;
  const bool soon = code == ErrorCode::conflict || code == ErrorCode::unavailable;
  asked.retry_at = now + (soon ? write_retry : first_pause);
  if (asked.uid.get().empty()) asked.key = {};
  out.emplace_back(PlanAt{asked.retry_at});
  return out;
}

/// Nobody of the job waits for a node: all are bound, over or gone.
bool NodeRequests::needed(const Uid& job) const {
  const auto found = find_job_(job);
  return found && std::ranges::any_of(found->members, [](const planner::Member& member) {
           return member.state != planner::MemberState::done && !member.pod->node_name;
         });
}

void NodeRequests::drop(const Uid& job, Asked& asked, Commands& out) {
  if (asked.uid.get().empty() || asked.under_way || asked.leaving) return;
  asked.leaving = true;
  asked.under_way = true;
  out.emplace_back(Send{WithdrawNodes{asked.key, asked.uid}, ForNodes{job}});
}

Commands NodeRequests::settle(bool wanted) {
  Commands out;
  for (auto it = asked_.begin(); it != asked_.end();) {
    auto& [job, asked] = *it;
    if (wanted && needed(job)) {
      ++it;
    } else if (asked.uid.get().empty() && !asked.under_way) {
      it = asked_.erase(it);
    } else {
      drop(job, asked, out);
      ++it;
    }
  }
  return out;
}

void NodeRequests::reset() {
  for (auto it = asked_.begin(); it != asked_.end();) {
    auto& asked = it->second;
    asked.under_way = asked.leaving = asked.complete = false;
    it = asked.uid.get().empty() ? asked_.erase(it) : std::next(it);
  }
}

}  // namespace dray::engine
