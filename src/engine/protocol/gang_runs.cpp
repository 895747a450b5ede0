#include "engine/protocol/gang_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/protocol/gang_minimum.h"

namespace dray::engine {
namespace {

void answer_all(const std::vector<RequestId>& requests, const std::string& error, Commands& out) {
  for (const auto request : requests) out.emplace_back(Answer{request, error});
}

std::vector<RequestId> take_requests(std::map<Uid, std::vector<RequestId>>& waiting,
                                     const Uid& pod) {
  auto requests = waiting.extract(pod);
  return requests.empty() ? std::vector<RequestId>{} : std::move(requests.mapped());
}

}  // namespace

Commands GangRuns::join(const planner::Job& job, std::set<Uid> bound, const Uid& pod,
                        RequestId request, Time now) {
  Commands out;
  // Its group was made anew while it waited: it waits for the members of that one now.
  if (const auto member = job_of_.find(pod); member != job_of_.end() && member->second != job.uid) {
    out = left(pod);
  }
  const auto patience =
      scattered_.contains(job.uid) ? GangCommit::next_patience : GangCommit::first_patience;
  const auto [run, is_new] = runs_.try_emplace(
      job.uid, Run{GangCommit(job.gang, member_uids(job), std::move(bound), now, patience), {}});
  run->second.waiting[pod].push_back(request);
  if (!job_of_.try_emplace(pod, job.uid).second) return out;  // asked again: joins the first
  auto more = carry(job.uid, run->second.commit.arrived(pod));
  std::ranges::move(more, std::back_inserter(out));
  return out;
}

bool GangRuns::wants_claims(const Uid& pod) const {
  const auto member = job_of_.find(pod);
  if (member == job_of_.end()) return false;
  const auto run = runs_.find(member->second);
  return run != runs_.end() && run->second.commit.wants_claims(pod);
}

Commands GangRuns::claims_written(const Uid& pod) {
  const auto member = job_of_.find(pod);
  if (member == job_of_.end()) return {};
  const auto run = runs_.find(member->second);
  if (run == runs_.end()) return {};
  return carry(run->first, run->second.commit.claims_written(pod));
}

Commands GangRuns::ended(const Uid& pod, bool bound, const std::string& error) {
  const auto member = job_of_.extract(pod);
  if (member.empty()) return {};
  const auto run = runs_.find(member.mapped());
  if (run == runs_.end()) return {};
  return carry(run->first, run->second.commit.ended(pod, bound, error));
}

Commands GangRuns::left(const Uid& pod) {
  const auto member = job_of_.extract(pod);
  if (member.empty()) return {};
  const auto run = runs_.find(member.mapped());
  if (run == runs_.end()) return {};
  Commands out;
  answer_all(take_requests(run->second.waiting, pod), "dray: the pod left its gang", out);
  auto more = carry(run->first, run->second.commit.left(pod));
  std::ranges::move(more, std::back_inserter(out));
  return out;
}

Commands GangRuns::tick(Time now) {
  const auto job = timers_.take_due(now);
  if (!job) return {};
  return carry(*job, runs_.at(*job).commit.tick(now));
}

Commands GangRuns::carry(const Uid& job, const GangCommit::Commands& commands) {
  Commands out;
  auto& run = runs_.at(job);
  for (const auto& command : commands) carry(run, command, out);
  out.emplace_back(GangStepped{job});
  return out;
}

void GangRuns::carry(Run& run, const GangCommit::Command& command, Commands& out) {
  if (const auto* claims = std::get_if<GangCommit::WriteClaims>(&command)) {
    for (const auto& pod : claims->pods) {
      out.emplace_back(StartBind{pod, take_requests(run.waiting, pod), Binding::Pace::when_told});
    }
  } else if (const auto* bind = std::get_if<GangCommit::BindPods>(&command)) {
    for (const auto& pod : bind->pods) out.emplace_back(ProceedBind{pod});
  } else if (const auto* undo = std::get_if<GangCommit::Undo>(&command)) {
    for (const auto& pod : undo->pods) out.emplace_back(AbortBind{pod, undo->error});
  } else if (const auto* refused = std::get_if<GangCommit::Refuse>(&command)) {
    refuse(run, *refused, out);
  } else if (const auto* singly = std::get_if<GangCommit::BindSingly>(&command)) {
    for (const auto& pod : singly->pods) {
      job_of_.erase(pod);
      out.emplace_back(StartBind{pod, take_requests(run.waiting, pod), Binding::Pace::at_once});
    }
  }
}

void GangRuns::refuse(Run& run, const GangCommit::Refuse& refused, Commands& out) {
  ++refused_;
  for (const auto& pod : refused.pods) {
    answer_all(take_requests(run.waiting, pod), refused.error, out);
    job_of_.erase(pod);
    out.emplace_back(BindRefused{pod, refused.error});
  }
}

Commands GangRuns::settle(const Uid& job) {
  Commands out;
  const auto run = runs_.find(job);
  if (run == runs_.end()) return out;
  const auto& commit = run->second.commit;
  if (!commit.finished()) {
    timers_.arm(job, commit.next_tick());
    return out;
  }
  timers_.arm(job, std::nullopt);
  for (const auto& [pod, requests] : run->second.waiting) {
    answer_all(requests, "dray: the gang's binding ended without the pod", out);
  }
  std::erase_if(job_of_, [&](const auto& entry) { return entry.second == job; });
  if (commit.timed_out()) {
    scattered_.insert(job);
  } else {
    scattered_.erase(job);
  }
  out.emplace_back(GangEnded{job});
  runs_.erase(run);
  return out;
}

Commands GangRuns::reset() {
  Commands out;
  for (const auto& [job, run] : runs_) {
    for (const auto& [pod, requests] : run.waiting) {
      answer_all(requests, std::string(text(Reason::not_leader)), out);
    }
  }
  runs_.clear();
  job_of_.clear();
  timers_.clear();
  return out;
}

void GangRuns::forget_jobs(const std::function<bool(const Uid&)>& exists) {
  std::erase_if(scattered_, [&](const Uid& job) { return !exists(job); });
}

}  // namespace dray::engine
