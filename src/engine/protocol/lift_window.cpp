#include "engine/protocol/lift_window.h"

#include <algorithm>
#include <utility>

#include "engine/protocol/gang_commit.h"

namespace dray::engine {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

void LiftWindow::add(std::vector<Uid> pods) {
  waiting_.push_back(std::move(pods));
}

std::vector<Uid> LiftWindow::take_due(Time now) {
  forget_old(now);
  if (waiting_.empty() || !has_room_for(waiting_.front().size())) return {};
  auto pods = std::move(waiting_.front());
  waiting_.pop_front();
  for (const auto& pod : pods) {
    out_[pod] = now;
    in_order_.emplace_back(now, pod);
  }
  return pods;
}

void LiftWindow::forget_old(Time now) {
  while (!in_order_.empty()) {
    const auto& [at, pod] = in_order_.front();
    const auto found = out_.find(pod);
    const bool ended = found == out_.end() || found->second != at;
    if (!ended && at + patience > now) break;
    if (!ended) out_.erase(found);
    in_order_.pop_front();
  }
  while (!bound_.empty() && bound_.front() + measured <= now) bound_.pop_front();
}

double LiftWindow::rate() const {
  return static_cast<double>(bound_.size()) / seconds(measured);
}

bool LiftWindow::has_room_for(std::size_t pods) const {
  if (out_.empty()) return true;
  const auto all = static_cast<double>(out_.size() + pods);
  const auto room = std::max(static_cast<double>(least), rate() * seconds(ahead));
  if (all > room) return false;
  if (pods == 1) return true;
  // Its first bind call must not give up before its last one has come. Few binds may only say that
  // few were asked for.
  const auto time = GangCommit::first_patience +
                    GangCommit::patience_per_member * static_cast<Duration::rep>(pods);
  return all <= std::max(static_cast<double>(least) / 2, rate() * seconds(time));
}

void LiftWindow::ended(const Uid& pod, bool bound, Time now) {
  if (out_.erase(pod) > 0 && bound) bound_.push_back(now);
}

std::optional<Time> LiftWindow::next_tick() const {
  if (waiting_.empty() || in_order_.empty()) return std::nullopt;
  return in_order_.front().first + patience;
}

void LiftWindow::reset() {
  *this = {};
}

}  // namespace dray::engine
