#include "kube/ask_now.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <utility>

#include "kube/feature_gates.h"
#include "kube/token_source.h"
#include "kube/write_request.h"
#include "net/http_client.h"

namespace dray::kube {

struct AskNow::State {
  boost::asio::io_context io;
  std::shared_ptr<net::HttpClient> client;
  std::shared_ptr<TokenSource> tokens;
  std::chrono::milliseconds deadline;
  std::string user;  ///< to act as; empty: nobody else

  /// The result of a coroutine. Idle connections keep the context busy: it need not run dry.
  template <class T>
  T run(boost::asio::awaitable<T> task) {
    auto done = boost::asio::co_spawn(io, std::move(task), boost::asio::use_future);
    while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io.run_one();
    return done.get();
  }

  Result<net::HttpResponse> exchange(net::HttpRequest request) {
    request.headers.push_back({"Accept", "application/json"});
    request.headers.push_back({"User-Agent", "dray"});
    if (!user.empty()) request.headers.push_back({"Impersonate-User", user});
    if (auto token = tokens->token(TokenSource::Clock::now()); !token.empty()) {
      request.headers.push_back({"Authorization", "Bearer " + token});
    }
    return run(client->send(std::move(request), deadline));
  }
};

AskNow::AskNow(std::unique_ptr<State> state) : state_(std::move(state)) {}
AskNow::~AskNow() = default;

Result<std::unique_ptr<AskNow>> AskNow::make(const ClusterConfig& config,
                                             std::chrono::milliseconds deadline) {
  auto state = std::make_unique<State>();
  net::HttpClientOptions http;
  http.base = config.server;
  http.tls = config.tls;
  http.proxy = config.proxy;
  auto client = net::HttpClient::make(state->io, http);
  if (!client) return std::unexpected(std::move(client.error()));
  state->client = *std::move(client);
  state->tokens = std::make_shared<TokenSource>(config);
  state->deadline = deadline;
  return std::unique_ptr<AskNow>(new AskNow(std::move(state)));
}

Result<Answer> AskNow::send(std::string_view method, std::string target, std::string body,
                            std::string_view content_type) {
  net::HttpRequest request;
  request.method = method;
  request.target = std::move(target);
  if (!body.empty()) request.headers.push_back({"Content-Type", std::string(content_type)});
  request.body = std::move(body);
  auto response = state_->exchange(std::move(request));
  if (!response) return std::unexpected(std::move(response.error()));
  Answer answer;
  answer.status = response->status;
  answer.date = response->header("Date");
  answer.body = std::move(response->body);
  return answer;
}

Result<std::string> AskNow::ask(std::string_view method, std::string target, std::string body,
                                std::string_view content_type) {
  auto answer = send(method, std::move(target), std::move(body), content_type);
  if (!answer) return std::unexpected(std::move(answer.error()));
  if (answer->status / 100 == 2) return std::move(answer->body);
  net::HttpResponse response;
  response.status = answer->status;
  response.body = std::move(answer->body);
  return std::unexpected(error_of(response));
}

void AskNow::act_as(std::string user) {
  state_->user = std::move(user);
}

Result<alloc::FeatureGates> AskNow::feature_gates() {
  return state_->run(read_feature_gates(state_->client, state_->tokens));
}

}  // namespace dray::kube
