#include "service/embedded_api.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <future>
#include <iterator>
#include <utility>

#include "kube/api_path.h"

namespace dray::service {

namespace asio = boost::asio;

EmbeddedApi::EmbeddedApi(asio::io_context& io, const Clock& clock, sim::ApiServerOptions options)
    : clock_(clock), strand_(asio::make_strand(io)), server_(std::move(options)), timer_(strand_) {
  server_.set_observer([this](const sim::WatchEvent& event) { untold_.push_back(event); });
}

void EmbeddedApi::load(KubeObject object) {
  server_.restore(std::move(object), clock_.now());
}

void EmbeddedApi::add_observer(std::function<void(const sim::WatchEvent&)> observer) {
  observers_.push_back(std::move(observer));
}

void EmbeddedApi::on_event(std::function<void(const sim::RecordedEvent&)> observer) {
  server_.set_event_observer(std::move(observer));
}

asio::awaitable<engine::WriteOutcome> EmbeddedApi::write(engine::Write write,
                                                         kube::WriteTerms terms) {
  co_return co_await asio::co_spawn(strand_, write_here(std::move(write), std::move(terms)),
                                    asio::use_awaitable);
}
asio::awaitable<engine::WriteOutcome> EmbeddedApi::write_here(engine::Write write,
                                                              kube::WriteTerms terms) {
  if (terms.permit && !terms.permit()) {
    co_return fail(ErrorCode::unavailable, "not sent: it may not go any more");
  }
  auto outcome = server_.write(write, clock_.now());
  settle();
  co_return outcome;
}

asio::awaitable<engine::Outbox::Status> EmbeddedApi::backlog() {
  co_return engine::Outbox::Status{};
}

asio::awaitable<Result<KubeObject>> EmbeddedApi::create(KubeObject object) {
  co_return co_await asio::co_spawn(strand_, create_here(std::move(object)), asio::use_awaitable);
}
asio::awaitable<Result<KubeObject>> EmbeddedApi::create_here(KubeObject object) {
  auto created = server_.create(std::move(object), clock_.now());
  settle();
  co_return created;
}

asio::awaitable<Result<void>> EmbeddedApi::refresh_claims(std::chrono::milliseconds /*at_most*/) {
  co_return Result<void>{};
}

Result<kube::Listed> EmbeddedApi::list_now(const std::function<bool()>& go_on) {
  using Items = std::vector<std::shared_ptr<const KubeObject>>;
  const auto made = std::make_shared<std::promise<Items>>();
  auto listed = made->get_future();
  asio::post(strand_, [this, made] {
    Items items;
    for (const auto kind : kube::cluster_kinds()) {
      std::ranges::move(server_.list(kind).items, std::back_inserter(items));
    }
    made->set_value(std::move(items));
  });
  while (listed.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    if (!go_on()) return fail(ErrorCode::unavailable, "the list was ended before its end");
  }
  kube::Listed result;
  for (const auto& item : listed.get()) result.objects.push_back(*item);
  return result;
}

void EmbeddedApi::post(std::function<void(sim::ApiServer&, Time)> work) {
  asio::post(strand_, [this, work = std::move(work)] {
    work(server_, clock_.now());
    settle();
  });
}

void EmbeddedApi::watch(kube::WatchSink sink) {
  asio::post(strand_, [this, sink = std::move(sink)]() mutable { start(std::move(sink)); });
}

/// The first list: what was loaded is told as it was committed.
void EmbeddedApi::start(kube::WatchSink sink) {
  sink_ = std::move(sink);
  settle();
  sink_(engine::Synced{});
}

/// Tells every commit to all, and lets the controllers work until nothing is due.
void EmbeddedApi::settle() {
  if (!sink_ || stopped_) return;
  const auto now = clock_.now();
  do {
    while (!untold_.empty()) {
      const auto event = std::move(untold_.front());
      untold_.pop_front();
      tell(event);
    }
  } while (controller_.work(server_, now) || kubelet_.work(server_, now) || !untold_.empty());
  arm_timer();
}

void EmbeddedApi::tell(const sim::WatchEvent& event) {
  controller_.observe(event);
  if (event.kind == Kind::pod) kubelet_.observe(event, clock_.now());
  for (const auto& observer : observers_) observer(event);
  if (!event.object) return;
  if (event.type != sim::WatchEvent::Type::deleted) {
    return sink_(cluster::ObjectChanged{*event.object});
  }
  const auto& meta = meta_of(*event.object);
  sink_(cluster::ObjectGone{event.kind, meta.namespace_name, meta.name, meta.uid});
}

void EmbeddedApi::arm_timer() {
  const auto now = clock_.now();
  auto due = controller_.due(now);
  if (const auto kubelet = kubelet_.due(now)) due = due ? std::min(*due, *kubelet) : *kubelet;
  if (!due) return;
  timer_.expires_at(clock_.steady(*due));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) settle();
  });
}

void EmbeddedApi::stop() {
  asio::post(strand_, [this] {
    stopped_ = true;
    timer_.cancel();
  });
}

}  // namespace dray::service
