#include "kube/write_request.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <string>
#include <vector>

namespace dray::kube::write_request_test {
namespace {

const PodKey pod{"default", "p0"};
const ClaimKey claim{"default", "c0"};
const LeaseKey lease{"dray-system", "dray"};
const ConfigMapKey map{"dray-system", "dray-usage"};
const Uid uid{"u1"};
const ResourceVersion rv{"7"};
const ClaimConsumer user{"", "pods", "p0", Uid("u2")};

AllocationResult one_device() {
  AllocationResult result;
  result.devices.emplace_back();
  result.devices.back().request = "gpu";
  result.devices.back().device = {DriverName("d"), PoolName("p"), DeviceName("g0")};
  return result;
}

ResourceClaim allocated_claim(std::vector<ClaimConsumer> users) {
  ResourceClaim made;
  made.meta.namespace_name = "default";
  made.meta.name = "c0";
  made.meta.uid = uid;
  made.meta.resource_version = rv;
  made.allocation = one_device();
  made.reserved_for = std::move(users);
  return made;
}

constexpr auto merge = "application/strategic-merge-patch+json";
constexpr auto pods = "/api/v1/namespaces/default/pods/p0";
constexpr auto claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c0";

/// A write, and the request that carries it.
struct Sent {
  const char* name;
  engine::Write write;
  const char* method;
  std::string target;
  const char* type;
  Answered answered;
};

std::vector<Sent> of_pods() {
  return {
      {"lift", engine::LiftGate{pod, uid, {}}, "PATCH", pods, merge, Answered::pod},
      {"annotate", engine::AnnotatePod{pod, uid, {}}, "PATCH", pods, merge, Answered::pod},
      {"nominate", engine::NominateNode{pod, uid, {}}, "PATCH", std::string(pods) + "/status",
       merge, Answered::pod},
      {"condition", engine::SetPodCondition{pod, uid, {}}, "PATCH", std::string(pods) + "/status",
       merge, Answered::pod},
      {"read pod", engine::ReadPod{pod}, "GET", pods, "", Answered::pod},
      {"bind", engine::BindPod{pod, uid, NodeName("n")}, "POST", std::string(pods) + "/binding",
       "application/json", Answered::nothing},
      {"evict", engine::EvictPod{pod, uid, true}, "POST", std::string(pods) + "/eviction",
       "application/json", Answered::nothing},
      {"event", engine::RecordEvent{pod, uid, {}}, "POST",
       "/apis/events.k8s.io/v1/namespaces/default/events", "application/json", Answered::nothing}};
}

std::vector<Sent> of_claims() {
  return {
      {"protect", engine::ProtectClaim{claim, uid, rv}, "PATCH", claims, merge, Answered::claim},
      {"allocate", engine::AllocateClaim{claim, uid, rv, one_device(), {user}}, "PATCH",
       std::string(claims) + "/status", merge, Answered::claim},
      {"reserve", engine::ReserveClaim{claim, uid, rv, user}, "PATCH",
       std::string(claims) + "/status", merge, Answered::claim},
      {"release", engine::ReleaseClaim{claim, uid, user.uid, true}, "GET", claims, "",
       Answered::claim},
      {"create claim", engine::CreateClaim{allocated_claim({})}, "POST",
       "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", "application/json",
       Answered::claim},
      {"delete claim", engine::DeleteClaim{claim, uid, rv}, "DELETE", claims, "application/json",
       Answered::nothing},
      {"name claim", engine::NameExtendedClaim{pod, uid, "c0", {}}, "PATCH",
       std::string(pods) + "/status", merge, Answered::pod},
      {"charge node", engine::SetNodeAllocatable{pod, uid, {}}, "PATCH",
       std::string(pods) + "/status", "application/merge-patch+json", Answered::pod},
      {"read claim", engine::ReadClaim{claim}, "GET", claims, "", Answered::claim}};
}

std::vector<Sent> of_own_objects() {
  const std::string maps = "/api/v1/namespaces/dray-system/configmaps";
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/dray-system/leases";
  return {{"read lease", engine::ReadLease{lease}, "GET", leases + "/dray", "", Answered::lease},
          {"put lease", engine::PutLease{lease, rv, {}}, "PUT", leases + "/dray",
           "application/json", Answered::lease},
          {"first lease", engine::PutLease{lease, {}, {}}, "POST", leases, "application/json",
           Answered::lease},
          {"read config map", engine::ReadConfigMap{map}, "GET", maps + "/dray-usage", "",
           Answered::config_map},
          {"put config map", engine::PutConfigMap{map, rv, {}}, "PUT", maps + "/dray-usage",
           "application/json", Answered::config_map},
          {"first config map", engine::PutConfigMap{map, {}, {}}, "POST", maps, "application/json",
           Answered::config_map}};
}

}  // namespace

TEST_CASE("each write goes to its place with its verb and type") {
  auto rows = of_pods();
  std::ranges::move(of_claims(), std::back_inserter(rows));
  std::ranges::move(of_own_objects(), std::back_inserter(rows));
  const auto row = GENERATE_COPY(from_range(rows));
  DYNAMIC_SECTION(row.name) {
    const auto request = request_for(row.write, {});
    CHECK(request.http.method == row.method);
    CHECK(request.http.target == row.target);
    CHECK(request.http.header("Content-Type") == row.type);
    CHECK(request.answered == row.answered);
    CHECK(request.http.body.empty() == (request.http.method == "GET"));
  }
}

TEST_CASE("what is deleted is named by its uid and its version: no epoch can be told of it") {
  auto rows = of_pods();
  std::ranges::move(of_claims(), std::back_inserter(rows));
  std::ranges::move(of_own_objects(), std::back_inserter(rows));
  int deletes = 0;
  for (const auto& row : rows) {
    const auto request = request_for(row.write, {});
    if (request.http.method != "DELETE") continue;
    CAPTURE(row.name);
    CHECK_THAT(request.http.body,
               Catch::Contains(R"("preconditions":{"uid":"u1","resourceVersion":"7"})"));
    ++deletes;
  }
  CHECK(deletes == 1);
}

TEST_CASE("claim patches say what changes, of which claim, in which version") {
  struct Row {
    const char* name;
    engine::Write write;
    const char* body;
  };
  const auto row = GENERATE_COPY(
      Row{"protect", engine::ProtectClaim{claim, uid, rv},
          R"({"metadata":{"uid":"u1","resourceVersion":"7",)"
          R"("finalizers":["resource.kubernetes.io/delete-protection"]}})"},
      Row{"allocate", engine::AllocateClaim{claim, uid, rv, one_device(), {user}},
          R"({"metadata":{"uid":"u1","resourceVersion":"7"},"status":{"allocation":{"devices":)"
          R"({"results":[{"request":"gpu","driver":"d","pool":"p","device":"g0"}]}},)"
          R"("reservedFor":[{"resource":"pods","name":"p0","uid":"u2"}]}})"},
      Row{"reserve", engine::ReserveClaim{claim, uid, rv, user},
          R"({"metadata":{"uid":"u1","resourceVersion":"7"},"status":)"
          R"({"reservedFor":[{"resource":"pods","name":"p0","uid":"u2"}]}})"});
  DYNAMIC_SECTION(row.name) {
    CHECK(request_for(row.write, {}).http.body == row.body);
  }
}

TEST_CASE("a release takes off what is there, and the allocation with the last user") {
  const ClaimConsumer other{"", "pods", "p1", Uid("u3")};
  const std::string head = R"({"metadata":{"uid":"u1","resourceVersion":"7"},"status":{)";
  const std::string ours = R"("reservedFor":[{"$patch":"delete","uid":"u2"}])";
  struct Row {
    const char* name;
    std::vector<ClaimConsumer> users;
    bool deallocate;
    std::string body;
  };
  const auto row = GENERATE_COPY(
      Row{"the last user", {user}, true, head + R"("allocation":null,)" + ours + "}}"},
      Row{"the last user, devices kept", {user}, false, head + ours + "}}"},
      Row{"one of two", {user, other}, true, head + ours + "}}"},
      Row{"nobody, allocated", {}, true, head + R"("allocation":null}})"},
      Row{"nobody, devices kept", {}, false, ""}, Row{"somebody else", {other}, true, ""});
  DYNAMIC_SECTION(row.name) {
    const engine::ReleaseClaim release{claim, uid, user.uid, row.deallocate};
    CHECK(release_request(release, allocated_claim(row.users), {}).http.body == row.body);
  }
}

TEST_CASE("a release of what may still be on its way moves the claim's version at least") {
  const engine::ReleaseClaim release{
      .claim = claim, .uid = uid, .consumer = user.uid, .deallocate = false, .fence = true};
  const auto request = release_request(release, allocated_claim({}), {});
  CHECK(request.http.target == "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c0");
  CHECK(request.http.body ==
        R"({"metadata":{"uid":"u1","resourceVersion":"7","annotations":{"dray.dev/undone":"7"}}})");
}

TEST_CASE("claims are written in the version that is served") {
  WriteContext context;
  context.claim_version = "v1beta1";
  CHECK(request_for(engine::ReadClaim{claim}, context).http.target ==
        "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims/c0");
}

TEST_CASE("an Event tells the trace that it is of") {
  WriteContext context;
  const engine::Write event = engine::RecordEvent{pod, uid, {}};
  CHECK_FALSE(request_for(event, context).http.body.contains("annotations"));
  context.trace = "0af7651916cd43dd8448eb211c80319c";
  CHECK(request_for(event, context)
            .http.body.contains(
                R"("annotations":{"dray.dev/trace-id":"0af7651916cd43dd8448eb211c80319c"})"));
}

}  // namespace dray::kube::write_request_test
