#include "kube/writer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "kube/api_path.h"
#include "kube/informer.h"

namespace dray::kube {

namespace asio = boost::asio;
using engine::WriteOutcome;
using engine::WrittenObject;

namespace {

constexpr int release_attempts = 5;
constexpr auto default_retry_after = std::chrono::seconds(1);

std::chrono::milliseconds left_until(Writer::Clock::time_point deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Writer::Clock::now());
}

bool is_lease_write(const engine::Write& write) {
  return std::holds_alternative<engine::PutLease>(write) ||
         std::holds_alternative<engine::ReadLease>(write);
}

}  // namespace

Writer::Writer(asio::io_context& io, std::shared_ptr<net::HttpClient> client,
               std::shared_ptr<TokenSource> tokens, const KubeApiOptions& options)
    : io_(io),
      client_(std::move(client)),
      tokens_(std::move(tokens)),
      options_(options),
      throttle_(io, options.qps, options.burst) {}

WriteContext Writer::context() const {
  WriteContext context;
  context.gate = options_.gate;
  context.instance = options_.instance;
  context.claim_version = kind_info(Kind::resource_claim).versions[claim_version_.load()];
  context.now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return context;
}

/// Away from the caller's strand: answers are decoded here.
asio::awaitable<WriteOutcome> Writer::write(engine::Write write, Permit permit) {
  co_return co_await asio::co_spawn(
      io_, perform(shared_from_this(), std::move(write), std::move(permit)), asio::use_awaitable);
}

asio::awaitable<WriteOutcome> Writer::perform(std::shared_ptr<Writer> self, engine::Write write,
                                              Permit permit) {
  const auto what = describe(write);
  // An eviction's 429 is a disruption budget's no.
  const bool evicts = std::holds_alternative<engine::EvictPod>(write);
  const auto& options = self->options_;
  Terms terms{std::move(permit),
              Clock::now() + (evicts ? options.eviction_deadline : options.write_deadline),
              !evicts};
  auto outcome = co_await self->carry(std::move(write), std::move(terms));
  if (!outcome) outcome = std::unexpected(std::move(outcome.error()).within(what));
  co_return outcome;
}

asio::awaitable<WriteOutcome> Writer::carry(engine::Write write, Terms terms) {
  if (!is_lease_write(write)) {
    const bool admitted = co_await throttle_.enter(urgency_of(write), terms.deadline);
    if (!admitted) co_return fail(ErrorCode::unavailable, "not sent: too many writes at a time");
  }
  if (const auto* released = std::get_if<engine::ReleaseClaim>(&write)) {
    const auto copy = *released;
    co_return co_await release(copy, std::move(terms));
  }
  auto request = request_for(write, context());
  const auto response = co_await send(std::move(request.http), std::move(terms));
  if (!response) co_return std::unexpected(response.error());
  co_return outcome_of(write, request.answered, *response);
}

/// Reads, and changes just what was read; again if somebody else was quicker.
asio::awaitable<WriteOutcome> Writer::release(engine::ReleaseClaim release, Terms terms) {
  const engine::Write write = release;
  for (int attempt = 0;; ++attempt) {
    auto read = request_for(write, context());
    const auto found = co_await send(std::move(read.http), terms);
    if (!found) co_return std::unexpected(found.error());
    auto outcome = outcome_of(write, Answered::claim, *found);
    if (!outcome) co_return outcome;
    const auto claim = std::get<ResourceClaim>(std::move(*outcome));
    if (claim.meta.uid != release.uid) {
      co_return fail(ErrorCode::conflict, "is another claim of that name now");
    }
    auto change = release_request(release, claim, context());
    if (change.http.body.empty()) co_return WrittenObject(claim);
    const auto response = co_await send(std::move(change.http), terms);
    if (!response) co_return std::unexpected(response.error());
    auto changed = outcome_of(write, Answered::claim, *response);
    const bool again = !changed && changed.error().code == ErrorCode::conflict;
    if (!again || attempt + 1 == release_attempts) co_return changed;
  }
}

/// 401 and 429 say that nothing was done: once with a fresh token, and after the time asked for.
asio::awaitable<Result<net::HttpResponse>> Writer::send(net::HttpRequest request, Terms terms) {
  request.headers.push_back({"User-Agent", "dray"});
  request.may_go = terms.permit;
  bool token_refused = false;
  for (;;) {
    auto attempt = request;
    const auto token = tokens_->token(Clock::now());
    if (!token.empty()) attempt.headers.push_back({"Authorization", "Bearer " + token});
    auto response = co_await client_->send(std::move(attempt), left_until(terms.deadline));
    if (!response) co_return response;
    if (response->status == 401 && !std::exchange(token_refused, true)) {
      tokens_->refused();
      continue;
    }
    if (response->status != 429 || !terms.may_wait) co_return response;
    const auto wait = retry_after_of(*response).value_or(default_retry_after);
    if (Clock::now() + wait >= terms.deadline) co_return response;
    asio::steady_timer timer(io_);
    timer.expires_after(wait);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace dray::kube
