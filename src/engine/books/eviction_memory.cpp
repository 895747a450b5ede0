#include "engine/books/eviction_memory.h"

#include <algorithm>
#include <chrono>

#include "dray/policy/config_sections.h"

namespace dray::engine {
namespace {

/// The API server's times are in whole seconds.
Time whole_seconds(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

/// So many that have expired are forgotten with each new one.
constexpr int most_expired = 4;

}  // namespace

void EvictionMemory::evicted(const planner::Job& job, const std::string& beneficiary, Time since,
                             Time until, Time now) {
  forget_expired(now);
  auto& workload = workloads_[job.lineage];
  const auto [known, made] = workload.jobs.try_emplace(job.uid, next_);
  const auto id = known->second;
  if (made) {
    ++next_;
    ++size_;
    by_age_.emplace_back(job.lineage, id);
  }
  auto& place = workload.places[id];
  workload.open.erase({place.since, id});
  if (place.victim != job.uid) workload.jobs.erase(place.victim);
  place.victim = job.uid;
  place.heir = Uid();
  place.since = whole_seconds(since);
  place.past.evicted = now;
  workload.open.emplace(place.since, id);
  auto& past = place.past.evicted_for;
  std::erase_if(past, [&](const auto& each) { return each.until <= now; });
  if (!beneficiary.empty()) {
    const auto at =
        std::ranges::lower_bound(past, beneficiary, {}, &planner::EvictedFor::beneficiary);
    if (at != past.end() && at->beneficiary == beneficiary) {
      at->until = until;
    } else {
      past.insert(at, {beneficiary, until});
    }
  }
  while (size_ > most) forget_oldest();
}

const EvictionMemory::Past* EvictionMemory::past_of(const std::string& lineage, const Uid& job,
                                                    std::optional<Time> made) {
  const auto found = workloads_.find(lineage);
  if (found == workloads_.end()) return nullptr;
  auto& workload = found->second;
  if (const auto known = workload.jobs.find(job); known != workload.jobs.end()) {
    return &workload.places.at(known->second).past;
  }
  const auto open = workload.open.begin();
  if (open == workload.open.end() || (made && open->first > whole_seconds(*made))) return nullptr;
  const auto id = open->second;
  workload.open.erase(open);
  auto& place = workload.places.at(id);
  place.heir = job;
  workload.jobs.emplace(job, id);
  return &place.past;
}

void EvictionMemory::gone(const std::string& lineage, const Uid& job) {
  const auto found = workloads_.find(lineage);
  if (found != workloads_.end()) leave(found->second, job);
}

void EvictionMemory::leave(Workload& workload, const Uid& job) {
  const auto known = workload.jobs.find(job);
  if (known == workload.jobs.end()) return;
  const auto id = known->second;
  workload.jobs.erase(known);
  auto& place = workload.places.at(id);
  if (place.heir != job) return;
  place.heir = Uid();
  workload.open.emplace(place.since, id);
}

void EvictionMemory::forget_oldest() {
  const auto [lineage, id] = by_age_.front();
  by_age_.pop_front();
  --size_;
  const auto found = workloads_.find(lineage);
  auto& workload = found->second;
  const auto place = workload.places.extract(id);
  workload.open.erase({place.mapped().since, id});
  workload.jobs.erase(place.mapped().victim);
  workload.jobs.erase(place.mapped().heir);
  if (workload.places.empty()) workloads_.erase(found);
}

/// One that was evicted again is looked at again a day later.
void EvictionMemory::forget_expired(Time now) {
  for (int i = 0; i < most_expired && !by_age_.empty(); ++i) {
    const auto& [lineage, id] = by_age_.front();
    if (now - workloads_.at(lineage).places.at(id).past.evicted <=
        policy::Fairness::longest_memory) {
      if (i == 0) return;
      by_age_.push_back(std::move(by_age_.front()));
      by_age_.pop_front();
      continue;
    }
    forget_oldest();
  }
}

void EvictionMemory::forget_beneficiaries() {
  for (auto& [lineage, workload] : workloads_) {
    for (auto& [id, place] : workload.places) place.past.evicted_for.clear();
  }
}

}  // namespace dray::engine
