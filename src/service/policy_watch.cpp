#include "service/policy_watch.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "dray/policy/cluster_check.h"
#include "net/published.h"
#include "service/log.h"

namespace dray::service {
namespace {

namespace asio = boost::asio;

using Picture = engine::Engine::Picture;
using Warnings = std::vector<std::string>;

constexpr auto look_every = std::chrono::seconds(10);
constexpr int looks_a_check = 6;  ///< nodes come and go all the time

/// What of the engine's state was checked last.
struct Checked {
  std::shared_ptr<const policy::Policy> policy;
  std::uint64_t class_epoch = 0;
  std::uint64_t generation = 0;
};

Warnings check(const Picture& picture) {
  Warnings warnings;
  for (const auto& each : policy::check_against(picture.policy->config, *picture.snapshot)) {
    warnings.push_back(policy::text_of(each));
  }
  return warnings;
}

void log_changes(const Warnings& before, const Warnings& after) {
  for (const auto& each : after) {
    if (std::ranges::find(before, each) == before.end()) log_warning("policy: " + each);
  }
  if (!before.empty() && after.empty()) {
    log_info(0, "policy: all that it names is in the cluster now");
  }
}

}  // namespace

struct PolicyWatch::State {
  State(asio::io_context& io, EngineStrand& of)
      : engine(of), strand(asio::make_strand(io)), timer(strand) {}

  // Fixed after construction.
  EngineStrand& engine;
  asio::strand<asio::io_context::executor_type> strand;
  // Owned by the strand.
  asio::steady_timer timer;
  bool stopped = false;
  Checked checked;
  int looks = 0;
  // Published.
  Published<Warnings> warnings;

  /// Whether it is time to check; then `picture` counts as checked.
  [[nodiscard]] bool is_due(const Picture& picture) {
    const auto classes = picture.snapshot->class_epoch();
    const auto generation = picture.snapshot->generation();
    const bool changed = checked.policy != picture.policy || checked.class_epoch != classes;
    ++looks;
    if (!changed && (looks < looks_a_check || checked.generation == generation)) return false;
    checked = {picture.policy, classes, generation};
    looks = 0;
    return true;
  }
};

PolicyWatch::PolicyWatch(asio::io_context& io, EngineStrand& engine)
    : state_(std::make_shared<State>(io, engine)) {}

PolicyWatch::~PolicyWatch() {
  stop();
}

void PolicyWatch::start() {
  asio::co_spawn(state_->strand, run(state_), asio::detached);
}

void PolicyWatch::stop() {
  asio::post(state_->strand, [state = state_] {
    state->stopped = true;
    state->timer.cancel();
  });
}

std::vector<std::string> PolicyWatch::warnings() const {
  const auto last = state_->warnings.load();
  return last ? *last : Warnings();
}

asio::awaitable<void> PolicyWatch::run(std::shared_ptr<State> state) {
  while (!state->stopped) {
    auto picture = std::make_shared<std::optional<Picture>>();
    EngineStrand::Look look = [picture](engine::Engine& engine, Time) {
      *picture = engine.picture();
    };
    const bool seen = co_await state->engine.look(std::move(look));
    if (state->stopped) co_return;
    auto wait = std::chrono::milliseconds(look_every);
    if (seen && *picture && !(*picture)->status.synced) {
      wait = std::chrono::seconds(1);
    } else if (seen && *picture && state->is_due(**picture)) {
      auto next = check(**picture);
      const auto last = state->warnings.load();
      log_changes(last ? *last : Warnings(), next);
      state->warnings.store(std::make_shared<const Warnings>(std::move(next)));
    }
    picture.reset();  // the snapshot is not held while nothing is checked
    state->timer.expires_after(wait);
    co_await state->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace dray::service
