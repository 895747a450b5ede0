#include <utility>
#include <variant>

#include "engine/router.h"

// What came of writes, brought to who asked for them.

namespace dray::engine {

void Engine::Router::on(const WriteDone& done, Time now) {
  const auto purpose = out_.done(done.id);
  if (purpose) std::visit([&](const auto& each) { on(each, done.outcome, now); }, *purpose);
}

void Engine::Router::on(const ForNothing& /*purpose*/, const WriteOutcome& /*outcome*/,
                        Time /*now*/) {}

void Engine::Router::on(const ForBinding& purpose, const WriteOutcome& outcome, Time now) {
  carry(binds_.step(purpose.pod, purpose.token, outcome, now), now);
}

void Engine::Router::on(const ForLift& purpose, const WriteOutcome& outcome, Time now) {
  carry(pods_.lift_written(purpose.pod, outcome, now), now);
}

void Engine::Router::on(const ForWake& purpose, const WriteOutcome& outcome, Time now) {
  carry(pods_.wake_written(purpose.pod, outcome, now), now);
}

void Engine::Router::on(const ForRelease& purpose, const WriteOutcome& outcome, Time now) {
  carry(upkeep_.releases.step(purpose, outcome, now), now);
}

void Engine::Router::on(const ForAudit& purpose, const WriteOutcome& outcome, Time now) {
  carry(upkeep_.audits.step(purpose, outcome, now), now);
}

void Engine::Router::on(const ForUsage& /*purpose*/, const WriteOutcome& outcome, Time now) {
  for (auto& write : usage_.step(outcome, now)) out_.send(std::move(write), ForUsage{}, now);
}

void Engine::Router::on(const ForQueueUsers& /*purpose*/, const WriteOutcome& outcome, Time now) {
  for (auto& write : upkeep_.queue_users.step(outcome, now)) {
    out_.send(std::move(write), ForQueueUsers{}, now);
  }
}

void Engine::Router::on(const ForShare& purpose, const WriteOutcome& outcome, Time now) {
  carry(shares_.step(purpose.pod, outcome, now), now);
}

}  // namespace dray::engine
