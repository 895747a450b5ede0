#include "service/gate_watch.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "service/log.h"

namespace dray::service {
namespace {

namespace asio = boost::asio;

constexpr auto read_again = std::chrono::hours(1);
constexpr auto try_again = std::chrono::minutes(10);

GateReport report_on(const Result<std::optional<alloc::FeatureGates>>& gates,
                     const alloc::Features& ours) {
  if (!gates) return {gates.error().message, {}};
  if (!*gates) return {};
  return {"", alloc::gate_differences(**gates, ours)};
}

void tell(const GateReport& report) {
  if (!report.unknown.empty()) {
    log_warning("the API server's feature gates are not known: " + report.unknown);
  }
  for (const auto& each : report.differences) log_warning("feature gate " + each.to_string());
}

}  // namespace

struct GateWatch::State {
  State(asio::io_context& io, kube::ClusterApi& cluster, const alloc::Features& features)
      : api(cluster), ours(features), strand(asio::make_strand(io)), timer(strand) {}

  // Fixed after construction.
  kube::ClusterApi& api;
  alloc::Features ours;
  asio::strand<asio::io_context::executor_type> strand;
  // Owned by the strand.
  asio::steady_timer timer;
  bool stopped = false;
  // Published.
  Published<GateReport> report;
};

std::string GateReport::to_string() const {
  if (!unknown.empty()) return "not known: " + unknown;
  std::string line;
  for (const auto& each : differences) line += (line.empty() ? "" : "; ") + each.to_string();
  return line;
}

GateWatch::GateWatch(asio::io_context& io, kube::ClusterApi& api, const alloc::Features& ours)
    : state_(std::make_shared<State>(io, api, ours)) {}

GateWatch::~GateWatch() {
  stop();
}

void GateWatch::start() {
  asio::co_spawn(state_->strand, run(state_), asio::detached);
}

void GateWatch::stop() {
  asio::post(state_->strand, [state = state_] {
    state->stopped = true;
    state->timer.cancel();
  });
}

GateReport GateWatch::report() const {
  const auto last = state_->report.load();
  return last ? *last : GateReport{"not read yet", {}};
}

asio::awaitable<void> GateWatch::run(std::shared_ptr<State> state) {
  while (!state->stopped) {
    const auto gates = co_await state->api.feature_gates();
    if (state->stopped) co_return;
    auto next = report_on(gates, state->ours);
    const auto last = state->report.load();
    if (!last || *last != next) tell(next);
    state->report.store(std::make_shared<const GateReport>(std::move(next)));
    state->timer.expires_after(gates ? std::chrono::milliseconds(read_again) : try_again);
    co_await state->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace dray::service
