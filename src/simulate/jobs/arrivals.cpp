#include "simulate/jobs/arrivals.h"

#include <algorithm>
#include <numeric>

#include "dray/base/saturating_time.h"

namespace dray::simulate {

Arrivals::Arrivals(const Workload& workload)
    : workload_(workload), order_(workload.jobs.size()), runs_(workload.jobs.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, {}, [&](auto job) { return workload.jobs[job].submitted; });
}

std::optional<Duration> Arrivals::next() const {
  std::optional<Duration> at;
  if (arrived_ < order_.size()) at = workload_.jobs[order_[arrived_]].submitted;
  if (!ends_.empty() && (!at || ends_.top().at <= *at)) at = ends_.top().at;
  return at;
}

Arrivals::Event Arrivals::take() {
  Event event;
  if (!ends_.empty() && ends_.top().at <= *next()) {
    event = {ends_.top().job, false};
    ++runs_[event.job];
    ends_.pop();
  } else {
    event = {order_[arrived_++], true};
  }
  drop_void();
  return event;
}

void Arrivals::started(std::size_t job, Duration now) {
  ++runs_[job];
  if (const auto& run_time = workload_.jobs[job].run_time) {
    ends_.push({saturating_add(now, *run_time), job, runs_[job]});
  }
}

void Arrivals::stopped(std::size_t job) {
  ++runs_[job];
  drop_void();
}

void Arrivals::drop_void() {
  while (!ends_.empty() && ends_.top().run != runs_[ends_.top().job]) ends_.pop();
}

}  // namespace dray::simulate
