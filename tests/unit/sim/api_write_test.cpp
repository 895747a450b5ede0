#include <catch2/catch.hpp>

#include "dray/sim/api_server.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/pods.h"

namespace dray::api_write_test {

using namespace dray::sim;
using namespace dray::testing;

namespace {

struct Cluster {
  ApiServer server;
  Pod pod;
  ResourceClaim claim;

  Cluster() : server(ApiServerOptions{.gate_pods = true}) {
    pod = std::get<Pod>(*server.create(make_pod("p0"), at(0)));
    claim = std::get<ResourceClaim>(*server.create(make_claim("c0", 1), at(0)));
  }
  [[nodiscard]] const Pod& p0() const { return *server.find<Pod>("default", "p0"); }
  [[nodiscard]] const ResourceClaim& c0() const {
    return *server.find<ResourceClaim>("default", "c0");
  }
  [[nodiscard]] ResourceVersion version() const { return c0().meta.resource_version; }
  engine::WriteOutcome write(const engine::Write& w) { return server.write(w, at(1)); }
  void allocate() {
    REQUIRE(write(engine::AllocateClaim{claim.key(),
                                        claim.meta.uid,
                                        version(),
                                        allocation({device_id("n0", "gpu-0")}),
                                        {consumer("p0", pod.meta.uid)}}));
  }
};

ErrorCode code(const engine::WriteOutcome& outcome) {
  REQUIRE(!outcome);
  return outcome.error().code;
}

}  // namespace

TEST_CASE("lifting takes dray's gate and sets annotations in one write") {
  Cluster c;
  const engine::LiftGate lift{c.pod.key(), c.pod.meta.uid, {{"dray.dev/reservation", "n0"}}};
  const auto before = c.server.revision();
  const auto outcome = c.write(lift);
  REQUIRE(outcome);
  CHECK(std::get<Pod>(*outcome).scheduling_gates.empty());
  CHECK(c.p0().meta.annotations.at("dray.dev/reservation") == "n0");
  CHECK(c.server.revision() == before + 1);
  CHECK(c.write(lift));  // once more, after a lost answer
  CHECK(code(c.write(engine::LiftGate{c.pod.key(), Uid("other"), {}})) == ErrorCode::conflict);
  CHECK(code(c.write(engine::LiftGate{{"default", "p1"}, c.pod.meta.uid, {}})) ==
        ErrorCode::not_found);
}

TEST_CASE("other gates stay") {
  Cluster c;
  auto pod = make_pod("p1");
  pod.scheduling_gates = {"other.io/x"};
  pod = std::get<Pod>(*c.server.create(pod, at(0)));
  CHECK(pod.scheduling_gates == std::vector<std::string>{"other.io/x", "dray.dev/admission"});
  REQUIRE(c.write(engine::LiftGate{pod.key(), pod.meta.uid, {}}));
  CHECK(c.server.find<Pod>("default", "p1")->scheduling_gates ==
        std::vector<std::string>{"other.io/x"});
}

TEST_CASE("a claim is protected, allocated, shared and released") {
  Cluster c;
  const auto expected = c.version();
  const engine::ProtectClaim protect{c.claim.key(), c.claim.meta.uid, expected};
  REQUIRE(c.write(protect));
  CHECK(c.c0().meta.finalizers == std::vector<std::string>{claim_finalizer});
  CHECK(code(c.write(protect)) == ErrorCode::conflict);
  c.allocate();
  CHECK(c.c0().reserved_for.size() == 1);
  CHECK(c.c0().meta.finalizers.size() == 1);

  REQUIRE(c.write(engine::ReserveClaim{c.claim.key(), c.claim.meta.uid, c.version(),
                                       consumer("p1", Uid("u1"))}));
  CHECK(c.c0().reserved_for.size() == 2);
  REQUIRE(c.write(engine::ReleaseClaim{c.claim.key(), c.claim.meta.uid, c.pod.meta.uid, true}));
  CHECK(c.c0().reserved_for.size() == 1);
  CHECK(c.c0().allocation);
  REQUIRE(c.write(engine::ReleaseClaim{c.claim.key(), c.claim.meta.uid, Uid("u1"), false}));
  CHECK(c.c0().allocation);
  REQUIRE(c.write(engine::ReleaseClaim{c.claim.key(), c.claim.meta.uid, Uid("u1"), true}));
  CHECK(!c.c0().allocation);
  CHECK(code(c.write(engine::ReleaseClaim{c.claim.key(), Uid("other"), Uid("u1"), true})) ==
        ErrorCode::conflict);
}

TEST_CASE("a patch of what is there leaves what it does not name") {
  Cluster c;
  c.allocate();
  auto again = allocation({device_id("n0", "gpu-0")});
  const auto allocate_for = [&](const char* user) {
    return c.write(engine::AllocateClaim{
        c.claim.key(), c.claim.meta.uid, c.version(), again, {consumer(user, Uid(user))}});
  };
  REQUIRE(allocate_for("u1"));
  REQUIRE(c.c0().reserved_for.size() == 2);
  CHECK(c.c0().reserved_for[1].uid == c.pod.meta.uid);
  const auto before = c.server.revision();
  REQUIRE(allocate_for("u1"));
  CHECK(c.server.revision() == before);
  again.node_selector = NodeSelector{{NodeSelectorTerm{}}};
  CHECK(code(allocate_for("u1")) == ErrorCode::invalid);

  const auto key = c.pod.key();
  const auto uid = c.pod.meta.uid;
  REQUIRE(c.write(engine::SetPodCondition{key, uid, {"DrayAdmitted", "False", "R", "m", at(3)}}));
  REQUIRE(c.write(engine::SetPodCondition{key, uid, {"DrayAdmitted", "True", "", "", {}}}));
  const Condition want{"DrayAdmitted", "True", "R", "m", at(3)};
  CHECK(c.p0().conditions.front() == want);
}

TEST_CASE("a release changes what it read, or nothing") {
  Cluster c;
  c.allocate();
  const auto read_at = c.version();
  REQUIRE(c.write(
      engine::ReserveClaim{c.claim.key(), c.claim.meta.uid, read_at, consumer("p1", Uid("u1"))}));
  const engine::ReleaseClaim release{c.claim.key(), c.claim.meta.uid, Uid("u1"), true};
  CHECK(code(c.server.write(release, at(1), read_at)) == ErrorCode::conflict);
  CHECK(c.c0().reserved_for.size() == 2);
  CHECK(c.server.write(release, at(1), c.version()));
  CHECK(c.c0().reserved_for.size() == 1);
}

TEST_CASE("a claim for extended resources is made once, named, and deleted") {
  Cluster c;
  auto made = make_claim("extra", 1);
  const auto outcome = c.write(engine::CreateClaim{made});
  REQUIRE(outcome);
  const auto uid = std::get<ResourceClaim>(*outcome).meta.uid;
  const auto version = [&] {
    return c.server.find<ResourceClaim>("default", "extra")->meta.resource_version;
  };
  CHECK(code(c.write(engine::CreateClaim{made})) == ErrorCode::conflict);
  CHECK(c.write(engine::NameExtendedClaim{c.pod.key(), c.pod.meta.uid, "extra", {}}));
  CHECK(c.write(engine::SetNodeAllocatable{c.pod.key(), c.pod.meta.uid, {{"c0", {}, {}, {}}}}));
  CHECK(c.p0().extended_resource_claim == "extra");
  const auto now = version();
  CHECK(code(c.write(engine::DeleteClaim{made.key(), Uid("other"), now})) == ErrorCode::conflict);
  CHECK(code(c.write(engine::DeleteClaim{made.key(), uid, ResourceVersion("0")})) ==
        ErrorCode::conflict);
  CHECK(c.write(engine::DeleteClaim{made.key(), uid, now}));
  CHECK(c.server.find<ResourceClaim>("default", "extra") == nullptr);
  CHECK(c.write(engine::DeleteClaim{made.key(), uid, now}));  // not there any more
}

TEST_CASE("claim writes hold to what they expect") {
  Cluster c;
  const auto stale = c.version();
  c.allocate();
  const auto key = c.claim.key();
  const auto uid = c.claim.meta.uid;
  CHECK(code(c.write(engine::AllocateClaim{
            key, uid, stale, allocation({device_id("n0", "gpu-1")}), {}})) == ErrorCode::conflict);
  CHECK(code(c.write(engine::AllocateClaim{
            key, uid, c.version(), allocation({device_id("n0", "gpu-1")}), {}})) ==
        ErrorCode::invalid);
  CHECK(code(c.write(engine::ReserveClaim{{"default", "c1"}, uid, stale, {}})) ==
        ErrorCode::not_found);
  REQUIRE(c.server.remove(Kind::resource_claim, "default", "c0", {}, at(2)));
  CHECK(code(c.write(engine::ReadClaim{key})) == ErrorCode::not_found);
}

TEST_CASE("pod status writes") {
  Cluster c;
  const auto key = c.pod.key();
  const auto uid = c.pod.meta.uid;
  REQUIRE(c.write(engine::NominateNode{key, uid, NodeName("n1")}));
  CHECK(c.p0().nominated_node == NodeName("n1"));
  REQUIRE(c.write(engine::SetPodCondition{key, uid, {"DrayAdmitted", "False", "R", "m", {}}}));
  const auto before = c.server.revision();
  REQUIRE(c.write(engine::SetPodCondition{key, uid, {"DrayAdmitted", "False", "R", "m", {}}}));
  CHECK(c.server.revision() == before);
  const auto touch = [&](double time) {
    REQUIRE(
        c.write(engine::SetPodCondition{key, uid, {"DrayAdmitted", "False", "R", "m", at(time)}}));
  };
  touch(5);
  CHECK(c.server.revision() == before + 1);
  touch(5.9);  // the same second: nothing changes, nobody wakes
  CHECK(c.server.revision() == before + 1);
  touch(6);
  CHECK(c.server.revision() == before + 2);
  REQUIRE(c.write(engine::LiftGate{key, uid, {}}));
  REQUIRE(c.write(engine::BindPod{key, uid, NodeName("n1")}));
  CHECK(!c.p0().nominated_node);
  CHECK(code(c.write(engine::NominateNode{key, uid, NodeName("n1")})) == ErrorCode::invalid);
  CHECK(c.write(engine::NominateNode{key, uid, std::nullopt}));
}

TEST_CASE("eviction") {
  Cluster c;
  const auto key = c.pod.key();
  const auto uid = c.pod.meta.uid;
  CHECK(c.write(engine::EvictPod{key, uid, true}));
  CHECK(c.p0().conditions.size() == 1);
  REQUIRE(c.write(engine::LiftGate{key, uid, {}}));
  REQUIRE(c.write(engine::BindPod{key, uid, NodeName("n1")}));
  CHECK(code(c.write(engine::EvictPod{key, Uid("other"), false})) == ErrorCode::conflict);
  REQUIRE(c.write(engine::EvictPod{key, uid, false}));
  CHECK(c.p0().meta.deleted);
  CHECK(c.p0().conditions.back().type == "DisruptionTarget");
}

TEST_CASE("events are kept up to a bound") {
  Cluster c;
  REQUIRE(c.write(engine::RecordEvent{c.pod.key(), c.pod.meta.uid, {"Normal", "R", "a", "n"}}));
  REQUIRE(c.server.events().size() == 1);
  CHECK(c.server.events().front().event.note == "n");
}

TEST_CASE("leases") {
  Cluster c;
  const LeaseKey key{"dray", "leader"};
  Lease lease;
  lease.holder = "a";
  REQUIRE(c.write(engine::PutLease{key, {}, lease}));
  CHECK(code(c.write(engine::PutLease{key, {}, lease})) == ErrorCode::conflict);
  const auto stored = *c.server.find<Lease>("dray", "leader");
  lease.holder = "b";
  const auto won = c.write(engine::PutLease{key, stored.meta.resource_version, lease});
  REQUIRE(won);
  CHECK(std::get<Lease>(*won).holder == "b");
  CHECK(code(c.write(engine::PutLease{key, stored.meta.resource_version, lease})) ==
        ErrorCode::conflict);
}

}  // namespace dray::api_write_test
