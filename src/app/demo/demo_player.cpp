#include "app/demo/demo_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "dray/sim/kube_scheduler.h"
#include "service/log.h"

namespace dray::app {

namespace asio = boost::asio;

namespace {

/// Without any news for so long, what is awaited will not come: far longer than a busy machine
/// keeps anybody waiting, and than dray itself waits for a claim before it says that it is missing.
constexpr auto patience = std::chrono::seconds(20);

}  // namespace

DemoPlayer::DemoPlayer(asio::io_context& io, service::EmbeddedApi& api, service::Service& service,
                       const service::Clock& clock, Show show)
    : api_(api),
      service_(service),
      clock_(clock),
      show_(std::move(show)),
      strand_(asio::make_strand(io)),
      news_(strand_) {
  api_.add_observer([this](const sim::WatchEvent& event) { saw(event); });
  api_.on_event([this](const sim::RecordedEvent& event) {
    asio::post(strand_, [this, event] {
      log_.saw(event);
      tell_news();
    });
  });
}

void DemoPlayer::saw(const sim::WatchEvent& event) {
  if (event.kind != Kind::pod || !event.object) return;
  if (event.type == sim::WatchEvent::Type::deleted) return;
  asio::post(strand_, [this, object = event.object, at = clock_.now()] {
    log_.saw(std::get<Pod>(*object), at);
    tell_news();
  });
}

void DemoPlayer::tell_news() {
  news_.cancel();
}

/// False: there were none for too long.
asio::awaitable<bool> DemoPlayer::wait_for_news() {
  news_.expires_after(patience);
  boost::system::error_code cancelled;
  co_await news_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  co_return cancelled == asio::error::operation_aborted;
}

asio::awaitable<std::vector<std::string>> DemoPlayer::play(std::vector<KubeObject> workload,
                                                           Expectations expectations) {
  expectations_ = std::move(expectations);
  for (auto& object : workload) {
    if (auto* pod = std::get_if<Pod>(&object)) {
      co_await play_pod(std::move(*pod));
      continue;
    }
    const auto what = dray::describe(object);
    const auto created = co_await api_.create(std::move(object));
    if (!created) service::log_error(what + ": " + created.error().message);
  }
  while (expectations_.open() && co_await wait_for_news()) co_await settle();
  co_return expectations_.unmet();
}

asio::awaitable<void> DemoPlayer::play_pod(Pod pod) {
  const auto key = pod.key();
  log_.created(pod, clock_.now());
  const auto created = co_await api_.create(std::move(pod));
  if (!created) {
    refused(key, created.error().message);
    co_return;
  }
  const auto& made = std::get<Pod>(*created);
  if (!made.node_name && made.scheduler_name != sim::KubeSchedulerOptions().scheduler_name) {
    refused(key, "another scheduler's: nobody plays it here");
    co_return;
  }
  auto first = log_.take_first(key);
  for (bool patient = true; patient && !first;) {
    patient = co_await wait_for_news();
    first = log_.take_first(key);
  }
  if (first) {
    co_await show(*first);
  } else {
    refused(key, "no decision in 20 s");
  }
  co_await settle();
}

/// Waits until nothing more is to be expected, and shows what came.
asio::awaitable<void> DemoPlayer::settle() {
  bool patient = true;
  for (;;) {
    while (patient && log_.under_way()) patient = co_await wait_for_news();
    if (!patient) log_.complete_all();
    const auto outcomes = log_.take_rest();
    if (outcomes.empty()) co_return;
    for (const auto& outcome : outcomes) co_await show(outcome);
  }
}

void DemoPlayer::refused(const PodKey& pod, const std::string& reason) {
  DemoRow row;
  row.pod = pod;
  row.reason = reason;
  tell(row);
}

asio::awaitable<void> DemoPlayer::show(Outcome outcome) {
  DemoRow row;
  row.pod = outcome.pod;
  row.kind = outcome.kind;
  row.node = outcome.node;
  row.took = outcome.at - log_.created_at(outcome.pod);
  row.reason = outcome.kind == Outcome::Kind::evicted ? "evicted; " + outcome.note : outcome.note;
  if (outcome.kind == Outcome::Kind::placed) co_await describe_placement(row);
  tell(row);
}

/// Devices and reason, as the engine tells them: it has decided, or the pod would not be bound.
asio::awaitable<void> DemoPlayer::describe_placement(DemoRow& row) {
  row.reason = "no claims: kube-scheduler chose";
  const auto* pod = &row.pod;
  const auto view = co_await service_.engine().pod(*pod);
  if (!view || !view->placement) co_return;
  for (const auto& claim : view->placement->claims) {
    std::ranges::copy(claim.allocation.devices, std::back_inserter(row.devices));
  }
  if (row.devices.empty()) co_return;
  row.reason =
      view->detail.empty() ? fmt::format("{} of queue {}", view->job, view->queue) : view->detail;
}

void DemoPlayer::tell(const DemoRow& row) {
  expectations_.saw(row);
  show_(row);
}

}  // namespace dray::app
