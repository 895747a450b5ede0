#include "simulate/jobs/recorder.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "dray/planner/together.h"
#include "dray/simulate/measures.h"
#include "simulate/jobs/cluster_objects.h"
#include "simulate/jobs/gang_domains.h"
#include "simulate/jobs/waiting_reasons.h"

namespace dray::simulate {
namespace {

/// Adds `gpus` between two times to the parts of the time that they are in, in GPU-parts.
void add(std::vector<double>& curve, double from, double to, double gpus) {
  const auto last = static_cast<double>(curve.size());
  from = std::clamp(from, 0.0, last);
  to = std::clamp(to, 0.0, last);
  for (auto part = static_cast<std::size_t>(from); part < curve.size(); ++part) {
    const auto begin = std::max(from, static_cast<double>(part));
    const auto end = std::min(to, static_cast<double>(part + 1));
    if (end <= begin) return;
    curve[part] += (end - begin) * gpus;
  }
}

}  // namespace

Recorder::Recorder(const Setting& setting, JobsRun& run, const JobsOptions& options,
                   Measured measured)
    : setting_(setting),
      run_(run),
      now_(setting.workload().jobs.size()),
      refused_(setting.workload().jobs.size()),
      keeps_stays_(options.keep_stays) {
  add_models();
  if (measured == Measured::here) {
    filled_.emplace(setting);
    fragmented_.saw(Duration(0), filled_->fragmentation());
  }
  if (wants_places()) {
    places_.resize(now_.size());
    for (const auto& node : setting.nodes()) {
      nodes_.emplace(node.name, static_cast<std::uint32_t>(nodes_.size()));
    }
  }
  run_.jobs.resize(now_.size());
  std::map<std::string, std::uint32_t> queues;
  for (const auto& job : setting.workload().jobs) queues.emplace(job.queue, 0);
  for (auto& [name, index] : queues) {
    index = static_cast<std::uint32_t>(run_.curves.size());
    run_.curves.push_back({name, {}, {}});
  }
  for (const auto& job : setting.workload().jobs) queue_of_.push_back(queues.at(job.queue));
  for (const auto& node : setting.nodes()) run_.gpus += node.gpus;
}

void Recorder::add_models() {
  std::map<std::string, std::uint32_t> models;
  for (const auto& node : setting_.nodes()) {
    if (node.gpus > 0) models.emplace(node.model, 0);
  }
  for (auto& [name, index] : models) {
    index = static_cast<std::uint32_t>(run_.models.size());
    run_.models.push_back({name, 0, 0});
  }
  for (const auto& node : setting_.nodes()) {
    const auto model = node.gpus > 0 ? models.at(node.model) : 0;
    model_of_.push_back(model);
    if (node.gpus > 0) run_.models[model].gpus += node.gpus;
  }
}

void Recorder::count_models(std::size_t job, double seconds) {
  const auto pods = static_cast<double>(setting_.workload().jobs[job].pods);
  const auto each = seconds * gpus_of(job) / pods;
  if (run_.models.size() == 1) {
    run_.models.front().used += each * pods;
  } else if (run_.models.size() > 1) {
    for (const auto& place : places_[job]) run_.models[model_of_[place.node]].used += each;
  }
}

double Recorder::gpus_of(std::size_t job) const {
  const auto& one = setting_.workload().jobs[job];
  return static_cast<double>(one.ask.total_gpu_milli() * one.pods) / whole_gpu;
}

void Recorder::leave(std::size_t job, Duration now) {
  auto& [state, since] = now_[job];
  if (state != State::absent && now > since) {
    const bool held = state == State::running;
    if (held) {
      run_.used += in_seconds(now - since) * gpus_of(job);
      count_models(job, in_seconds(now - since));
    } else {
      run_.jobs[job].waited += now - since;
    }
    stretches_.push_back({queue_of_[job], held, since, now, gpus_of(job)});
    if (held && keeps_stays_) {
      for (const auto& [node, gpus] : places_[job]) {
        run_.stays.push_back({static_cast<std::uint32_t>(job), node, gpus, since, now});
      }
    }
  }
  since = now;
}

void Recorder::arrived(std::size_t job, Duration now) {
  ++run_.events;
  now_[job] = {State::waiting, now};
}

void Recorder::started(std::size_t job, Duration now, std::span<const Place> places) {
  ++run_.events;
  leave(job, now);
  if (wants_places()) places_[job].assign(places.begin(), places.end());
  if (filled_) {
    filled_->started(job, places);
    fragmented_.saw(now, filled_->fragmentation());
  }
  now_[job].state = State::running;
  if (!run_.jobs[job].started) run_.jobs[job].started = now;
}

void Recorder::give_back(std::size_t job, Duration now) {
  if (!filled_) return;
  filled_->left(job);
  fragmented_.saw(now, filled_->fragmentation());
}

void Recorder::begin_anew(std::size_t job, Duration now) {
  ++run_.events;
  give_back(job, now);
  run_.jobs[job].lost += now - now_[job].since;
  leave(job, now);
  now_[job].state = State::waiting;
}

void Recorder::planned(const planner::Plan& plan, const planner::PlanInput& input) {
  for (const auto& outcome : plan.jobs) {
    count_gangs(outcome, input);
    for (const auto& placement : outcome.placements) {
      const auto how = planner::together(*input.snapshot, placement, input.policy->config);
      if (how != planner::Together::alone) ++run_.pods_of_several;
      if (how == planner::Together::together) ++run_.pods_together;
    }
    if (!planner::gets_something(outcome)) {
      refused_[index_of(outcome.job)] = outcome.reason;
    }
  }
}

void Recorder::count_gangs(const planner::JobOutcome& outcome, const planner::PlanInput& input) {
  if (outcome.placements.size() + outcome.held.size() < 2) return;
  std::vector<NodeName> nodes;
  for (const auto* placements : {&outcome.placements, &outcome.held}) {
    for (const auto& placement : *placements) nodes.push_back(placement.node);
  }
  count_gang(run_.gangs, nodes, *input.snapshot, topology_levels(*input.policy));
}

void Recorder::evicted(const planner::Eviction& eviction, Duration now) {
  const auto job = index_of(eviction.job);
  auto& record = run_.jobs[job];
  ++(eviction.moved.empty() ? record.evictions : record.moves);
  if (eviction.moved.empty() && eviction.cause == planner::EvictionCause::preemption) {
    ++record.preemptions;
  }
  begin_anew(job, now);
}

void Recorder::failed(std::size_t job, Duration now) {
  ++run_.jobs[job].failures;
  begin_anew(job, now);
}

void Recorder::ended(std::size_t job, Duration now) {
  ++run_.events;
  give_back(job, now);
  leave(job, now);
  now_[job].state = State::absent;
  run_.jobs[job].ended = now;
}

/// Not all that wait are in every plan: what one was told last counts, and those alike wait for the
/// same.
void Recorder::count_waiting() {
  const auto& jobs = setting_.workload().jobs;
  const auto ask_of = [&](std::size_t job) {
    return std::tuple(jobs[job].queue, jobs[job].pods, jobs[job].ask);
  };
  std::map<decltype(ask_of(0)), Reason> reasons;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    if (refused_[job] != Reason::none) reasons[ask_of(job)] = refused_[job];
  }
  WaitingReasons waiting;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    if (now_[job].state != State::waiting) continue;
    waiting.add(refused_[job] == Reason::none ? reasons[ask_of(job)] : refused_[job]);
  }
  run_.waiting = waiting.list();
}

void Recorder::removed(std::size_t job, Duration now, bool by_node) {
  ++run_.events;
  give_back(job, now);
  if (now_[job].state == State::running) run_.jobs[job].lost += now - now_[job].since;
  leave(job, now);
  now_[job].state = State::absent;
  ++(by_node ? run_.jobs[job].failures : run_.jobs[job].evictions);
}

void Recorder::finish(Duration now) {
  count_waiting();
  for (std::size_t job = 0; job < now_.size(); ++job) leave(job, now);
  const auto& name = setting_.cluster().gpus.device_class.get();
  if (!setting_.cluster().objects.empty() && !name.empty()) {
    run_.classes = {{name, run_.gpus, run_.used}};
  }
  if (stretches_.empty()) return;
  const auto first = std::ranges::min(stretches_, {}, &Stretch::from).from;
  draw(first, now);
}

void Recorder::draw(Duration first, Duration last) {
  run_.span = last - first;
  run_.fragmented = fragmented_.curve(first, last, curve_points);
  const auto part = in_seconds(run_.span) / curve_points;
  for (auto& curve : run_.curves) {
    curve.held.assign(curve_points, 0);
    curve.waiting.assign(curve_points, 0);
  }
  if (part <= 0) return;
  for (const auto& one : stretches_) {
    auto& curve = run_.curves[one.queue];
    add(one.held ? curve.held : curve.waiting, in_seconds(one.from - first) / part,
        in_seconds(one.to - first) / part, one.gpus);
  }
}

}  // namespace dray::simulate
