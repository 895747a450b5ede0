#include "dashboard/board.h"

#include <catch2/catch.hpp>

#include "tests/objects/gpus.h"
#include "tests/unit/dashboard/heard.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::dashboard::board_test {
namespace {

using Catch::Contains;
using namespace dray::testing;
using service::testing::FakeCluster;

/// Lets in who shows this token, to see one namespace.
boost::asio::awaitable<Admission> let_tenant_in(std::string token, std::string name_space) {
  Admission admission;
  admission.viewer.everything = false;
  if (token == "secret") {
    admission.viewer.name = "jane";
    admission.viewer.namespaces = {std::move(name_space)};
  } else {
    admission.status = 401;
    admission.why = "who are you";
  }
  co_return admission;
}

Admit tenant_of(std::string name_space) {
  return [name_space](std::string token, const std::string&, std::shared_ptr<const Picture>) {
    return let_tenant_in(std::move(token), name_space);
  };
}

struct Bench {
  explicit Bench(Admit admit = {}) {
    BoardOptions options;
    options.page = built_page(
        R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'x'">)");
    options.admit = std::move(admit);
    options.hosts = {"localhost", "[::1]"};
    options.fresh_for = std::chrono::milliseconds(0);
    board = std::make_shared<Board>(loop.io, std::move(options),
                                    Sources{strand, cluster, metrics, readiness});
    for (KubeObject object :
         {KubeObject(make_class()), KubeObject(make_node("n0")), KubeObject(make_gpus("n0", 2)),
          KubeObject(make_claim("c", 3, "p")), KubeObject(with_claim(make_pod("p"), "c"))}) {
      strand.post(cluster::ObjectChanged{std::move(object)});
    }
    strand.post(engine::Synced{});
  }
  ~Bench() {
    loop.stop();
    board->end();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  net::HttpResponse get(const std::string& target, const std::string& host = "localhost:8080",
                        const std::string& method = "GET",
                        const std::string& authorization = "Bearer secret") {
    net::HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Host", host}, {"Authorization", authorization}};
    auto response = loop.run(board->answer(std::move(request)));
    if (response.stream) {
      const auto listener = std::make_shared<Listener>();
      boost::asio::co_spawn(loop.io, response.stream(listener), boost::asio::use_future).get();
      response.body = listener->text.get();
    }
    return response;
  }

  service::Clock clock;
  service::Fence fence;
  metrics::Metrics metrics{"1.2.3"};
  service::Readiness readiness;
  net::testing::Loop loop{1};
  FakeCluster cluster{loop.io};
  service::EngineStrand strand{loop.io, {}, {cluster, clock, fence, metrics, {}, {}}};
  std::shared_ptr<Board> board;
};

}  // namespace

TEST_CASE("the page is sent under its own policy, and nothing is kept, guessed or framed") {
  Bench bench;
  const auto page = bench.get("/");
  CHECK(page.status == 200);
  CHECK(page.header("Content-Security-Policy") ==
        "default-src 'none'; script-src 'x'; frame-ancestors 'none'");
  CHECK(page.header("X-Content-Type-Options") == "nosniff");
  CHECK(page.header("Cache-Control") == "no-store");
  CHECK(bench.get("/v1/dashboard/nodes").header("Content-Security-Policy") ==
        "default-src 'none'; frame-ancestors 'none'");
}

TEST_CASE("each screen answers, and what is not asked for rightly is refused") {
  Bench bench;
  for (const auto* screen : {"overview", "nodes", "node?name=n0", "queues", "history?resource=gpu",
                             "waiting", "ledger", "policy", "health", "explain?pod=default/p"}) {
    INFO(screen);
    const auto answer = bench.get("/v1/dashboard/" + std::string(screen));
    CHECK(answer.status == 200);
    CHECK(answer.header("Content-Type") == "application/json");
    CHECK(answer.body.starts_with("{"));
  }
  CHECK_THAT(bench.get("/v1/dashboard/metrics").body, Contains("dray_synced 1"));
  CHECK_THAT(bench.get("/v1/dashboard/explain?pod=default/p").body,
             Contains(R"("standing":"waits")"));
  CHECK(bench.get("/v1/dashboard/explain?pod=p").status == 400);
  CHECK(bench.get("/v1/dashboard/explain?pod=default/q").status == 404);
  CHECK(bench.get("/v1/dashboard/node?name=n9").status == 404);
  CHECK(bench.get("/v1/dashboard/secrets").status == 404);
  CHECK(bench.get("/v1/filter").status == 404);
  CHECK(bench.get("/v1/dashboard/nodes", "localhost", "POST").status == 405);
}

TEST_CASE("a page of another site, whose name resolves to this host, gets nothing") {
  Bench bench;
  CHECK(bench.get("/v1/dashboard/overview", "evil.example:8080").status == 403);
  CHECK(bench.get("/", "evil.example").status == 403);
  CHECK(bench.get("/v1/dashboard/overview", "[::1]:8080").status == 200);
  CHECK(bench.get("/v1/dashboard/overview", "LOCALHOST").status == 200);
}

TEST_CASE("who is not let in gets the page alone") {
  Bench bench(tenant_of("default"));
  for (const auto* authorization : {"Bearer wrong", "Basic secret", "Bearer", ""}) {
    INFO(authorization);
    const auto refused = bench.get("/v1/dashboard/overview", "localhost", "GET", authorization);
    CHECK(refused.status == 401);
    CHECK(refused.header("WWW-Authenticate") == "Bearer");
    CHECK(refused.body == "who are you\n");
    CHECK(bench.get("/", "localhost", "GET", authorization).status == 200);
  }
  CHECK(bench.get("/v1/dashboard/events", "localhost", "GET", "").status == 401);
  CHECK(bench.get("/v1/dashboard/overview", "localhost", "GET", "bearer secret").status == 200);
}

TEST_CASE("a tenant is shown his own, and nothing of the whole cluster") {
  Bench own(tenant_of("default"));
  CHECK(own.get("/v1/dashboard/explain?pod=default/p").status == 200);
  CHECK(own.get("/v1/dashboard/policy").status == 403);
  CHECK(own.get("/v1/dashboard/metrics").status == 403);
  CHECK_THAT(own.get("/v1/dashboard/overview").body,
             Contains(R"("everything":false,"user":"jane","namespaces":1)"));
  CHECK_THAT(own.get("/v1/dashboard/ledger").body, Contains("default/c"));
  Bench other(tenant_of("elsewhere"));
  CHECK(other.get("/v1/dashboard/explain?pod=default/p").status == 404);
  CHECK_THAT(other.get("/v1/dashboard/ledger").body, !Contains("default/c"));
}

TEST_CASE("a tenant may not simulate: what is simulated is the whole cluster") {
  Bench tenant(tenant_of("default"));
  const auto refused = tenant.get("/v1/simulate", "localhost", "POST");
  CHECK(refused.status == 403);
  CHECK(refused.body == "what is simulated is the whole cluster\n");
  CHECK(tenant.get("/v1/simulate", "localhost", "POST", "Bearer wrong").status == 401);
  // Who sees everything gets further: to what is wrong with the question.
  Bench all;
  CHECK(all.get("/v1/simulate", "localhost", "POST").status == 415);
}

TEST_CASE("the revision moves with what is shown, and only then") {
  Bench bench;
  const auto first = bench.get("/v1/dashboard/queues").body;
  CHECK(bench.get("/v1/dashboard/queues").body == first);
  bench.strand.post(cluster::ObjectChanged{make_node("n1")});
  CHECK(service::testing::eventually(
      [&] { return bench.get("/v1/dashboard/queues").body != first; }));
}

TEST_CASE("a page that was not built says so, and names the command") {
  const auto page = page_not_built("<looked> here");
  CHECK_THAT(page.html, Contains("./dev web") && Contains("&lt;looked> here"));
  CHECK_THAT(page.policy, Contains("default-src 'none'"));
}

}  // namespace dray::dashboard::board_test
