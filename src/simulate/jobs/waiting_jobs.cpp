#include "simulate/jobs/waiting_jobs.h"

#include <algorithm>
#include <utility>

#include "dray/cluster/node_facts.h"
#include "simulate/jobs/cluster_objects.h"
#include "simulate/place/setting.h"

namespace dray::simulate {
namespace {

/// A policy without the trace's queues has one for all.
policy::QueueName policy_queue(const TraceJob& job, const policy::Policy& policy) {
  const bool known = policy.queues.find(job.queue).has_value();
  return policy::QueueName(known ? job.queue : std::string(policy::default_queue));
}

}  // namespace

WaitingJobs::WaitingJobs(const Setting& setting, const policy::Policy& policy,
                         const JobsOptions& options)
    : setting_(setting), all_(options.show_all), places_(setting.workload().jobs.size()) {
  const auto& jobs = setting.workload().jobs;
  std::map<std::tuple<policy::QueueName, ShapeIndex, std::int32_t, std::optional<Duration>>,
           std::size_t>
      known;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto shape = setting.data().shapes.of_jobs[job];
    const auto queue = policy_queue(jobs[job], policy);
    const auto run_time = options.known_run_times ? jobs[job].run_time : std::nullopt;
    const auto [at, added] = known.emplace(std::tuple(queue, shape, jobs[job].pods, run_time), 0);
    if (added) at->second = make_ask(job, queue, policy);
    ask_of_.push_back(at->second);
  }
  for (std::size_t ask = 0; ask < asks_.size(); ++ask) kinds_.emplace_back().ask = ask;
}

std::size_t WaitingJobs::make_ask(std::size_t job, const policy::QueueName& queue,
                                  const policy::Policy& policy) {
  const auto& trace = setting_.workload().jobs[job];
  const auto& gpus = setting_.cluster().gpus;
  const auto object = job_object(trace, job, queue, gpus);
  auto counts = policy.counting.of(cluster::use_of(object->first()).requested);
  if (const auto claim = claim_object(object->first(), trace, gpus)) {
    counts += policy.counting.of(*claim, nullptr, {});
  }
  policy::Amounts sum(counts.size());
  for (std::size_t i = 0; i < object->members.size(); ++i) sum += counts;
  asks_.push_back({queue, sum, static_cast<double>(trace.ask.gpus) * trace.pods});
  return asks_.size() - 1;
}

std::pair<Duration, std::size_t> WaitingJobs::turn_of(std::size_t job) const {
  return {setting_.workload().jobs[job].submitted, job};
}

bool WaitingJobs::has_like(std::size_t job) const {
  const auto& kind = kinds_[places_[job].kind];
  return kind.shown.size() + kind.hidden.size() > 1;
}

const policy::QueueName& WaitingJobs::queue_of(std::size_t job) const {
  return asks_[ask_of_[job]].queue;
}

const policy::Amounts& WaitingJobs::counts_of(std::size_t job) const {
  return asks_[ask_of_[job]].counts;
}

void WaitingJobs::set(std::size_t job, State state) {
  auto& place = places_[job];
  auto& kind = kinds_[place.kind];
  const auto count = [&](policy::Amounts& sum) -> policy::Amounts& {
    if (sum.size() == 0) sum = policy::Amounts(counts_of(job).size());
    return sum;
  };
  if (place.state == State::shown) kind.shown.erase(turn_of(job));
  if (place.state == State::hidden) {
    kind.hidden.erase(turn_of(job));
    count(unlisted_[queue_of(job)]) -= counts_of(job);
  }
  if (state == State::shown) kind.shown.insert(turn_of(job));
  if (state == State::hidden) {
    kind.hidden.insert(turn_of(job));
    count(unlisted_[queue_of(job)]) += counts_of(job);
  }
  place.state = state;
  if (state != State::absent) changes_.emplace_back(job, state == State::shown);
  if (kind.hidden.empty()) {
    with_hidden_.erase(place.kind);
  } else {
    with_hidden_.insert(place.kind);
  }
}

void WaitingJobs::add(std::size_t job, bool own) {
  auto at = ask_of_[job];
  if (own && unused_.empty()) {
    unused_.push_back(kinds_.size());
    kinds_.emplace_back();
  }
  if (own) {
    at = unused_.back();
    unused_.pop_back();
    kinds_[at].ask = ask_of_[job];
  }
  places_[job].kind = at;
  ++size_;
  const auto& kind = kinds_[at];
  // An evicted job is before those that came after it, whenever it was evicted.
  const auto before = [turn = turn_of(job)](const auto& turns, const auto& other) {
    return !turns.empty() && turn < *other;
  };
  const bool first = before(kind.hidden, kind.hidden.begin()) ||
                     before(kind.shown, kind.shown.rbegin()) ||
                     (kind.hidden.empty() && kind.shown.size() < wanted(kind));
  set(job, all_ || first ? State::shown : State::hidden);
}

void WaitingJobs::remove(std::size_t job) {
  const auto kind = places_[job].kind;
  set(job, State::absent);
  --size_;
  if (kind >= asks_.size()) unused_.push_back(kind);
}

std::size_t WaitingJobs::wanted(const Kind& kind) const {
  constexpr std::size_t without_gpus = 16;
  const auto gpus = asks_[kind.ask].gpus;
  return 1 + (gpus > 0 ? static_cast<std::size_t>(room_ / gpus) : without_gpus);
}

void WaitingJobs::show(Kind& kind, std::size_t count) {
  while (kind.shown.size() < count && !kind.hidden.empty()) {
    set(kind.hidden.begin()->second, State::shown);
  }
}

void WaitingJobs::show_for(double gpus) {
  room_ = gpus;
  const auto kinds = with_hidden_;
  for (const auto at : kinds) show(kinds_[at], wanted(kinds_[at]));
}

bool WaitingJobs::show_more(const planner::Plan& plan) {
  if (with_hidden_.empty()) return false;
  for (const auto at : with_hidden_) kinds_[at].got = 0;
  for (const auto& outcome : plan.jobs) {
    if (!planner::gets_something(outcome)) break;
    ++kinds_[places_[index_of(outcome.job)].kind].got;
  }
  bool more = false;
  const auto kinds = with_hidden_;
  for (const auto at : kinds) {
    auto& kind = kinds_[at];
    if (kind.got < kind.shown.size()) continue;
    show(kind, 2 * kind.shown.size() + 1);
    more = true;
  }
  return more;
}

std::vector<std::pair<std::size_t, bool>> WaitingJobs::take_changes() {
  // What became of a job since counts.
  std::erase_if(changes_, [&](const auto& change) {
    return places_[change.first].state != (change.second ? State::shown : State::hidden);
  });
  return std::exchange(changes_, {});
}

std::vector<planner::UnlistedDemand> WaitingJobs::unlisted() const {
  std::vector<planner::UnlistedDemand> demands;
  demands.reserve(unlisted_.size());
  for (const auto& [queue, amounts] : unlisted_) demands.push_back({queue, amounts});
  return demands;
}

}  // namespace dray::simulate
