#include "dray/sim/claim_controller.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "dray/sim/kubelet.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/pods.h"

namespace dray::claim_controller_test {

using namespace dray::sim;
using namespace dray::testing;

namespace {

/// A server and the controller, which sees the changes in their order.
struct Cluster {
  ApiServer server{{.protect_claims = true}};
  ClaimController controller;
  std::array<Watch, 3> watches{ApiServer::watch(Kind::pod, 1),
                               ApiServer::watch(Kind::resource_claim, 1),
                               ApiServer::watch(Kind::resource_claim_template, 1)};

  void settle(Time now) {
    for (bool busy = true; busy;) {
      busy = false;
      std::map<std::uint64_t, WatchEvent> in_order;
      for (auto& watch : watches) {
        const auto events = server.poll(watch, 1000).value();
        for (const auto& event : events) in_order[event.revision] = event;
      }
      for (const auto& [revision, event] : in_order) {
        controller.observe(event);
        busy = true;
      }
      while (controller.work(server, now)) busy = true;
    }
  }
  Pod add(Pod pod, Time now = at(0)) {
    auto stored = std::get<Pod>(*server.create(std::move(pod), now));
    settle(now);
    return *server.find<Pod>("default", stored.meta.name);
  }
  [[nodiscard]] std::vector<ResourceClaim> claims() const {
    std::vector<ResourceClaim> all;
    for (const auto& item : server.list(Kind::resource_claim).items) {
      all.push_back(std::get<ResourceClaim>(*item));
    }
    return all;
  }
  void allocate(const ResourceClaim& claim, const Pod& pod) {
    REQUIRE(server.write(
        engine::AllocateClaim{
            claim.key(),
            claim.meta.uid,
            server.find<ResourceClaim>("default", claim.meta.name)->meta.resource_version,
            allocation({device_id("n0", "gpu-0")}),
            {consumer(pod.meta.name, pod.meta.uid)}},
        at(1)));
    settle(at(1));
  }
  void set_phase(const Pod& pod, const std::string& phase, Time now = at(2)) {
    REQUIRE(server.patch(
        Kind::pod, "default", pod.meta.name, Endpoint::status,
        [&](KubeObject& o) -> Result<void> {
          std::get<Pod>(o).phase = phase;
          return {};
        },
        now));
    settle(now);
  }
};

Pod pod_with_template(const std::string& name) {
  return with_template(make_pod(name), "one-gpu", "gpu");
}

ResourceClaimTemplate one_gpu_template() {
  auto made = make_template("one-gpu", {request("gpu", exactly(1, "gpu"))});
  made.claim_labels = {{"made-by", "template"}};
  return made;
}

}  // namespace

TEST_CASE("a claim is made from the template, also for a gated pod") {
  Cluster c;
  REQUIRE(c.server.create(one_gpu_template(), at(0)));
  auto pod = pod_with_template("p0");
  pod.scheduling_gates = {"dray.dev/admission"};
  pod = c.add(pod);
  REQUIRE(c.claims().size() == 1);
  const auto claim = c.claims().front();
  CHECK(claim.meta.name.starts_with("p0-gpu-"));
  CHECK(claim.meta.labels.at("made-by") == "template");
  CHECK(claim.meta.annotations.at("resource.kubernetes.io/pod-claim-name") == "gpu");
  REQUIRE(claim.meta.owners.size() == 1);
  CHECK(claim.meta.owners.front().uid == pod.meta.uid);
  REQUIRE(pod.resource_claim_statuses.size() == 1);
  CHECK(pod.resource_claim_statuses.front().claim_name == claim.meta.name);
}

TEST_CASE("a template that comes late") {
  Cluster c;
  CHECK(c.add(pod_with_template("p0")).resource_claim_statuses.empty());
  CHECK(!c.server.events().empty());
  REQUIRE(c.server.create(one_gpu_template(), at(1)));
  c.settle(at(1));
  CHECK(c.claims().size() == 1);
}

TEST_CASE("a claim that was made but not named is found again") {
  Cluster c;
  REQUIRE(c.server.create(one_gpu_template(), at(0)));
  const auto pod = c.add(pod_with_template("p0"));
  REQUIRE(c.server.patch(
      Kind::pod, "default", "p0", Endpoint::main,
      [](KubeObject& o) -> Result<void> {
        meta_of(o).labels["touched"] = "yes";
        return {};
      },
      at(1)));
  c.settle(at(1));
  CHECK(c.claims().size() == 1);
}

TEST_CASE("a deleted claim is made anew, but not before its maker stops believing in it") {
  Cluster c;
  REQUIRE(c.server.create(one_gpu_template(), at(0)));
  const auto pod = c.add(pod_with_template("p0"));
  const auto first = c.claims().front();
  REQUIRE(c.server.remove(Kind::resource_claim, "default", first.meta.name, {}, at(1)));
  c.settle(at(1));
  CHECK(c.claims().empty());
  c.set_phase(pod, "Unknown");
  CHECK(c.claims().empty());
  c.settle(at(3601));
  c.set_phase(pod, "Pending", at(3601));
  REQUIRE(c.claims().size() == 1);
  CHECK(c.claims().front().meta.uid != first.meta.uid);
  CHECK(c.server.find<Pod>("default", "p0")->resource_claim_statuses.front().claim_name ==
        c.claims().front().meta.name);
}

TEST_CASE("a claim that its maker has looked at since is made anew at once") {
  Cluster c;
  REQUIRE(c.server.create(one_gpu_template(), at(0)));
  auto pod = pod_with_template("p0");
  pod = c.add(with_template(pod, "late", "other"));  // whose retries look at the first
  REQUIRE(c.claims().size() == 1);
  const auto first = c.claims().front();
  auto late = one_gpu_template();
  late.meta.name = "late";
  REQUIRE(c.server.create(late, at(1)));
  c.settle(at(1));
  REQUIRE(c.claims().size() == 2);
  REQUIRE(c.server.remove(Kind::resource_claim, "default", first.meta.name, {}, at(2)));
  c.settle(at(2));
  REQUIRE(c.claims().size() == 2);
  CHECK(c.server.find<ResourceClaim>("default", first.meta.name) == nullptr);
}

TEST_CASE("a pod that is done frees its claims") {
  Cluster c;
  REQUIRE(c.server.create(one_gpu_template(), at(0)));
  const auto pod = c.add(pod_with_template("p0"));
  c.allocate(c.claims().front(), pod);
  REQUIRE(c.server.bind(pod.key(), pod.meta.uid, NodeName("n0"), at(1)));
  c.settle(at(1));
  SECTION("a running pod keeps them") {
    c.set_phase(pod, "Running");
    CHECK(c.claims().front().allocation);
  }
  SECTION("so does one that is marked for deletion") {
    REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(2)));
    c.settle(at(2));
    CHECK(c.claims().front().allocation);
  }
  SECTION("succeeded: the generated claim goes, the pod stays") {
    c.set_phase(pod, "Succeeded");
    CHECK(c.claims().empty());
    CHECK(c.server.find<Pod>("default", "p0") != nullptr);
  }
  SECTION("deleted") {
    REQUIRE(c.server.remove(Kind::pod, "default", "p0",
                            {.uid = {}, .resource_version = {}, .grace_seconds = 0}, at(2)));
    c.settle(at(2));
    CHECK(c.claims().empty());
  }
}

TEST_CASE("a waiting pod that is deleted takes its claim along") {
  Cluster c;
  REQUIRE(c.server.create(one_gpu_template(), at(0)));
  c.add(pod_with_template("p0"));
  REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(1)));
  c.settle(at(1));
  CHECK(c.claims().empty());
}

TEST_CASE("a user's claim is deallocated with its last user and loses the finalizer") {
  Cluster c;
  auto claim = std::get<ResourceClaim>(*c.server.create(make_claim("shared", 1), at(0)));
  auto pod = with_claim(make_pod("p0"), "shared", "gpu");
  pod = c.add(pod);
  SECTION("with the finalizer") {
    c.allocate(claim, pod);
    REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(2)));
    c.settle(at(2));
    REQUIRE(c.claims().size() == 1);
    CHECK(!c.claims().front().allocation);
    CHECK(c.claims().front().reserved_for.empty());
    CHECK(c.claims().front().meta.finalizers.empty());
  }
  SECTION("without it the allocation stays for ever") {
    claim.meta.finalizers.clear();
    REQUIRE(c.server.update(claim, Endpoint::main, at(1)));
    c.allocate(claim, pod);
    REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(2)));
    c.settle(at(2));
    CHECK(c.claims().front().allocation);
  }
  SECTION("allocated but never reserved is not cleaned up") {
    auto next = *c.server.find<ResourceClaim>("default", "shared");
    next.allocation = allocation({device_id("n0", "gpu-0")});
    REQUIRE(c.server.update(next, Endpoint::status, at(1)));
    c.settle(at(1));
    REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(2)));
    c.settle(at(2));
    CHECK(c.claims().front().allocation);
  }
  SECTION("never used: deletion ends at once") {
    REQUIRE(c.server.remove(Kind::resource_claim, "default", "shared", {}, at(2)));
    c.settle(at(2));
    CHECK(c.claims().empty());
  }
  SECTION("deletion waits for the users") {
    c.allocate(claim, pod);
    REQUIRE(c.server.remove(Kind::resource_claim, "default", "shared", {}, at(2)));
    c.settle(at(2));
    CHECK(c.claims().size() == 1);
    REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(3)));
    c.settle(at(3));
    CHECK(c.claims().empty());
  }
}

TEST_CASE("an allocated claim is reserved for a bound pod that lacks it") {
  Cluster c;
  const auto claim = std::get<ResourceClaim>(*c.server.create(make_claim("shared", 1), at(0)));
  auto pod = with_claim(make_pod("p0"), "shared", "gpu");
  pod = c.add(pod);
  c.allocate(claim, c.add(make_pod("other")));
  REQUIRE(c.server.bind(pod.key(), pod.meta.uid, NodeName("n0"), at(2)));
  c.settle(at(2));
  CHECK(c.claims().front().reserved_for.size() == 2);
}

TEST_CASE("a stale claim is a conflict, and done again later") {
  Cluster c;
  const auto claim = std::get<ResourceClaim>(*c.server.create(make_claim("shared", 1), at(0)));
  const auto pod = c.add(make_pod("p0"));
  c.allocate(claim, pod);
  REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(2)));
  // The controller hears of the pod, not yet of this change of the claim.
  REQUIRE(c.server.patch(
      Kind::resource_claim, "default", "shared", Endpoint::main,
      [](KubeObject& o) -> Result<void> {
        meta_of(o).labels["touched"] = "yes";
        return {};
      },
      at(2)));
  const auto events = c.server.poll(c.watches[0], 10).value();
  for (const auto& event : events) c.controller.observe(event);
  while (c.controller.work(c.server, at(2))) {
  }
  CHECK(c.claims().front().allocation);
  c.settle(at(3));
  CHECK(!c.claims().front().allocation);
}

}  // namespace dray::claim_controller_test
