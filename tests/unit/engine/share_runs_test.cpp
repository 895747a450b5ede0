#include "engine/protocol/share_runs.h"

#include <catch2/catch.hpp>

#include "dray/engine/share_claim.h"
#include "tests/unit/engine/commands.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::share_runs_test {
namespace {

using namespace std::chrono_literals;

const WriteOutcome done = WrittenObject{};
const std::string soon = "plan at " + std::to_string((start + 1s).time_since_epoch().count());

Pod half_a_device(const std::string& name = "p") {
  auto pod = make_pod(name, "");
  pod.meta.annotations["gpu-fraction"] = "0.5";
  add_share_entry(pod);
  return pod;
}

/// One device of 40Gi that may be shared, and a pod that wants half of it.
struct World {
  cluster::ClusterState cluster;
  ShareRuns runs{cluster};

  World() { put(half_a_device()); }
  void put(const Pod& pod) {
    cluster.apply(cluster::ObjectChanged{pod});
    runs.put(pod);
  }
  void offer() {
    auto slice = make_gpus("n0", 1);
    slice.devices[0].allow_multiple_allocations = true;
    slice.devices[0].capacity["memory"] = {.value = Quantity(40LL << 30), .request_policy = {}};
    runs.put(slice);
  }
  void allow() {
    runs.set_rule(policy::Fractions{ClassName("gpu"), "memory", {}, ""}, *cluster.snapshot());
  }
  ClaimKey asked() {
    return {"default", only_write<CreateClaim>(runs.tick(start)).claim.meta.name};
  }
};

TEST_CASE("a claim is asked for once") {
  World world;
  world.allow();
  world.offer();
  const auto commands = world.runs.tick(start);
  const auto write = only_write<CreateClaim>(commands);
  CHECK(words(commands) == "CreateClaim default/" + write.claim.meta.name + " for share");
  CHECK(world.runs.tick(start).empty());
  CHECK(world.runs.refusal(Uid("uid-p")) == nullptr);
}

TEST_CASE("why there is no claim is told, and looked at again with the next plan") {
  World world;
  SECTION("no policy for it") {
    CHECK(words(world.runs.tick(start)) == "tell uid-p Unsupported: the policy has no fractions");
  }
  SECTION("no device") {
    world.allow();
    CHECK(words(world.runs.tick(start)).find("tell uid-p Unsupported: no device") == 0);
  }
  REQUIRE(world.runs.refusal(Uid("uid-p")) != nullptr);
  world.allow();
  world.offer();
  CHECK(world.runs.tick(start).size() == 1);
  CHECK(world.runs.refusal(Uid("uid-p")) == nullptr);
  CHECK(world.runs.refusal(Uid("another")) == nullptr);
}

TEST_CASE("devices that went are not offered any more") {
  World world;
  world.allow();
  world.offer();
  world.runs.erase("n0-gpus");
  CHECK(words(world.runs.tick(start)).find("tell uid-p Unsupported") == 0);
}

TEST_CASE("who does not wait is not asked for") {
  struct Row {
    std::string name;
    void (*change)(Pod&);
  };
  const auto row =
      GENERATE(Row{"found by the controller",
                   [](Pod& pod) { pod.resource_claim_statuses.push_back({share_entry, "made"}); }},
               Row{"being deleted", [](Pod& pod) { pod.meta.deleted = start; }},
               Row{"without the entry", [](Pod& pod) { pod.resource_claims.clear(); }});
  DYNAMIC_SECTION(row.name) {
    World world;
    world.allow();
    world.offer();
    auto pod = half_a_device();
    row.change(pod);
    world.put(pod);
    CHECK(world.runs.tick(start).empty());
  }
}

TEST_CASE("a pod that is gone is not asked for") {
  World world;
  world.allow();
  world.offer();
  world.runs.erase(Uid("uid-p"));
  CHECK(world.runs.tick(start).empty());
}

TEST_CASE("a claim that is deleted before the controller found it is made anew") {
  World world;
  world.allow();
  world.offer();
  const auto claim = world.asked();
  world.runs.claim_gone({"default", "another"});
  CHECK(world.runs.tick(start).empty());
  world.runs.claim_gone(claim);
  CHECK(world.runs.tick(start).size() == 1);
}

TEST_CASE("a write that failed is tried again after a while") {
  World world;
  world.allow();
  world.offer();
  static_cast<void>(world.asked());
  CHECK(words(world.runs.step(Uid("uid-p"), fail(ErrorCode::unavailable, "no answer"), start)) ==
        soon);
  CHECK(words(world.runs.tick(start + 1s - 1us)) == soon);
  CHECK(words(world.runs.tick(start + 1s)).find("CreateClaim") == 0);
}

TEST_CASE("a claim that the server finds wrong is told") {
  World world;
  world.allow();
  world.offer();
  static_cast<void>(world.asked());
  CHECK(words(world.runs.step(Uid("uid-p"), fail(ErrorCode::invalid, "422"), start)) ==
        soon + "; tell uid-p Unsupported: 422");
  REQUIRE(world.runs.refusal(Uid("uid-p")) != nullptr);
  CHECK(*world.runs.refusal(Uid("uid-p")) == "422");
}

TEST_CASE("the controller of an older pod is woken when the claim is there") {
  World world;
  world.allow();
  world.offer();
  static_cast<void>(world.asked());
  const auto outcome = GENERATE(WriteOutcome(WrittenObject{}),
                                WriteOutcome(fail(ErrorCode::conflict, "already exists")));
  CHECK(world.runs.step(Uid("uid-p"), outcome, start + 1s - 1us).empty());
  CHECK(words(world.runs.step(Uid("uid-p"), outcome, start + 1s)) ==
        "tell uid-p ClaimMissing: claim for dray-share (again)");
}

TEST_CASE("a new leader asks anew") {
  World world;
  world.allow();
  world.offer();
  static_cast<void>(world.asked());
  static_cast<void>(world.runs.step(Uid("uid-p"), fail(ErrorCode::invalid, "422"), start));
  world.runs.reset();
  CHECK(world.runs.refusal(Uid("uid-p")) == nullptr);
  CHECK(words(world.runs.tick(start)).find("CreateClaim") == 0);
}

TEST_CASE("an answer for a pod that does not wait changes nothing") {
  World world;
  CHECK(world.runs.step(Uid("another"), done, start + 1h).empty());
}

}  // namespace
}  // namespace dray::engine::share_runs_test
