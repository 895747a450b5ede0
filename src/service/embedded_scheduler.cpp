#include "service/embedded_scheduler.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "wire/extender_codec.h"

namespace dray::service {

namespace asio = boost::asio;

namespace {

/// As in config/scheduler.yaml.
constexpr auto decision_timeout = std::chrono::seconds(5);
constexpr auto bind_timeout = std::chrono::seconds(30);

}  // namespace

EmbeddedScheduler::EmbeddedScheduler(asio::io_context& io, const Clock& clock, EmbeddedApi& api,
                                     sim::KubeSchedulerOptions options)
    : io_(io),
      clock_(clock),
      api_(api),
      strand_(asio::make_strand(io)),
      scheduler_(std::move(options)),
      timer_(strand_) {
  api_.add_observer(
      [this](const sim::WatchEvent& event) { asio::post(strand_, [this, event] { saw(event); }); });
}

Result<void> EmbeddedScheduler::start(const net::Url& extender) {
  net::HttpClientOptions options;
  options.base = extender;
  auto client = net::HttpClient::make(io_, std::move(options));
  if (!client) return std::unexpected(client.error());
  asio::post(strand_, [this, made = std::shared_ptr<net::HttpClient>(std::move(*client))] {
    client_ = made;
    for (const auto& event : std::exchange(before_start_, {})) step(event);
  });
  return {};
}

void EmbeddedScheduler::stop() {
  asio::post(strand_, [this] {
    stopped_ = true;
    timer_.cancel();
  });
}

void EmbeddedScheduler::saw(const sim::WatchEvent& event) {
  if (!client_) return before_start_.push_back(event);
  step(event);
}

void EmbeddedScheduler::step(const sim::SchedulerInput& input) {
  if (stopped_) return;
  carry(scheduler_.step(input, clock_.now()));
  arm_timer();
}

void EmbeddedScheduler::carry(sim::SchedulerCommands commands) {
  for (auto& command : commands) {
    std::visit([this](auto& each) { carry(std::move(each)); }, command);
  }
}

template <class Answered, class Decode>
asio::awaitable<void> EmbeddedScheduler::call(std::string verb, std::string body, sim::CallId id,
                                              std::chrono::milliseconds timeout, Decode decode) {
  net::HttpRequest request;
  request.method = "POST";
  request.target = "/v1/" + verb;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = std::move(body);
  auto response = co_await client_->send(std::move(request), timeout);
  Answered answered{id, fail(ErrorCode::unavailable, "no answer")};
  if (!response) {
    answered.response = std::unexpected(response.error());
  } else if (response->status != 200) {
    answered.response = fail(ErrorCode::unavailable, verb + ": status is not 200");
  } else {
    answered.response = decode(response->body);
  }
  asio::post(strand_, [this, answered = std::move(answered)] { step(answered); });
}

void EmbeddedScheduler::carry(const sim::CallFilter& command) {
  auto body = wire::encode(command.request);
  asio::co_spawn(io_,
                 call<sim::FilterAnswered>("filter", std::move(body), command.id, decision_timeout,
                                           wire::decode_filter_response),
                 asio::detached);
}
void EmbeddedScheduler::carry(const sim::CallPrioritize& command) {
  auto body = wire::encode(command.request);
  asio::co_spawn(io_,
                 call<sim::PrioritizeAnswered>("prioritize", std::move(body), command.id,
                                               decision_timeout, wire::decode_prioritize_response),
                 asio::detached);
}
void EmbeddedScheduler::carry(const sim::CallPreempt& command) {
  auto body = wire::encode(command.request);
  asio::co_spawn(io_,
                 call<sim::PreemptAnswered>("preempt", std::move(body), command.id,
                                            decision_timeout, wire::decode_preempt_response),
                 asio::detached);
}
void EmbeddedScheduler::carry(const sim::CallBind& command) {
  auto body = wire::encode(command.request);
  asio::co_spawn(io_,
                 call<sim::BindAnswered>("bind", std::move(body), command.id, bind_timeout,
                                         wire::decode_bind_response),
                 asio::detached);
}

/// Its outcome changes nothing: a pod may be gone by now.
void EmbeddedScheduler::write(sim::SchedulerCommand command) {
  api_.post([command = std::move(command)](sim::ApiServer& server, Time now) {
    sim::carry_out(command, server, now);
  });
}

void EmbeddedScheduler::arm_timer() {
  const auto next = scheduler_.next_tick();
  if (!next) return;
  timer_.expires_at(clock_.steady(*next));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) step(sim::TimePassed{});
  });
}

}  // namespace dray::service
