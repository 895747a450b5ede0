#include "simulate/jobs/recorder.h"

#include <algorithm>
#include <limits>

#include "dray/simulate/measures.h"

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

Recorder::Recorder(const Setting& setting, JobsRun& run, const JobsOptions& options)
    : setting_(setting),
      run_(run),
      now_(setting.workload().jobs.size()),
      keeps_stays_(options.keep_stays) {
  if (keeps_stays_) {
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
  if (keeps_stays_) places_[job].assign(places.begin(), places.end());
  now_[job].state = State::running;
  if (!run_.jobs[job].started) run_.jobs[job].started = now;
}

void Recorder::begin_anew(std::size_t job, Duration now) {
  ++run_.events;
  run_.jobs[job].lost += now - now_[job].since;
  leave(job, now);
  now_[job].state = State::waiting;
}

void Recorder::evicted(std::size_t job, Duration now, bool moved) {
  auto& record = run_.jobs[job];
  ++(moved ? record.moves : record.evictions);
  begin_anew(job, now);
}

void Recorder::failed(std::size_t job, Duration now) {
  ++run_.jobs[job].failures;
  begin_anew(job, now);
}

void Recorder::ended(std::size_t job, Duration now) {
  ++run_.events;
  leave(job, now);
  now_[job].state = State::absent;
  run_.jobs[job].ended = now;
}

void Recorder::finish(Duration now) {
  for (std::size_t job = 0; job < now_.size(); ++job) leave(job, now);
  if (stretches_.empty()) return;
  const auto first = std::ranges::min(stretches_, {}, &Stretch::from).from;
  draw(first, now);
}

void Recorder::draw(Duration first, Duration last) {
  run_.span = last - first;
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
