#include "kube/writer.h"

#include <catch2/catch.hpp>

#include "tests/unit/kube/script.h"

namespace dray::kube::writer_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using net::testing::TempFolder;

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
  // Less than the second that is waited without being told how long.
  cluster.options.write_deadline = 900ms;
  cluster.start();
  CHECK(cluster.write(engine::ReadClaim{{"default", "c0"}}));
  CHECK(cluster.write(engine::EvictPod{{"default", "p0"}, Uid("u"), false}).error().code ==
        ErrorCode::denied);
  CHECK(cluster.write(engine::BindPod{{"default", "p0"}, Uid("u"), NodeName("n")}).error().code ==
        ErrorCode::unavailable);
  CHECK(cluster.script->requests("POST", "/api/v1/namespaces/default/pods/p0/eviction").size() ==
        1);
  CHECK(cluster.script->requests("POST", "/api/v1/namespaces/default/pods/p0/binding").size() == 1);
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
  auto slow = net::json_response(429, status_json(429));
  slow.headers.push_back({"Retry-After", "0"});
  cluster.answers("GET " + std::string(claim_path),
                  {slow, net::json_response(200, claim_json("3", our_user))});
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
