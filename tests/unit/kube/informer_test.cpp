#include "kube/informer.h"

#include <catch2/catch.hpp>

#include "tests/unit/kube/script.h"

namespace dray::kube::informer_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using net::testing::TempFolder;

/// What is noted for the log.
struct Noted {
  explicit Noted(Cluster& cluster) {
    cluster.options.on_notice = [all = all](const std::string& text) {
      const std::lock_guard lock(all->mutex);
      all->events.push_back(text);
      all->changed.notify_all();
    };
  }
  [[nodiscard]] bool hears(const std::string& beginning) const {
    std::unique_lock lock(all->mutex);
    return all->changed.wait_for(lock, 20s, [&] {
      return std::ranges::any_of(
          all->events, [&](const std::string& text) { return text.starts_with(beginning); });
    });
  }
  std::shared_ptr<Heard> all = std::make_shared<Heard>();
};

}  // namespace

TEST_CASE("objects are listed in chunks, then watched, and Synced is told once") {
  Cluster cluster;
  cluster.script->answers["GET " + std::string(pods)] = {
      net::json_response(200, list_json(pod_json("p0", "5"), "9", "more")),
      net::json_response(200, list_json(pod_json("p1", "6"), "9"))};
  cluster.script->streams[pods] = {
      {{event("ADDED", pod_json("p2", "10")), event("MODIFIED", pod_json("p0", "11")),
        event("DELETED", pod_json("p1", "12"))}}};
  cluster.watch();
  REQUIRE(cluster.heard->hears("-p1"));
  REQUIRE(cluster.heard->hears("synced"));
  auto events = cluster.heard->all();
  CHECK(std::erase(events, "synced") == 1);
  CHECK(events == Events{"p0/5", "p1/6", "p2/10", "p0/11", "-p1"});
  const auto asked = cluster.script->requests("GET", pods);
  REQUIRE(asked.size() == 3);
  CHECK(asked[1].query("continue") == "more");
  CHECK(asked[2].query("resourceVersion") == "9");
  CHECK(asked[2].query("allowWatchBookmarks") == "true");
}

TEST_CASE("a watch that ends goes on from the last version, a bookmark's too") {
  Cluster cluster;
  const auto bookmark =
      R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"77"}}})";
  cluster.script->streams[pods] = {
      {{event("ADDED", pod_json("p0", "10")), std::string(bookmark) + "\n"}, true},
      {{event("ADDED", pod_json("p1", "80"))}}};
  cluster.watch();
  REQUIRE(cluster.heard->hears("p1/80"));
  const auto asked = cluster.script->requests("GET", pods);
  REQUIRE(asked.size() == 3);
  CHECK(asked[2].query("resourceVersion") == "77");
}

TEST_CASE("410 within a stream leads to a new list, which tells what is gone") {
  Cluster cluster;
  cluster.script->answers["GET " + std::string(pods)] = {
      net::json_response(200, list_json(pod_json("p0", "5") + "," + pod_json("p1", "6"), "9")),
      net::json_response(200, list_json(pod_json("p1", "6") + "," + pod_json("p2", "20"), "21"))};
  cluster.script->streams[pods] = {{{event("ERROR", status_json(410))}}, {}};
  cluster.watch();
  REQUIRE(cluster.heard->hears("-p0"));
  auto events = cluster.heard->all();
  std::erase(events, "synced");
  CHECK(events == Events{"p0/5", "p1/6", "p2/20", "-p0"});
}

TEST_CASE("older versions and absent kinds are found out") {
  Cluster cluster;
  auto& answers = cluster.script->answers;
  for (const auto* const version : {"v1", "v1beta2", "v1alpha3"}) {
    answers["GET /apis/resource.k8s.io/" + std::string(version) + "/devicetaintrules"] = {
        net::json_response(404, status_json(404))};
  }
  answers["GET " + std::string(claims)] = {net::json_response(404, status_json(404))};
  answers["GET /apis/resource.k8s.io/v1beta2/namespaces/default/resourceclaims/c0"] = {
      net::json_response(200, claim_json("1", ""))};
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  CHECK(cluster.api->trouble().empty());
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
}

TEST_CASE(
    "a claim that cannot be read is told as such, and does not keep the cluster from starting") {
  Cluster cluster;
  cluster.script->answers["GET " + std::string(claims)] = {net::json_response(
      200,
      R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1","metadata":{"resourceVersion":"1"},)"
      R"("items":[{"metadata":{"name":"bad","namespace":"x","resourceVersion":"3"},)"
      R"("spec":{"devices":{"requests":7}}}]})")};
  Noted noted(cluster);
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  CHECK(cluster.heard->hears("?bad/3"));
  CHECK(noted.hears("resourceclaims: cannot be read: "));
  CHECK(cluster.api->trouble().empty());
}

TEST_CASE("a list with a claim of which not even the name can be read is asked for again") {
  Cluster cluster;
  const std::string rest = R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1",)"
                           R"("metadata":{"resourceVersion":"1"},"items":[)";
  cluster.script->answers["GET " + std::string(claims)] = {net::json_response(200, rest + "7]}"),
                                                           net::json_response(200, rest + "]}")};
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  const auto asked = cluster.script->requests("GET", claims);
  CHECK(std::ranges::count_if(asked, [](const auto& each) {
          return each.target.find("watch=") == std::string::npos;
        }) == 2);
}

TEST_CASE("an object of a watch that cannot be read is told as such, and as gone when it goes") {
  Cluster cluster;
  const auto* const bad =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"bad","resourceVersion":"10"},"spec":7})";
  cluster.script->streams[pods] = {
      {{event("MODIFIED", bad), event("DELETED", bad), event("ADDED", pod_json("p0", "11"))}}};
  cluster.watch();
  REQUIRE(cluster.heard->hears("p0/11"));
  auto events = cluster.heard->all();
  std::erase(events, "synced");
  CHECK(events == Events{"?bad/10", "-bad", "p0/11"});
}

TEST_CASE("objects of a kind that is not served any more are gone") {
  Cluster cluster;
  const std::string rules = "/apis/resource.k8s.io/v1/devicetaintrules";
  cluster.script->answers["GET " + rules] = {
      net::json_response(200,
                         R"({"kind":"DeviceTaintRuleList","apiVersion":"resource.k8s.io/v1",)"
                         R"("metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"r0",)"
                         R"("resourceVersion":"5"}}]})"),
      net::json_response(404, status_json(404))};
  for (const auto* const version : {"v1beta2", "v1alpha3"}) {
    cluster.script->answers["GET /apis/resource.k8s.io/" + std::string(version) +
                            "/devicetaintrules"] = {net::json_response(404, status_json(404))};
  }
  cluster.script->streams[rules] = {{{}, false, 404}};
  cluster.watch();
  REQUIRE(cluster.heard->hears("r0/5"));
  CHECK(cluster.heard->hears("-r0"));
}

TEST_CASE("410 as the watch's own answer leads to a new list too") {
  Cluster cluster;
  cluster.script->answers["GET " + std::string(pods)] = {
      net::json_response(200, list_json(pod_json("p0", "5"), "9")),
      net::json_response(200, list_json(pod_json("p1", "20"), "21"))};
  cluster.script->streams[pods] = {{{}, false, 410}, {}};
  cluster.watch();
  REQUIRE(cluster.heard->hears("-p0"));
  CHECK(cluster.heard->hears("p1/20"));
}

TEST_CASE("what cannot be read of a watch, or is of another kind, is passed over") {
  Cluster cluster;
  cluster.script->streams[pods] = {
      {{"nonsense\n",
        event("ADDED", R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})"),
        event("ADDED", pod_json("p0", "10"))}}};
  Noted noted(cluster);
  cluster.watch();
  REQUIRE(cluster.heard->hears("p0/10"));
  CHECK(cluster.script->requests("GET", pods).size() == 2);
  CHECK(noted.hears("pods: watch: cannot be read"));
  CHECK(std::ranges::count(cluster.heard->all(), "n/") == 0);
}

TEST_CASE("claims are listed again after a change that tells of no claim by its name") {
  const auto* const line = GENERATE(
      "nonsense\n",
      R"({"type":"ADDED","object":{"kind":"ResourceClaim","metadata":7}})"
      "\n",
      R"({"type":"MODIFIED","object":{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","spec":7}})"
      "\n",
      R"({"type":"ADDED","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}})"
      "\n");
  INFO(line);
  Cluster cluster;
  const auto list = [](const std::string& items, const std::string& version) {
    return net::json_response(
        200, R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1","metadata":)"
             R"({"resourceVersion":")" +
                 version + R"("},"items":[)" + items + "]}");
  };
  cluster.script->answers["GET " + std::string(claims)] = {list("", "1"),
                                                           list(claim_json("5", ""), "6")};
  cluster.script->streams[claims] = {{{line}}, {}};
  Noted noted(cluster);
  cluster.watch();
  CHECK(cluster.heard->hears("c0/5"));
  CHECK(noted.hears("resourceclaims: watch: cannot be read"));
}

TEST_CASE("an object of a list that cannot be read is noted, and the others are told") {
  Cluster cluster;
  cluster.script->answers["GET " + std::string(pods)] = {net::json_response(
      200, list_json(R"({"metadata":{"name":"bad"},"spec":7},)" + pod_json("p0", "5"), "9"))};
  Noted noted(cluster);
  cluster.watch();
  REQUIRE(cluster.heard->hears("p0/5"));
  CHECK(cluster.heard->hears("synced"));
  CHECK(noted.hears("pods: cannot be read: "));
}

TEST_CASE("a watch that says nothing for too long is asked for again") {
  Cluster cluster;
  cluster.options.watch_silence = 30ms;
  cluster.script->streams[pods] = {{{event("ADDED", pod_json("p0", "10"))}},
                                   {{event("ADDED", pod_json("p1", "11"))}}};
  cluster.watch();
  REQUIRE(cluster.heard->hears("p1/11"));
  CHECK(cluster.script->requests("GET", pods)[2].query("resourceVersion") == "10");
}

TEST_CASE("a kind of which nothing is said is no trouble, and its next change is not late") {
  Cluster cluster;
  cluster.options.watch_silence = 30ms;
  cluster.script->streams[pods] = {{}, {}, {}, {{event("ADDED", pod_json("p0", "10"))}}};
  Noted noted(cluster);
  const auto start = std::chrono::steady_clock::now();
  cluster.watch();
  REQUIRE(cluster.heard->hears("p0/10"));
  // Three waits of a watch that fails would be 5.6 s at least.
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  CHECK(cluster.api->trouble().empty());
  CHECK(noted.all->all().empty());
}

TEST_CASE("a watch that has begun counts as heard of") {
  Cluster cluster;
  cluster.options.watch_silence = 50ms;
  const auto start = std::chrono::steady_clock::now();
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  const auto since = [&] { return std::chrono::steady_clock::now() - start; };
  auto silence = since();
  while (since() < 20s && (since() < 1s || silence > since() / 2)) {
    silence = {};
    for (const auto& watch : cluster.loop.run(cluster.api->watches())) {
      silence = std::max<std::chrono::steady_clock::duration>(
          silence, std::chrono::duration_cast<std::chrono::milliseconds>(watch.silence));
    }
  }
  CHECK(since() < 20s);
}

TEST_CASE("a refused token is read again from its file") {
  TempFolder folder;
  Cluster cluster;
  cluster.config.token_file = folder.write("token", "t1");
  std::once_flag once;
  cluster.options.on_notice = [&](const std::string&) {
    std::call_once(once, [&] { folder.write("token", "t2"); });
  };
  cluster.answers("GET " + std::string(pods), {net::json_response(401, status_json(401)),
                                               net::json_response(200, list_json("", "1"))});
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  const auto asked = cluster.script->requests("GET", pods);
  REQUIRE(asked.size() >= 2);
  CHECK(asked[0].header("Authorization") == "Bearer t1");
  CHECK(asked[1].header("Authorization") == "Bearer t2");
}

TEST_CASE("a server that asks for patience gets it") {
  Cluster cluster;
  auto slow = net::json_response(429, status_json(429));
  slow.headers.push_back({"Retry-After", "2"});
  cluster.answers("GET " + std::string(pods), {slow, net::json_response(200, list_json("", "1"))});
  const auto start = std::chrono::steady_clock::now();
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  // Without being asked it would wait 1.6 s at most.
  CHECK(std::chrono::steady_clock::now() - start >= 2s);
}

TEST_CASE("Retry-After in seconds is understood, a date and nonsense are not") {
  const auto [text, want] = GENERATE(table<std::string, std::optional<Duration>>(
      {{"3", Duration(3s)},
       {"0", Duration(0s)},
       {"-1", std::nullopt},
       {"3 s", std::nullopt},
       {"", std::nullopt},
       {"Wed, 21 Oct 2026 07:28:00 GMT", std::nullopt}}));
  auto response = net::json_response(429, "");
  if (!text.empty()) response.headers.push_back({"Retry-After", text});
  CHECK(retry_after_of(response) == want);
}

}  // namespace dray::kube::informer_test
