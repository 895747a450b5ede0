#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "net/http_client.h"
#include "service/service.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

// The admin port, at which nobody shows who he is.

namespace dray::service::admin_guard_test {
namespace {

using testing::FakeCluster;

struct Bench {
  Bench() {
    ServiceOptions options;
    options.version = "1.2.3";
    service.emplace(loop.io, std::move(options), cluster, clock);
    REQUIRE(service->start());
  }
  ~Bench() {
    loop.run(drained());
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  int ask(net::HttpRequest request) {
    net::HttpClientOptions options;
    options.base = {false, "127.0.0.1", service->admin_port(), ""};
    const auto client = net::HttpClient::make(loop.io, options).value();
    const auto answer = loop.run(client->send(std::move(request), testing::patience));
    return answer ? answer->status : 0;
  }

  boost::asio::awaitable<bool> drained() {
    co_await service->drain();
    co_return true;
  }

  Clock clock;
  net::testing::Loop loop{3};
  FakeCluster cluster{loop.io};
  std::optional<Service> service;
};

TEST_CASE("the admin port reads no large body") {
  Bench bench;
  net::HttpRequest large;
  large.method = "POST";
  large.target = "/metrics";
  large.body = std::string(1UL << 20U, 'x');
  CHECK(bench.ask(large) != 405);
  large.body = "x";
  CHECK(bench.ask(large) == 405);
}

TEST_CASE("a crowd of silent connections keeps no probe out") {
  Bench bench;
  std::vector<std::unique_ptr<net::testing::RawClient>> crowd;
  for (int i = 0; i < 300; ++i) {
    crowd.push_back(std::make_unique<net::testing::RawClient>(bench.service->admin_port()));
  }
  net::HttpRequest probe;
  probe.target = "/livez";
  CHECK(bench.ask(probe) == 200);
}

}  // namespace
}  // namespace dray::service::admin_guard_test
