#include "sim/network.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace dray::sim {
namespace {

constexpr std::array<std::string_view, 8> fate_names{"delivered", "lost",    "unanswered", "late",
                                                     "refused",   "invalid", "overloaded", "504"};

std::string text_of(const ApiRequest& request) {
  return fmt::format("{} {} by {} as {}", engine::name(request.write),
                     engine::subject(request.write), request.replica, request.field_manager);
}

/// What the policy matches: writes to pods and claims, but DELETEs.
bool is_fenced(const engine::Write& write) {
  return !std::holds_alternative<engine::ReadClaim>(write) &&
         !std::holds_alternative<engine::ReadPod>(write) &&
         !std::holds_alternative<engine::ReadLease>(write) &&
         !std::holds_alternative<engine::PutLease>(write) &&
         !std::holds_alternative<engine::ReadConfigMap>(write) &&
         !std::holds_alternative<engine::PutConfigMap>(write) &&
         !std::holds_alternative<engine::RecordEvent>(write) &&
         !std::holds_alternative<engine::DeleteClaim>(write);
}

}  // namespace

void Network::committed(const WatchEvent& event) {
  if (event.kind != Kind::lease || event.object == nullptr) return;
  last_seen_ = std::max(last_seen_, time_.now() + weather_.policy_lag());
  time_.at(last_seen_, [this, object = event.object] { lease_ = std::get<Lease>(*object); });
}

bool Network::admits(const ApiRequest& request) const {
  return !lease_ || !is_fenced(request.write) ||
         request.field_manager == fmt::format("dray-{}-{}", lease_->transitions, lease_->holder);
}

ApiReply Network::serve(const ApiRequest& request, Fate fate) {
  if (fate == Fate::overloaded) {
    return {fail(ErrorCode::unavailable, "429 Too Many Requests"), engine::Load::overloaded,
            std::chrono::seconds(1)};
  }
  if (fate == Fate::refused) return {fail(ErrorCode::denied, "403 Forbidden: a policy")};
  if (fate == Fate::invalid) return {fail(ErrorCode::invalid, "422 Unprocessable Entity")};
  if (!admits(request)) {
    ++fenced_off_;
    trace_.note(time_.now(), "fenced", text_of(request));
    return {fail(ErrorCode::denied, "403 Forbidden: not of the Lease's epoch"),
            engine::Load::other_epoch};
  }
  serving_ = &request;
  auto outcome = server_.write(request.write, time_.now(), request.read_at);
  serving_ = nullptr;
  if (!outcome)
    trace_.note(time_.now(), "refused", text_of(request) + ": " + outcome.error().message);
  if (fate == Fate::gateway) {
    return {fail(ErrorCode::unavailable, "504 Gateway Timeout"), engine::Load::lost};
  }
  return {std::move(outcome)};
}

void Network::answer(Exchange& exchange, const ApiReply& reply) {
  if (!std::exchange(exchange.over, true)) exchange.done(reply);
}

void Network::cut(Exchange& exchange) {
  answer(exchange, {fail(ErrorCode::unavailable, "the connection was cut")});
}

std::shared_ptr<Network::Exchange> Network::send(Process& client, Process::Thread thread,
                                                 ApiRequest request, Duration timeout, Done done) {
  auto exchange = std::make_shared<Exchange>(Exchange{std::move(done)});
  if (client.ended()) return exchange;
  const auto fate = weather_.write_fate(request.replica, request.write);
  trace_.note(time_.now(), "write",
              fmt::format("{} {}", text_of(request), fate_names[static_cast<std::size_t>(fate)]));
  observer_.sent(request);
  client.wake_at(client.now() + timeout, thread, [exchange] {
    answer(*exchange, {fail(ErrorCode::unavailable, "no answer in time"), engine::Load::lost});
  });
  if (fate == Fate::lost) return exchange;
  const auto way = fate == Fate::late ? timeout + weather_.late_by() : weather_.write_delay();
  const auto sent = under_way_.insert(under_way_.end(), std::move(request));
  time_.at(time_.now() + way, [this, &client, thread, sent, fate, exchange] {
    arrive(client, thread, sent, fate, exchange);
  });
  return exchange;
}

void Network::arrive(Process& client, Process::Thread thread, std::list<ApiRequest>::iterator sent,
                     Fate fate, const std::shared_ptr<Exchange>& exchange) {
  const auto request = std::move(*sent);
  under_way_.erase(sent);
  if (exchange->over) {
    ++landed_late_;
    trace_.note(time_.now(), "lands", text_of(request));
  }
  auto reply = serve(request, fate);
  if (fate == Fate::late || fate == Fate::unanswered) return;
  time_.at(time_.now() + weather_.write_delay(),
           [this, &client, thread, exchange, request, reply = std::move(reply)] {
             client.run(thread, [this, exchange, request, reply] {
               if (!exchange->over) observer_.told(request, reply);
               answer(*exchange, reply);
             });
           });
}

}  // namespace dray::sim
