#include "tests/commands/fake_api.h"

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <utility>

namespace dray::commands_test {

namespace asio = boost::asio;

struct FakeApi::State {
  int status = 200;
  mutable std::mutex mutex;
  Lists lists;
  std::vector<std::string> logins;
  std::atomic<bool> hold = false;
  std::atomic<int> held = 0;
};

namespace {

asio::awaitable<void> say_nothing(std::shared_ptr<net::BodySink> sink) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (co_await sink->write({})) {
    timer.expires_after(std::chrono::milliseconds(50));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

net::HttpResponse read_answer(const FakeApi::State& state, const net::HttpRequest& request) {
  if (request.query("watch")) {
    net::HttpResponse stream{200, {{"Content-Type", "application/json"}}, {}, {}};
    stream.stream = say_nothing;
    return stream;
  }
  const auto found = state.lists.find(std::string(request.path()));
  const auto items = found == state.lists.end() ? std::string() : found->second;
  return net::json_response(200, R"({"kind":"List","apiVersion":"v1","metadata":)"
                                 R"({"resourceVersion":"1"},"items":[)" +
                                     items + "]}");
}

asio::awaitable<net::HttpResponse> answer(std::shared_ptr<FakeApi::State> state,
                                          net::HttpRequest request) {
  if (const auto login = request.header("Authorization"); !login.empty()) {
    const std::lock_guard lock(state->mutex);
    state->logins.emplace_back(login);
  }
  if (state->status != 200) {
    co_return net::json_response(state->status,
                                 R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                                 R"("reason":"Unauthorized","message":"who is it?","code":)" +
                                     std::to_string(state->status) + "}");
  }
  if (request.path().ends_with("/binding")) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    ++state->held;
    while (state->hold) {
      timer.expires_after(std::chrono::milliseconds(10));
      co_await timer.async_wait(asio::use_awaitable);
    }
    --state->held;
  }
  if (request.method == "GET") co_return read_answer(*state, request);
  co_return net::json_response(request.method == "POST" ? 201 : 200, std::move(request.body));
}

}  // namespace

FakeApi::FakeApi(net::HttpServerOptions options, int status, Lists lists)
    : state_(std::make_shared<State>()) {
  state_->status = status;
  state_->lists = std::move(lists);
  server_ = std::make_unique<net::HttpServer>(
      thread_.io(), std::move(options),
      [state = state_](net::HttpRequest request) { return answer(state, std::move(request)); });
  const auto port = server_->listen();
  REQUIRE(port);
  port_ = *port;
}

FakeApi::~FakeApi() {
  thread_.stop();
}

void FakeApi::hold_bindings(bool hold) const {
  state_->hold = hold;
}

int FakeApi::held_bindings() const {
  return state_->held;
}

std::vector<std::string> FakeApi::logins() const {
  const std::lock_guard lock(state_->mutex);
  return state_->logins;
}

std::string kubeconfig_text(const std::string& server, const std::string& user,
                            const std::string& more_of_cluster) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: c\n  cluster: "
         "{server: \"" +
         server + "\"" + more_of_cluster +
         "}\ncontexts:\n- name: c\n  context: {cluster: c, user: u}\nusers:\n- name: u\n  user: " +
         user + "\n";
}

}  // namespace dray::commands_test
