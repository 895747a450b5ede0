#include "kube/writer.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>
#include <variant>

#include "kube/api_path.h"
#include "kube/authorize.h"
#include "kube/informer.h"

namespace dray::kube {

namespace asio = boost::asio;
using engine::Load;
using engine::WriteOutcome;
using engine::WrittenObject;

namespace {

constexpr int release_attempts = 5;

std::chrono::milliseconds left_until(Writer::Clock::time_point deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Writer::Clock::now());
}

Duration since(Writer::Clock::time_point start) {
  return std::chrono::duration_cast<Duration>(Writer::Clock::now() - start);
}

std::optional<Duration> retry_after_in(const Result<net::HttpResponse>& response) {
  return response ? retry_after_of(*response) : std::nullopt;
}

std::chrono::milliseconds deadline_of(const engine::Write& write, const KubeApiOptions& options) {
  if (engine::is_lease_write(write)) return options.lease_deadline;
  return options.write_deadline.value_or(
      std::chrono::duration_cast<std::chrono::milliseconds>(engine::deadline_of(write)));
}

/// What an answer, or its absence, says about the API server.
Load load_of(const Result<net::HttpResponse>& response, const Permit& permit) {
  if (!response) return permit && !permit() ? Load::fine : Load::lost;
  if (response->status == 503 || response->status == 504) return Load::lost;
  if (is_other_epoch(*response)) return Load::other_epoch;
  return response->status == 429 && !is_budget(*response) ? Load::overloaded : Load::fine;
}

}  // namespace

Writer::Writer(asio::io_context& io, std::shared_ptr<net::HttpClient> client,
               std::shared_ptr<TokenSource> tokens, const KubeApiOptions& options)
    : io_(io),
      client_(std::move(client)),
      tokens_(std::move(tokens)),
      options_(options),
      outbox_(io, {.flight = {.most = static_cast<double>(options.connections)},
                   .qps = options.qps,
                   .burst = options.burst}) {}

WriteContext Writer::context() const {
  WriteContext context;
  context.gate = options_.gate;
  context.instance = options_.instance;
  context.claim_version = kind_info(Kind::resource_claim).versions[claim_version_.load()];
  context.now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return context;
}

/// Away from the caller's strand: answers are decoded here.
asio::awaitable<WriteOutcome> Writer::write(engine::Write write, WriteTerms terms) {
  auto shared = std::make_shared<const engine::Write>(std::move(write));
  co_return co_await asio::co_spawn(
      io_, perform(shared_from_this(), std::move(shared), std::move(terms)), asio::use_awaitable);
}

asio::awaitable<WriteOutcome> Writer::perform(std::shared_ptr<Writer> self, SharedWrite write,
                                              WriteTerms terms) {
  auto outcome = WriteOutcome();
  if (engine::is_lease_write(*write)) {
    auto done = co_await self->carry(write, std::move(terms));
    outcome = std::move(done.outcome);
  } else {
    outcome = co_await self->in_turn(write, std::move(terms));
  }
  if (!outcome) outcome = std::unexpected(std::move(outcome.error()).within(describe(*write)));
  co_return outcome;
}

asio::awaitable<WriteOutcome> Writer::in_turn(SharedWrite write, WriteTerms terms) {
  const auto place = co_await outbox_.enter(write, terms.since);
  auto turn = place.turn;
  auto outcome = WriteOutcome();
  while (turn == OutboxCarrier::Turn::now) {
    auto done = co_await carry(write, terms);
    outcome = std::move(done.outcome);
    turn = co_await outbox_.answered(place.ticket, done.answer);
  }
  if (turn == OutboxCarrier::Turn::dropped) {
    co_return fail(ErrorCode::unavailable, "not sent: leadership is lost");
  }
  // One that was replaced is as good as done: the later one says all that it would have said.
  co_return outcome;
}

asio::awaitable<Writer::Done> Writer::carry(SharedWrite write, WriteTerms given) {
  const auto start = Clock::now();
  Terms terms{std::move(given.permit), std::move(given.field_manager),
              start + deadline_of(*write, options_)};
  if (const auto* released = std::get_if<engine::ReleaseClaim>(write.get())) {
    const auto copy = *released;
    co_return co_await release(copy, std::move(terms));
  }
  if (const auto* nodes = std::get_if<engine::RequestNodes>(write.get())) {
    const auto copy = *nodes;
    co_return co_await request_nodes(copy, std::move(terms));
  }
  auto about = context();
  about.trace = std::move(given.trace);
  auto request = request_for(*write, about);
  const auto response = co_await send(std::move(request.http), terms);
  Done done;
  done.answer = {load_of(response, terms.permit), since(start), retry_after_in(response)};
  done.outcome = response ? outcome_of(*write, request.answered, *response)
                          : WriteOutcome(std::unexpected(response.error()));
  co_return done;
}

/// Reads, and changes just what was read; again if somebody else was quicker.
asio::awaitable<Writer::Done> Writer::release(engine::ReleaseClaim release, Terms terms) {
  const engine::Write write = release;
  Done done;
  for (int attempt = 0;; ++attempt) {
    const auto start = Clock::now();
    auto read = request_for(write, context());
    const auto found = co_await send(std::move(read.http), terms);
    done.answer = {load_of(found, terms.permit), since(start), retry_after_in(found)};
    done.outcome = found ? outcome_of(write, Answered::claim, *found)
                         : WriteOutcome(std::unexpected(found.error()));
    if (!done.outcome) co_return done;
    const auto claim = std::get<ResourceClaim>(std::move(*done.outcome));
    if (claim.meta.uid != release.uid) {
      done.outcome = fail(ErrorCode::conflict, "is another claim of that name now");
      co_return done;
    }
    done.outcome = WrittenObject(claim);
    auto change = release_request(release, claim, context());
    if (change.http.body.empty()) co_return done;
    const auto response = co_await send(std::move(change.http), terms);
    done.answer = {load_of(response, terms.permit), since(start) / 2, retry_after_in(response)};
    done.outcome = response ? outcome_of(write, Answered::claim, *response)
                            : WriteOutcome(std::unexpected(response.error()));
    const bool again = !done.outcome && done.outcome.error().code == ErrorCode::conflict;
    if (!again || attempt + 1 == release_attempts) co_return done;
  }
}

/// The request first, as its templates are to go with it: Kueue asks in this order, too.
asio::awaitable<Writer::Done> Writer::request_nodes(engine::RequestNodes wanted, Terms terms) {
  ProvisioningRequest there;
  auto done = co_await requested(wanted, terms, there);
  for (std::size_t i = 0; done.outcome && i < wanted.examples.size(); ++i) {
    done = co_await templated(wanted, i, there, terms);
  }
  co_return done;
}

/// `there`: the request as the API server has it, perhaps by an earlier try.
asio::awaitable<Writer::Done> Writer::requested(const engine::RequestNodes& wanted,
                                                const Terms& terms, ProvisioningRequest& there) {
  const auto start = Clock::now();
  Done done;
  auto response = co_await send(request_for(wanted, context()).http, terms);
  const bool made_before = response && response->status == 409;
  if (made_before) response = co_await send(read_request(wanted).http, terms);
  done.answer = {load_of(response, terms.permit), since(start), retry_after_in(response)};
  if (!response) {
    done.outcome = std::unexpected(response.error());
    co_return done;
  }
  done.outcome = outcome_of(wanted, Answered::nothing, *response);
  if (!done.outcome) co_return done;
  auto found = provisioning_request_in(response->body);
  if (!found) {
    done.outcome = std::unexpected(std::move(found.error()));
  } else if (found->pod_sets != wanted.request.pod_sets) {
    done.outcome = fail(ErrorCode::conflict, "there is another request of that name");
  } else {
    there = *std::move(found);
  }
  co_return done;
}

/// The template of a pod set, where it is not there yet.
asio::awaitable<Writer::Done> Writer::templated(const engine::RequestNodes& wanted,
                                                std::size_t place, const ProvisioningRequest& there,
                                                const Terms& terms) {
  const auto start = Clock::now();
  Done done;
  const auto pod = co_await send(read_example(wanted.examples[place]).http, terms);
  done.answer = {load_of(pod, terms.permit), since(start), retry_after_in(pod)};
  done.outcome = pod ? outcome_of(wanted, Answered::nothing, *pod)
                     : WriteOutcome(std::unexpected(pod.error()));
  if (!done.outcome) co_return done;
  auto request = template_request(wanted, place, there, pod->body);
  if (!request) {
    done.outcome = std::unexpected(std::move(request.error()));
    co_return done;
  }
  const auto response = co_await send(std::move(request->http), terms);
  done.answer = {load_of(response, terms.permit), since(start) / 2, retry_after_in(response)};
  const bool made_before = response && response->status == 409;
  if (made_before) co_return done;
  done.outcome = response ? outcome_of(wanted, Answered::nothing, *response)
                          : WriteOutcome(std::unexpected(response.error()));
  co_return done;
}

/// 401 says that nothing was done: once more with a fresh token.
asio::awaitable<Result<net::HttpResponse>> Writer::send(net::HttpRequest request, Terms terms) {
  request.headers.push_back({"User-Agent", "dray"});
  // A DELETE has neither, and a GET changes nothing.
  if (request.method != "GET" && request.method != "DELETE") {
    // By default the API server looks for fields that it does not know, to warn of them: half of
    // what it takes to read a patched pod.
    request.target += "?fieldValidation=Ignore";
    if (!terms.field_manager.empty()) {
      request.target += "&fieldManager=" + net::percent_encode(terms.field_manager);
    }
  }
  request.may_go = terms.permit;
  bool token_refused = false;
  for (;;) {
    auto attempt = co_await authorize(tokens_, request, terms.deadline);
    auto response = co_await client_->send(std::move(attempt), left_until(terms.deadline));
    if (!response || response->status != 401 || std::exchange(token_refused, true)) {
      co_return response;
    }
    tokens_->refused();
  }
}

asio::awaitable<engine::Outbox::Status> Writer::backlog() {
  co_return co_await outbox_.status();
}

}  // namespace dray::kube
