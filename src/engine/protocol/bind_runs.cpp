#include "engine/protocol/bind_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dray/base/check.h"

namespace dray::engine {

Commands warnings_of(const Placement& placement, const std::vector<std::string>& warnings) {
  Commands out;
  for (const auto& warning : warnings) {
    out.emplace_back(Send{
        RecordEvent{
            placement.pod, placement.pod_uid, {"Warning", "DoubtfulDevices", "Binding", warning}},
        ForNothing{}});
  }
  return out;
}

Commands BindRuns::start(Start start, Time now) {
  const auto pod = start.placement.pod_uid;
  Decision decision{{}, std::move(start.detail), std::move(start.queue), std::move(start.job)};
  const auto [run, is_new] = runs_.try_emplace(
      pod, Run{Binding(std::move(start.placement), now, start.pace, std::move(start.pod_version)),
               now, std::move(start.requests), std::move(start.warnings), std::move(decision)});
  DRAY_CHECK(is_new);
  return carry(pod, run->second.binding.start(start.claims, now, std::move(start.users)));
}

void BindRuns::join(const Uid& pod, RequestId request) {
  runs_.at(pod).waiting.push_back(request);
}

void BindRuns::see(const Pod& pod) {
  const auto run = runs_.find(pod.meta.uid);
  if (run != runs_.end()) run->second.binding.see(pod);
}

Commands BindRuns::step(const Uid& pod, Binding::Token token, const WriteOutcome& outcome,
                        Time now) {
  const auto run = runs_.find(pod);
  if (run == runs_.end()) return {};
  return carry(pod, run->second.binding.step(token, outcome, now));
}

Commands BindRuns::proceed(const Uid& pod) {
  const auto run = runs_.find(pod);
  if (run == runs_.end()) return {};
  return carry(pod, run->second.binding.proceed());
}

Commands BindRuns::abort(const Uid& pod, const std::string& error) {
  const auto run = runs_.find(pod);
  if (run == runs_.end()) return {};
  return carry(pod, run->second.binding.abort(error));
}

Commands BindRuns::tick(Time now) {
  const auto pod = timers_.take_due(now);
  if (!pod) return {};
  return carry(*pod, runs_.at(*pod).binding.tick(now));
}

Commands BindRuns::reset() {
  Commands out;
  for (const auto& [pod, run] : runs_) {
    for (const auto request : run.waiting) {
      out.emplace_back(Answer{request, std::string(text(Reason::not_leader))});
    }
    out.emplace_back(ForgetPod{pod});
  }
  runs_.clear();
  timers_.clear();
  return out;
}

const NodeName* BindRuns::node_of(const Uid& pod) const {
  const auto run = runs_.find(pod);
  return run == runs_.end() ? nullptr : &run->second.binding.placement().node;
}

std::optional<Time> BindRuns::begun(const Uid& pod) const {
  const auto run = runs_.find(pod);
  return run == runs_.end() ? std::nullopt : std::optional(run->second.begun);
}

Commands BindRuns::carry(const Uid& pod, Binding::Commands commands) {
  Commands out;
  for (auto& command : commands) {
    out.emplace_back(Send{std::move(command.write), ForBinding{pod, command.token}});
  }
  const auto& binding = runs_.at(pod).binding;
  if (binding.finished()) {
    end(pod, out);
    return out;
  }
  timers_.arm(pod, binding.next_tick());
  if (binding.waits()) out.emplace_back(ClaimsHeld{pod});
  return out;
}

void BindRuns::end(const Uid& pod, Commands& out) {
  timers_.arm(pod, std::nullopt);
  auto entry = runs_.extract(pod);
  auto& run = entry.mapped();
  const auto& placement = run.binding.placement();
  const auto result = *run.binding.result();
  for (const auto request : run.waiting) {
    out.emplace_back(Answer{request, run.binding.error()});
  }
  if (result == Binding::Result::bound) {
    run.decision.placement = placement;
    decisions_.add(std::move(run.decision));
    ++bound_;
    std::ranges::move(warnings_of(placement, run.warnings), std::back_inserter(out));
  } else if (result != Binding::Result::waiting) {
    ++undone_;
  }
  out.emplace_back(BindEnded{result, placement, run.binding.claim_versions(), run.binding.error(),
                             run.binding.keeps_claims(), run.binding.denied()});
}

}  // namespace dray::engine
