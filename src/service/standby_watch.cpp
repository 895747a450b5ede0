#include "service/standby_watch.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include <fmt/format.h>

#include "net/published.h"
#include "service/log.h"

namespace dray::service {

namespace asio = boost::asio;

struct StandbyWatch::State {
  State(asio::io_context& io, engine::StandbyKeeper::Options options, kube::ClusterApi& cluster,
        const Clock& time, StandsBy asked)
      : api(cluster),
        clock(time),
        stands_by(std::move(asked)),
        strand(asio::make_strand(io)),
        keeper(std::move(options)),
        timer(strand) {}

  // Fixed after construction.
  kube::ClusterApi& api;
  const Clock& clock;
  StandsBy stands_by;
  asio::strand<asio::io_context::executor_type> strand;
  // Owned by the strand.
  engine::StandbyKeeper keeper;
  asio::steady_timer timer;
  bool stopped = false;
  // Published.
  Published<Seen> seen;

  /// A trouble is logged as it begins.
  void publish();
};

namespace {

std::string trouble_of(const std::optional<engine::StandbyKeeper::Refused>& refused) {
  if (!refused) return {};
  return fmt::format(
      "dray may not {} Lease {}/{}; the Role dray-lease (manifests/rbac.yaml) gives that right to "
      "Leases by their names",
      refused->verb, refused->lease.namespace_name, refused->lease.name);
}

}  // namespace

void StandbyWatch::State::publish() {
  const auto known = seen.load();
  Seen now{.names = keeper.standbys(clock.now()), .trouble = trouble_of(keeper.refused())};
  if (!now.trouble.empty() && (!known || known->trouble != now.trouble)) {
    log_warning("who stands by cannot be told: " + now.trouble);
  }
  seen.store(std::make_shared<const Seen>(std::move(now)));
}

StandbyWatch::StandbyWatch(asio::io_context& io, engine::StandbyKeeper::Options options,
                           kube::ClusterApi& api, const Clock& clock, StandsBy stands_by)
    : state_(std::make_shared<State>(io, std::move(options), api, clock, std::move(stands_by))) {}

StandbyWatch::~StandbyWatch() {
  stop();
}

void StandbyWatch::start() {
  asio::co_spawn(state_->strand, run(state_), asio::detached);
}

void StandbyWatch::stop() {
  asio::post(state_->strand, [state = state_] {
    state->stopped = true;
    state->timer.cancel();
  });
}

StandbyWatch::Seen StandbyWatch::seen() const {
  const auto known = state_->seen.load();
  return known ? *known : Seen();
}

asio::awaitable<void> StandbyWatch::run(std::shared_ptr<State> state) {
  while (!state->stopped) {
    auto commands = state->keeper.tick(state->clock.now(), state->stands_by());
    while (!commands.empty()) {
      auto command = std::move(commands.front());
      const auto outcome = co_await state->api.write(std::move(command), kube::WriteTerms());
      if (state->stopped) co_return;
      commands = state->keeper.step(outcome, state->clock.now());
    }
    state->publish();
    state->timer.expires_at(state->clock.steady(state->keeper.next_tick()));
    co_await state->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace dray::service
