#include "app/demo/demo_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <iterator>
#include <memory>
#include <utility>

#include "service/log.h"

namespace dray::app {

namespace asio = boost::asio;

namespace {

constexpr auto decision_patience = std::chrono::seconds(10);
constexpr auto gang_patience = std::chrono::seconds(2);

bool told_to_wait(const Pod& pod) {
  return std::ranges::any_of(pod.conditions, [](const auto& condition) {
    return condition.type == "DrayAdmitted" && condition.status == "False";
  });
}

bool evicted(const Pod& pod) {
  return std::ranges::any_of(pod.conditions, [](const auto& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True";
  });
}

}  // namespace

DemoPlayer::DemoPlayer(asio::io_context& io, service::EmbeddedApi& api, service::Service& service,
                       const service::Clock& clock, bool json)
    : api_(api),
      service_(service),
      clock_(clock),
      json_(json),
      strand_(asio::make_strand(io)),
      woken_(strand_) {}

void DemoPlayer::saw(const sim::WatchEvent& event) {
  if (event.kind != Kind::pod || !event.object) return;
  if (event.type == sim::WatchEvent::Type::deleted) return;
  asio::post(strand_, [this, object = event.object, at = clock_.now()] {
    saw_pod(std::get<Pod>(*object), at);
  });
}

void DemoPlayer::saw_pod(const Pod& pod, Time at) {
  if (pod.key() == awaited_ && !outcome_ && (pod.node_name || told_to_wait(pod))) {
    outcome_ = pod;
    settled_at_ = at;
    woken_.cancel();
    return;
  }
  const auto shown = shown_.find(pod.key());
  if (shown == shown_.end()) return;
  if (pod.node_name && !shown->second.bound) {
    shown->second.bound = true;
    changes_.push_back({pod.key(), false, at});
    woken_.cancel();
  } else if (evicted(pod) && !std::exchange(shown->second.evicted, true)) {
    changes_.push_back({pod.key(), true, at});
  }
}

asio::awaitable<void> DemoPlayer::play(std::vector<KubeObject> workload) {
  if (!json_) {
    std::fputs((table_header() + "\n").c_str(), stdout);
  }
  for (auto& object : workload) {
    if (!std::holds_alternative<Pod>(object)) {
      const auto what = dray::describe(object);
      const auto created = co_await api_.create(std::move(object));
      if (!created) service::log_error(what + ": " + created.error().message);
      continue;
    }
    auto pod = std::get<Pod>(std::move(object));
    const auto row = co_await play_pod(std::move(pod));
    show(row);
    co_await play_changes();
  }
  const auto end = std::chrono::steady_clock::now() + gang_patience;
  while ((gangs_wait() || !changes_.empty()) && std::chrono::steady_clock::now() < end) {
    co_await wait(std::chrono::milliseconds(200));
    co_await play_changes();
  }
}

bool DemoPlayer::gangs_wait() const {
  return std::ranges::any_of(
      shown_, [](const auto& entry) { return entry.second.in_gang && !entry.second.bound; });
}

asio::awaitable<void> DemoPlayer::wait(std::chrono::milliseconds at_most) {
  woken_.expires_after(at_most);
  boost::system::error_code cancelled;
  co_await woken_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

asio::awaitable<DemoRow> DemoPlayer::play_pod(Pod pod) {
  DemoRow row;
  row.pod = pod.key();
  awaited_ = row.pod;
  outcome_.reset();
  const bool in_gang = pod.pod_group.has_value();
  const auto start = clock_.now();
  const auto created = co_await api_.create(std::move(pod));
  if (!created) {
    row.reason = created.error().message;
    co_return row;
  }
  const auto end = std::chrono::steady_clock::now() + decision_patience;
  while (!outcome_ && std::chrono::steady_clock::now() < end) {
    co_await wait(std::chrono::milliseconds(500));
  }
  row.took = (outcome_ ? settled_at_ : clock_.now()) - start;
  if (outcome_ && outcome_->node_name) row.node = outcome_->node_name->get();
  row.reason = !outcome_ ? "no decision in 10 s" : "no claims: kube-scheduler chose";
  shown_[row.pod] = {start, !row.node.empty(), in_gang, false};
  awaited_ = {};
  co_await describe(row);
  co_return row;
}

/// Devices and reason, as the engine tells them.
asio::awaitable<void> DemoPlayer::describe(DemoRow& row) {
  const auto view = co_await service_.engine().pod(row.pod);
  if (!view) co_return;
  if (view->placement) {
    for (const auto& claim : view->placement->claims) {
      std::ranges::copy(claim.allocation.devices, std::back_inserter(row.devices));
    }
  }
  if (view->reason != Reason::none) {
    row.reason = text(view->reason);
    if (!view->detail.empty()) row.reason += fmt::format(" ({})", view->detail);
  } else if (!row.devices.empty()) {
    row.reason =
        view->detail.empty() ? fmt::format("{} of queue {}", view->job, view->queue) : view->detail;
  }
}

asio::awaitable<void> DemoPlayer::play_changes() {
  for (const auto& change : std::exchange(changes_, {})) {
    DemoRow row;
    row.pod = change.pod;
    row.took = change.at - shown_.at(change.pod).created;
    if (change.evicted) {
      auto note = co_await last_event(change.pod);
      row.reason = "evicted" + (note.empty() ? note : "; " + note);
    } else {
      const auto* pod = &change.pod;
      const auto view = co_await service_.engine().pod(*pod);
      if (view && view->placement) row.node = view->placement->node.get();
      co_await describe(row);
    }
    show(row);
  }
}

/// What was said last about the pod in an Event.
asio::awaitable<std::string> DemoPlayer::last_event(PodKey pod) {
  auto note = std::make_shared<std::string>();
  auto timer = std::make_shared<asio::steady_timer>(strand_);
  timer->expires_at(asio::steady_timer::time_point::max());
  api_.post([this, pod, note, timer](sim::ApiServer& server, Time /*now*/) {
    for (const auto& event : server.events()) {
      if (event.pod == pod) *note = event.event.note;
    }
    asio::post(strand_, [timer] { timer->cancel(); });
  });
  boost::system::error_code cancelled;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  co_return *note;
}

void DemoPlayer::show(const DemoRow& row) const {
  std::fputs(((json_ ? json_line(row) : table_line(row)) + "\n").c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace dray::app
