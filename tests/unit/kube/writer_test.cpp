#include "kube/writer.h"

#include <catch2/catch.hpp>
#include <thread>

#include "tests/unit/kube/script.h"

namespace dray::kube::writer_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using net::testing::TempFolder;

constexpr auto requests_path =
    "/apis/autoscaling.x-k8s.io/v1/namespaces/default/provisioningrequests";
constexpr auto templates_path = "/api/v1/namespaces/default/podtemplates";

std::string request_json(const std::string& count) {
  return R"({"kind":"ProvisioningRequest","apiVersion":"autoscaling.x-k8s.io/v1","metadata":)"
         R"({"namespace":"default","name":"r","uid":"u-r"},"spec":{"provisioningClassName":"a.b",)"
         R"("podSets":[{"podTemplateRef":{"name":"r-0"},"count":)" +
         count + "}]}}";
}

engine::RequestNodes nodes_for_two_pods() {
  engine::RequestNodes wanted;
  wanted.request.meta.namespace_name = "default";
  wanted.request.meta.name = "r";
  wanted.request.class_name = "a.b";
  wanted.request.pod_sets = {{"r-0", 2}};
  wanted.examples = {{{"default", "p0"}, Uid("u0")}};
  return wanted;
}

constexpr auto example_json =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p0","uid":"u0"},"spec":{"x":1}})";

}  // namespace

TEST_CASE("a write whose token is refused is sent again with the one in the file") {
  TempFolder folder;
  Cluster cluster;
  cluster.config.token_file = folder.write("token", "t1");
  cluster.script->answers["GET " + std::string(claim_path)] = {
      net::json_response(401, status_json(401)), net::json_response(200, claim_json("1", ""))};
  // The token is replaced between being sent and being refused.
  cluster.script->on_request = [&folder] { folder.write("token", "t2"); };
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  const auto asked = cluster.script->requests("GET", claim_path);
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].header("Authorization") == "Bearer t1");
  CHECK(asked[1].header("Authorization") == "Bearer t2");
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

TEST_CASE(
    "nodes are requested first, then their templates are written, which go with the request") {
  Cluster cluster;
  cluster.answers("POST " + std::string(requests_path),
                  {net::json_response(201, request_json("2"))});
  cluster.answers("GET /api/v1/namespaces/default/pods/p0",
                  {net::json_response(200, example_json)});
  cluster.answers("POST " + std::string(templates_path), {net::json_response(201, "{}")});
  cluster.start();
  CHECK(cluster.write(nodes_for_two_pods()));
  const auto made = cluster.script->requests("POST", templates_path);
  REQUIRE(made.size() == 1);
  CHECK_THAT(made[0].body, Catch::Contains(R"("name":"r-0")"));
  CHECK_THAT(made[0].body, Catch::Contains(R"("uid":"u-r","controller":true)"));
  CHECK_THAT(made[0].body, Catch::Contains(R"("spec":{"x":1})"));
}

TEST_CASE("a request for nodes that was begun before is completed") {
  Cluster cluster;
  const std::string there = std::string(requests_path) + "/r";
  cluster.answers("POST " + std::string(requests_path),
                  {net::json_response(409, status_json(409))});
  cluster.answers("GET " + there, {net::json_response(200, request_json("2"))});
  cluster.answers("GET /api/v1/namespaces/default/pods/p0",
                  {net::json_response(200, example_json)});
  cluster.answers("POST " + std::string(templates_path),
                  {net::json_response(409, status_json(409))});
  cluster.start();
  CHECK(cluster.write(nodes_for_two_pods()));
  CHECK(cluster.script->requests("POST", templates_path).size() == 1);
}

TEST_CASE("another request of that name, or another pod, is a conflict") {
  const bool pod = GENERATE(true, false);
  Cluster cluster;
  cluster.answers("POST " + std::string(requests_path),
                  {pod ? net::json_response(201, request_json("2"))
                       : net::json_response(409, status_json(409))});
  cluster.answers("GET " + std::string(requests_path) + "/r",
                  {net::json_response(200, request_json("3"))});
  cluster.answers(
      "GET /api/v1/namespaces/default/pods/p0",
      {net::json_response(200, R"({"kind":"Pod","metadata":{"name":"p0","uid":"u9"},"spec":{}})")});
  cluster.start();
  const auto outcome = cluster.write(nodes_for_two_pods());
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::conflict);
  CHECK(outcome.error().message ==
        std::string("request nodes by default/r: ") +
            (pod ? "pod p0 is another one now" : "there is another request of that name"));
  CHECK(cluster.script->requests("POST", templates_path).empty());
}

TEST_CASE("a request for nodes is withdrawn by its uid, and may be gone already") {
  Cluster cluster;
  const std::string there = std::string(requests_path) + "/r";
  cluster.answers("DELETE " + there,
                  {net::json_response(200, "{}"), net::json_response(404, status_json(404))});
  cluster.start();
  const engine::Write drop = engine::WithdrawNodes{{"default", "r"}, Uid("u-r")};
  CHECK(cluster.write(drop));
  CHECK(cluster.write(drop));
  const auto sent = cluster.script->requests("DELETE", there);
  REQUIRE(sent.size() == 2);
  CHECK_THAT(sent[0].body, Catch::Contains(R"("preconditions":{"uid":"u-r"})"));
}

TEST_CASE("what was refused for overload is sent again after the time asked for") {
  Cluster cluster;
  HttpResponse slow = net::json_response(429, status_json(429));
  slow.headers.push_back({"Retry-After", "0"});
  const std::string eviction = "/api/v1/namespaces/default/pods/p0/eviction";
  cluster.answers("GET " + std::string(claim_path),
                  {slow, slow, net::json_response(200, claim_json("1", ""))});
  cluster.answers("POST " + eviction, {slow, net::json_response(201, "{}")});
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  CHECK(cluster.script->requests("GET", claim_path).size() == 3);
  CHECK(cluster.write(engine::EvictPod{{"default", "p0"}, Uid("u"), false}));
  CHECK(cluster.script->requests("POST", eviction).size() == 2);
}

TEST_CASE("a disruption budget's 429 is an answer") {
  Cluster cluster;
  const std::string eviction = "/api/v1/namespaces/default/pods/p0/eviction";
  cluster.answers(
      "POST " + eviction,
      {net::json_response(429, R"({"kind":"Status","apiVersion":"v1","code":429,"message":"no",)"
                               R"("details":{"causes":[{"reason":"DisruptionBudget"}]}})")});
  cluster.start();
  const auto evicted = cluster.write(engine::EvictPod{{"default", "p0"}, Uid("u"), false});
  CHECK(evicted.error().code == ErrorCode::denied);
  CHECK(cluster.script->requests("POST", eviction).size() == 1);
  CHECK(cluster.loop.run(cluster.api->backlog()).cuts == 0);
}

TEST_CASE("a server or proxy that gave up on a write is overloaded, and the write may be done") {
  const auto status = GENERATE(503, 504);
  Cluster cluster;
  cluster.answers("GET " + std::string(claim_path),
                  {net::json_response(status, status_json(status))});
  cluster.start();
  const auto read = cluster.write(engine::ReadClaim{{"default", "c0"}});
  CHECK(read.error().code == ErrorCode::unavailable);
  CHECK(cluster.script->requests("GET", claim_path).size() == 1);
  CHECK(cluster.loop.run(cluster.api->backlog()).cuts == 1);
}

TEST_CASE("a 429 that does not say how long is waited out for a second") {
  Cluster cluster;
  cluster.answers("GET " + std::string(claim_path), {net::json_response(429, status_json(429)),
                                                     net::json_response(200, claim_json("1", ""))});
  cluster.start();
  const auto start = std::chrono::steady_clock::now();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  CHECK(std::chrono::steady_clock::now() - start >= 1s);
}

TEST_CASE("writes beyond the rate wait, and are dropped with leadership; never the Lease's") {
  Cluster cluster;
  cluster.options.qps = 0.01;
  cluster.options.burst = 1;
  const std::string lease =
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},"spec":{}})";
  cluster.script->answers["GET /apis/coordination.k8s.io/v1/namespaces/x/leases/l"] = {
      net::json_response(200, lease)};
  cluster.script->answers["PUT /apis/coordination.k8s.io/v1/namespaces/x/leases/l"] = {
      net::json_response(200, lease)};
  cluster.script->answers["GET " + std::string(claim_path)] = {
      net::json_response(200, claim_json("1", ""))};
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  auto waiting = cluster.loop.start(cluster.api->write(engine::ReadClaim{{"default", "c0"}}, {}));
  CHECK(cluster.write(engine::ReadLease{{"x", "l"}}));
  CHECK(cluster.write(engine::PutLease{{"x", "l"}, ResourceVersion("1"), {}}));
  const auto of_binds = [&] {
    return cluster.loop.run(cluster.api->backlog())
        .classes[static_cast<std::size_t>(engine::WriteClass::bind)];
  };
  while (of_binds().waiting == 0) std::this_thread::yield();
  CHECK(of_binds().sent == 1);
  cluster.api->abandon_writes();
  const auto dropped = waiting.get();
  REQUIRE_FALSE(dropped);
  CHECK(dropped.error().message == "read claim default/c0: not sent: leadership is lost");
  CHECK(cluster.script->requests("GET", claim_path).size() == 1);
}

TEST_CASE("a write has its whole deadline from when it is sent, however long it waited") {
  Cluster cluster;
  cluster.options.qps = 5;
  cluster.options.burst = 1;
  cluster.options.write_deadline = 150ms;
  cluster.answers("GET " + std::string(claim_path), {net::json_response(200, claim_json("1", ""))});
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
}

TEST_CASE("what changes an object says under which epoch; a read, a DELETE and the Lease do not") {
  Cluster cluster;
  cluster.start();
  const auto target_of = [&](engine::Write write) {
    cluster.script->seen.clear();
    kube::WriteTerms terms;
    terms.field_manager = "dray-7-a b";
    [[maybe_unused]] const auto outcome =
        cluster.loop.run(cluster.api->write(std::move(write), std::move(terms)));
    return cluster.script->seen.front().target;
  };
  CHECK_THAT(target_of(engine::LiftGate{{"a", "p"}, {}, {}}),
             Catch::EndsWith("/pods/p?fieldValidation=Ignore&fieldManager=dray-7-a%20b"));
  CHECK_THAT(target_of(engine::BindPod{{"a", "p"}, {}, {}}),
             Catch::EndsWith("/binding?fieldValidation=Ignore&fieldManager=dray-7-a%20b"));
  CHECK_THAT(target_of(engine::ReadPod{{"a", "p"}}), Catch::EndsWith("/pods/p"));
  CHECK_THAT(target_of(engine::DeleteClaim{{"a", "c"}, {}, {}}), Catch::EndsWith("/c"));
}

TEST_CASE("a write that is not taken for the leader's is sent again") {
  Cluster cluster;
  const auto stale = net::json_response(
      403, R"({"kind":"Status","apiVersion":"v1","message":"pods \"p\" is forbidden: )"
           R"(ValidatingAdmissionPolicy 'dray-epoch' denied request: not of the Lease's epoch"})");
  cluster.answers("GET " + std::string(claim_path),
                  {stale, net::json_response(200, claim_json("1", ""))});
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  CHECK(cluster.script->requests("GET", claim_path).size() == 2);
}

TEST_CASE("a second 401 is an answer") {
  Cluster cluster;
  cluster.answers("GET " + std::string(claim_path), {net::json_response(401, status_json(401))});
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}).error().code == ErrorCode::denied);
  CHECK(cluster.script->requests("GET", claim_path).size() == 2);
}

TEST_CASE("a conflict is never a success, and is not tried again by itself") {
  Cluster cluster;
  const std::string binding = "/api/v1/namespaces/default/pods/p0/binding";
  cluster.answers("POST " + binding, {net::json_response(409, status_json(409))});
  cluster.start();
  const auto bound = cluster.write(engine::BindPod{{"default", "p0"}, Uid("u"), NodeName("n")});
  REQUIRE_FALSE(bound);
  CHECK(bound.error().code == ErrorCode::conflict);
  CHECK_THAT(bound.error().message, Catch::Contains("default/p0") && Catch::Contains("scripted"));
  CHECK(cluster.script->requests("POST", binding).size() == 1);
}

TEST_CASE("a write that may not go is not sent") {
  Cluster cluster;
  cluster.start();
  const auto outcome = cluster.write(engine::ReadClaim{{"default", "c0"}}, [] { return false; });
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::unavailable);
  CHECK(cluster.script->requests("GET", claim_path).empty());
}

TEST_CASE("each request of a write asks whether it may go") {
  Cluster cluster;
  cluster.answers("GET " + std::string(claim_path),
                  {net::json_response(401, status_json(401)),
                   net::json_response(200, claim_json("3", our_user))});
  cluster.answers("PATCH " + std::string(claim_path) + "/status",
                  {net::json_response(200, claim_json("4", ""))});
  cluster.start();
  const auto allowed = GENERATE(0, 1, 2, 3);
  int asked = 0;
  const auto outcome = cluster.write(release, [&asked, allowed] { return ++asked <= allowed; });
  CHECK(outcome.has_value() == (allowed == 3));
  CHECK(static_cast<int>(cluster.script->seen.size()) == allowed);
}

TEST_CASE("a release gives up after five conflicts") {
  Cluster cluster;
  const auto path = std::string(claim_path) + "/status";
  cluster.answers("GET " + std::string(claim_path),
                  {net::json_response(200, claim_json("3", our_user))});
  cluster.answers("PATCH " + path, {net::json_response(409, status_json(409))});
  cluster.start();
  const auto outcome = cluster.write(release);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::conflict);
  CHECK(cluster.script->requests("PATCH", path).size() == 5);
}

TEST_CASE("a release of a claim that others use and we do not changes nothing") {
  Cluster cluster;
  cluster.answers(
      "GET " + std::string(claim_path),
      {net::json_response(200, claim_json("3", R"({"resource":"pods","name":"x","uid":"u7"})"))});
  cluster.start();
  const auto outcome = cluster.write(release);
  REQUIRE(outcome);
  CHECK(std::get<ResourceClaim>(*outcome).meta.resource_version == ResourceVersion("3"));
  CHECK(cluster.script->seen.size() == 1);
}

TEST_CASE("an error within a release is the release's") {
  Cluster cluster;
  cluster.answers("GET " + std::string(claim_path), {net::json_response(404, status_json(404))});
  cluster.start();
  const auto outcome = cluster.write(release);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::not_found);
  CHECK_THAT(outcome.error().message, Catch::StartsWith("release claim default/c0: 404"));
}

}  // namespace dray::kube::writer_test
