#include "kube/reviewer.h"

#include <utility>

#include "kube/authorize.h"
#include "kube/write_request.h"

namespace dray::kube {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_connections = 4;
constexpr std::size_t most_answer_bytes = 256UL * 1024;

}  // namespace

Result<std::unique_ptr<Reviewer>> Reviewer::make(asio::io_context& io, const ClusterConfig& config,
                                                 std::chrono::milliseconds deadline,
                                                 ConfigReload::Options reload) {
  net::HttpClientOptions http;
  http.base = config.server;
  http.tls = config.tls;
  http.proxy = config.proxy;
  http.max_connections = most_connections;
  http.limits.body_bytes = most_answer_bytes;
  auto client = net::HttpClient::make(io, http);
  if (!client) return std::unexpected(std::move(client.error()));
  std::unique_ptr<Reviewer> made(new Reviewer());
  made->client_ = *std::move(client);
  made->tokens_ = std::make_shared<TokenSource>(config);
  made->deadline_ = deadline;
  made->reload_ = std::make_shared<ConfigReload>(
      io, config, ConfigReload::Users{{made->client_}, made->tokens_}, std::move(reload));
  made->reload_->start();
  return made;
}

Reviewer::~Reviewer() {
  if (reload_) reload_->stop();
}

asio::awaitable<Result<std::string>> Reviewer::post(std::string_view target, std::string body) {
  net::HttpRequest request;
  request.method = "POST";
  request.target = target;
  request.headers = {{"Accept", "application/json"},
                     {"Content-Type", "application/json"},
                     {"User-Agent", "dray-dashboard"}};
  request.body = std::move(body);
  request = co_await authorize(tokens_, std::move(request), TokenSource::Clock::now() + deadline_);
  auto response = co_await client_->send(std::move(request), deadline_);
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (response->status == 401) tokens_->refused();
  if (response->status / 100 != 2) co_return std::unexpected(error_of(*response));
  co_return std::move(response->body);
}

asio::awaitable<Result<wire::TokenVerdict>> Reviewer::who(std::string token) {
  auto body = wire::encode_token_review(token);
  const auto answer = co_await post("/apis/authentication.k8s.io/v1/tokenreviews", std::move(body));
  if (!answer) co_return std::unexpected(Error(answer.error()).within("TokenReview"));
  co_return wire::decode_token_review(*answer);
}

asio::awaitable<Result<bool>> Reviewer::may(wire::UserInfo user, wire::AccessQuestion question) {
  auto body = wire::encode_access_review(user, question);
  const auto answer =
      co_await post("/apis/authorization.k8s.io/v1/subjectaccessreviews", std::move(body));
  if (!answer) co_return std::unexpected(Error(answer.error()).within("SubjectAccessReview"));
  co_return wire::decode_access_review(*answer);
}

}  // namespace dray::kube
