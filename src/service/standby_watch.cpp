#include "service/standby_watch.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "net/published.h"

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
  Published<std::vector<std::string>> names;
};

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

std::vector<std::string> StandbyWatch::standbys() const {
  const auto names = state_->names.load();
  return names ? *names : std::vector<std::string>();
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
    state->names.store(std::make_shared<const std::vector<std::string>>(
        state->keeper.standbys(state->clock.now())));
    state->timer.expires_at(state->clock.steady(state->keeper.next_tick()));
    co_await state->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace dray::service
