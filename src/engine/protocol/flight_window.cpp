#include "dray/engine/flight_window.h"

#include <algorithm>
#include <utility>

namespace dray::engine {
namespace {

constexpr double after_overload = 0.5;
constexpr double after_high_latency = 0.8;
constexpr double newest_share = 0.125;  // of a smoothed latency, as TCP's

}  // namespace

FlightWindow::FlightWindow(Options options)
    : options_(options), limit_(options.start), slow_start_until_(options.slow_start_until) {}

void FlightWindow::sent() {
  ++in_flight_;
  was_full_ = in_flight_ >= limit();
}

void FlightWindow::answered(Load load, std::optional<std::size_t> verb, Duration took,
                            std::optional<Duration> retry_after, Time now) {
  if (in_flight_ > 0) --in_flight_;
  const bool news = now - took >= cut_at_;
  if (load == Load::overloaded || load == Load::lost) {
    if (news) overloaded(retry_after, now);
    return;
  }
  if (news) cuts_in_a_row_ = 0;
  if (verb && is_high(*verb, took, now)) {
    if (news && limit_ > options_.gentle) cut(after_high_latency, options_.gentle, now);
    return;
  }
  // What is not made use of is not known to be borne.
  if (was_full_) grow();
}

void FlightWindow::grow() {
  limit_ += limit_ < slow_start_until_ ? 1 : 1 / limit_;
  limit_ = std::min(limit_, options_.most);
}

/// Right after a cut still overloaded: nothing goes for a while, then it starts slowly.
void FlightWindow::overloaded(std::optional<Duration> retry_after, Time now) {
  cut(after_overload, options_.least, now);
  if (++cuts_in_a_row_ < 2) return;
  const auto doublings = std::min(cuts_in_a_row_ - 2, 10);
  const auto pause = retry_after.value_or(options_.first_pause * (1 << doublings));
  paused_until_ = std::max(paused_until_, now + std::min(pause, options_.longest_pause));
  cut_at_ = paused_until_;
  limit_ = options_.least;
}

void FlightWindow::cut(double factor, double least, Time now) {
  limit_ = std::max(least, limit_ * factor);
  slow_start_until_ = std::max(limit_, 2.0);
  cut_at_ = now;
  ++cuts_;
  for (auto& [_, latency] : latencies_) latency.smoothed = 0;
}

bool FlightWindow::is_high(std::size_t verb, Duration took, Time now) {
  auto& latency = latencies_[verb];
  if (now - latency.since >= options_.baseline_life) {
    latency.least_before = std::exchange(latency.least, Duration::max());
    latency.since = now;
  }
  latency.least = std::min(latency.least, took);
  const auto newest = static_cast<double>(took.count());
  latency.smoothed = latency.smoothed == 0
                         ? newest
                         : latency.smoothed + newest_share * (newest - latency.smoothed);
  const auto least = static_cast<double>(std::min(latency.least, latency.least_before).count());
  return latency.smoothed > least * options_.patience + static_cast<double>(options_.slack.count());
}

}  // namespace dray::engine
