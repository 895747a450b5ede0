#include "kube/kube_api.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <deque>
#include <map>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::kube::kube_api_test {
namespace {

using namespace std::chrono_literals;
using net::HttpRequest;
using net::HttpResponse;
using net::testing::Loop;
using net::testing::TempFolder;
namespace asio = boost::asio;

std::string pod_json(const std::string& name, const std::string& version) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default","name":")" + name +
         R"(","uid":"uid-)" + name + R"(","resourceVersion":")" + version + R"("}})";
}
std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
std::string list_json(const std::string& items, const std::string& version,
                      const std::string& token = "") {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"(","continue":")" + token + R"("},"items":[)" + items + "]}";
}
std::string status_json(int code) {
  return R"({"kind":"Status","apiVersion":"v1","code":)" + std::to_string(code) +
         R"(,"message":"scripted"})";
}

/// A watch's lines; then it hangs, unless `ends`.
struct Stream {
  std::vector<std::string> lines;
  bool ends = false;
};

/// An API server that plays scripts: by `VERB path` (watches: `WATCH path`) the answers in order,
/// the last one again and again. Without a script: an empty list, a silent watch, 404.
struct Script {
  std::mutex mutex;
  std::map<std::string, std::deque<HttpResponse>> answers;
  std::map<std::string, std::deque<Stream>> streams;
  std::vector<HttpRequest> seen;

  HttpResponse answer(const HttpRequest& request);
  std::vector<HttpRequest> requests(const std::string& verb, const std::string& path) {
    const std::lock_guard lock(mutex);
    std::vector<HttpRequest> found;
    for (const auto& request : seen) {
      if (request.method == verb && request.path() == path) found.push_back(request);
    }
    return found;
  }
};

asio::awaitable<void> play(Stream stream, std::shared_ptr<net::BodySink> sink) {
  for (const auto& line : stream.lines) {
    if (!co_await sink->write(line)) co_return;
  }
  if (stream.ends) co_return;
  asio::steady_timer forever(co_await asio::this_coro::executor, 1h);
  co_await forever.async_wait(asio::use_awaitable);
}

template <class T>
T next_of(std::deque<T>& script) {
  T next = script.front();
  if (script.size() > 1) script.pop_front();
  return next;
}

HttpResponse Script::answer(const HttpRequest& request) {
  const std::lock_guard lock(mutex);
  seen.push_back(request);
  const auto path = std::string(request.path());
  if (request.query("watch")) {
    const auto found = streams.find(path);
    const auto stream = found == streams.end() ? Stream{} : next_of(found->second);
    HttpResponse response = net::json_response(200, "");
    response.stream = [stream](std::shared_ptr<net::BodySink> sink) {
      return play(stream, std::move(sink));
    };
    return response;
  }
  const auto found = answers.find(request.method + " " + path);
  if (found != answers.end()) return next_of(found->second);
  return request.method == "GET" ? net::json_response(200, list_json("", "1"))
                                 : net::json_response(404, status_json(404));
}

asio::awaitable<HttpResponse> answer_from(std::shared_ptr<Script> script, HttpRequest request) {
  co_return script->answer(request);
}

/// `Pod p0` for a change, `-Pod p0` for an end, `synced`.
struct Heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> events;

  void tell(const WatchEvent& event) {
    const std::lock_guard lock(mutex);
    if (const auto* change = std::get_if<cluster::ObjectChanged>(&event)) {
      const auto& meta = meta_of(change->object);
      events.push_back(meta.name + "/" + meta.resource_version.get());
    } else if (const auto* gone = std::get_if<cluster::ObjectGone>(&event)) {
      events.push_back("-" + gone->name);
    } else {
      events.emplace_back("synced");
    }
    changed.notify_all();
  }
  bool hears(const std::string& event) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s,
                            [&] { return std::ranges::find(events, event) != events.end(); });
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex);
    return events;
  }
};

struct Cluster {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
  Loop loop;
  net::HttpServer server{loop.io, {}, [script = script](HttpRequest request) {
                           return answer_from(script, std::move(request));
                         }};
  ClusterConfig config;
  KubeApiOptions options;
  std::unique_ptr<KubeApi> api;

  void start() {
    config.server = {false, "127.0.0.1", server.listen().value(), ""};
    api = KubeApi::make(loop.io, config, options).value();
  }
  void watch() {
    start();
    api->watch([heard = heard](WatchEvent event) { heard->tell(event); });
  }
  engine::WriteOutcome write(engine::Write write) { return loop.run(api->write(std::move(write))); }
};

constexpr auto pods = "/api/v1/pods";
constexpr auto claims = "/apis/resource.k8s.io/v1/resourceclaims";
constexpr auto claim_path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c0";
using Events = std::vector<std::string>;

std::string claim_json(const std::string& version, const std::string& users) {
  return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"namespace":"default","name":"c0","uid":"u1","resourceVersion":")" +
         version +
         R"("},"spec":{"devices":{}},"status":{"allocation":{"devices":{"results":[]}},"reservedFor":[)" +
         users + "]}}";
}
constexpr auto our_user = R"({"resource":"pods","name":"p0","uid":"u2"})";
const engine::Write release = engine::ReleaseClaim{{"default", "c0"}, Uid("u1"), Uid("u2"), true};

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

TEST_CASE("a claim that cannot be read keeps the cluster from being synced") {
  Cluster cluster;
  cluster.script->answers["GET " + std::string(claims)] = {net::json_response(
      200,
      R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1","metadata":{"resourceVersion":"1"},)"
      R"("items":[{"metadata":{"name":"bad","namespace":"x"},"spec":{"devices":{"requests":7}}}]})")};
  std::promise<void> told;
  std::once_flag once;
  cluster.options.on_notice = [&](const std::string& text) {
    if (text.find("bad") != std::string::npos) std::call_once(once, [&] { told.set_value(); });
  };
  cluster.watch();
  told.get_future().wait();
  while (cluster.api->trouble().empty()) std::this_thread::yield();
  CHECK(cluster.api->trouble().starts_with("resourceclaims: "));
  CHECK(std::ranges::count(cluster.heard->all(), "synced") == 0);
  cluster.api->stop();
}

TEST_CASE("claims can be listed afresh at any time") {
  Cluster cluster;
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  const auto before = cluster.script->requests("GET", claims).size();
  CHECK(cluster.loop.run(cluster.api->refresh_claims(10s)));
  CHECK(cluster.script->requests("GET", claims).size() > before);
}

TEST_CASE("a refused token is read again from its file") {
  TempFolder folder;
  Cluster cluster;
  cluster.config.token_file = folder.write("token", "t1");
  cluster.script->answers["GET " + std::string(claim_path)] = {
      net::json_response(401, status_json(401)), net::json_response(200, claim_json("1", ""))};
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  const auto asked = cluster.script->requests("GET", claim_path);
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].header("Authorization") == "Bearer t1");
}

TEST_CASE("a release reads, changes just that, and begins anew after a conflict") {
  Cluster cluster;
  auto& answers = cluster.script->answers;
  answers["GET " + std::string(claim_path)] = {net::json_response(200, claim_json("3", our_user)),
                                               net::json_response(200, claim_json("4", our_user))};
  answers["PATCH " + std::string(claim_path) + "/status"] = {
      net::json_response(409, status_json(409)), net::json_response(200, claim_json("5", ""))};
  cluster.start();
  const auto outcome = cluster.write(release);
  REQUIRE(outcome);
  CHECK(std::get<ResourceClaim>(*outcome).meta.resource_version == ResourceVersion("5"));
  const auto patches = cluster.script->requests("PATCH", std::string(claim_path) + "/status");
  REQUIRE(patches.size() == 2);
  CHECK(patches[0].body.find(R"("resourceVersion":"3")") != std::string::npos);
  CHECK(patches[1].body.find(R"("resourceVersion":"4")") != std::string::npos);
}

TEST_CASE("a release of another claim of that name is a conflict") {
  Cluster cluster;
  auto other = claim_json("3", our_user);
  other.replace(other.find("\"u1\""), 4, "\"u9\"");
  cluster.script->answers["GET " + std::string(claim_path)] = {net::json_response(200, other)};
  cluster.start();
  const auto outcome = cluster.write(release);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::conflict);
  CHECK(outcome.error().message == "release claim default/c0: is another claim of that name now");
}

TEST_CASE("429 is waited out, unless it answers an eviction or lasts too long") {
  Cluster cluster;
  HttpResponse slow = net::json_response(429, status_json(429));
  slow.headers.push_back({"Retry-After", "0"});
  HttpResponse slower = net::json_response(429, status_json(429));
  slower.headers.push_back({"Retry-After", "60"});
  auto& answers = cluster.script->answers;
  answers["GET " + std::string(claim_path)] = {slow, slow,
                                               net::json_response(200, claim_json("1", ""))};
  answers["POST /api/v1/namespaces/default/pods/p0/eviction"] = {slow};
  answers["POST /api/v1/namespaces/default/pods/p0/binding"] = {slower};
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  CHECK(cluster.write(engine::EvictPod{{"default", "p0"}, Uid("u"), false}).error().code ==
        ErrorCode::denied);
  CHECK(cluster.write(engine::BindPod{{"default", "p0"}, Uid("u"), NodeName("n")}).error().code ==
        ErrorCode::unavailable);
}

TEST_CASE("writes beyond the rate fail by their deadline, but never the Lease's") {
  Cluster cluster;
  cluster.options.qps = 0.01;
  cluster.options.burst = 1;
  cluster.options.write_deadline = 50ms;
  const std::string lease =
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},"spec":{}})";
  cluster.script->answers["GET /apis/coordination.k8s.io/v1/namespaces/x/leases/l"] = {
      net::json_response(200, lease)};
  cluster.script->answers["GET " + std::string(claim_path)] = {
      net::json_response(200, claim_json("1", ""))};
  cluster.options.write_deadline = 300ms;
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  const auto refused = cluster.write(engine::ReadClaim{{"default", "c0"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "read claim default/c0: not sent: too many writes at a time");
  CHECK(cluster.write(engine::ReadLease{{"x", "l"}}));
}

}  // namespace dray::kube::kube_api_test
