#include "dray/cluster/node_allocatable.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::node_allocatable_test {

using namespace dray::testing;
using cluster::AllocatedState;
using cluster::NodeAllocatableLack;

namespace {

NodeAllocatableResource mapped(NodeAllocatableMapping mapping) {
  return {.mapping = std::move(mapping), .overhead = std::nullopt};
}

/// Node n1 with eight CPUs and sixteen GiB, and devices that are some of them, or cost some.
struct OneNode {
  cluster::ClusterState cluster;
  Pod user = make_pod("p");
  ResourceClaim asked = make_claim("c");

  OneNode() {
    auto host = make_node("n1", 8);
    host.allocatable["memory"] = quantity("16Gi");
    put(cluster, host);
    auto pool_of_cpus = device("cpus");
    pool_of_cpus.allow_multiple_allocations = true;
    pool_of_cpus.capacity["cores"].value = quantity("8");
    pool_of_cpus.node_allocatable_resources["cpu"] = mapped(
        {.capacity_key = "cores", .capacity_multiplier = quantity("2"), .device_multiplier = {}});
    auto complex = device("complex");
    complex.node_allocatable_resources["cpu"] =
        mapped({.capacity_key = {}, .capacity_multiplier = {}, .device_multiplier = quantity("4")});
    auto gpu = device("gpu");
    gpu.node_allocatable_resources["memory"].overhead = {
        {.per_pod = quantity("1Gi"), .per_container = quantity("2Gi")}};
    put(cluster, make_slice("n1", {pool_of_cpus, complex, gpu, device("plain")}));
    user.resource_claims.push_back(
        {.name = "dev", .claim_name = asked.meta.name, .template_name = {}});
    user.containers[0].name = "main";
    user.containers[0].claims = {"dev"};
  }

  [[nodiscard]] cluster::NodeIndex n1() { return *cluster.snapshot()->node(NodeName("n1")); }

  Result<std::vector<NodeAllocatableClaim>> claims(AllocationResult allocation) {
    const auto made = placement(user, "n1", {{asked, std::move(allocation)}});
    return cluster::node_allocatable_claims(*cluster.snapshot(), n1(), user, made.claims);
  }
  std::optional<NodeAllocatableLack> lack(AllocationResult allocation) {
    const AllocatedState state(cluster.snapshot());
    const auto devices = claims(std::move(allocation));
    return cluster::node_allocatable_lack(state, n1(), user, devices.value());
  }
  bool fits(AllocationResult allocation) { return !lack(std::move(allocation)); }
};

AllocationResult share(const char* cores) {
  auto made = allocation({device_id("n1", "cpus")});
  made.devices[0].share_id = "00000000-0000-4000-8000-000000000000";
  made.devices[0].consumed_capacity = {{"cores", quantity(cores)}};
  return made;
}

}  // namespace

TEST_CASE("what devices take of their node, claim by claim") {
  OneNode one;
  const auto first = [&](AllocationResult allocation) {
    const auto all = one.claims(std::move(allocation));
    REQUIRE(all.has_value());
    REQUIRE(all->size() == 1);
    CHECK(all->front().claim == "c");
    CHECK(all->front().containers == std::vector<std::string>{"main"});
    return all->front();
  };
  SECTION("a share by its capacity") {
    CHECK(first(share("3")).mapping ==
          std::vector<NodeAllocatableClaim::Mapped>{{"cpu", quantity("6")}});
  }
  SECTION("a device as a whole, beside a share") {
    auto both = share("1");
    both.devices.push_back(allocation({device_id("n1", "complex")}).devices[0]);
    CHECK(first(both).mapping.front().quantity == quantity("6"));
  }
  SECTION("overhead") {
    const auto said = first(allocation({device_id("n1", "gpu")}));
    CHECK(said.mapping.empty());
    CHECK(said.overhead.front().name == "memory");
    CHECK(*said.overhead.front().amounts.per_container == quantity("2Gi"));
  }
  SECTION("nothing") {
    CHECK(one.claims(allocation({device_id("n1", "plain")}))->empty());
  }
}

TEST_CASE("a capacity that nothing was consumed of is an error, as upstream's") {
  OneNode one;
  const auto claims = one.claims(allocation({device_id("n1", "cpus")}));
  REQUIRE(!claims.has_value());
  CHECK(claims.error().message ==
        "claim default/c, device cpus: ConsumedCapacity is nil, but Capacity key 'cores' is set in "
        "NodeAllocatableResources for resource cpu");
}

TEST_CASE("the node must have room for the pod with its devices") {
  OneNode one;
  CHECK(one.fits(share("3")));   // 1 + 6 of 8
  CHECK(!one.fits(share("4")));  // 1 + 8
  SECTION("beside what others take") {
    auto other = make_pod("other", {{"cpu", quantity("2")}});
    other.node_name = NodeName("n1");
    put(one.cluster, other);
    CHECK(!one.fits(share("3")));
  }
  SECTION("also what devices of others take, by their pods' status") {
    auto other = make_pod("other", {{"cpu", quantity("0")}});
    other.node_name = NodeName("n1");
    other.node_allocatable_claims = one.claims(share("1")).value();
    put(one.cluster, other);
    CHECK(!one.fits(share("3")));
  }
  SECTION("overhead by container") {
    const auto gpu = allocation({device_id("n1", "gpu")});
    one.user.containers[0].requests["memory"] = quantity("13Gi");
    CHECK(one.fits(gpu));
    one.user.containers.push_back(one.user.containers[0]);
    one.user.containers[1].requests["memory"] = quantity("0");
    CHECK(!one.fits(gpu));
  }
}

TEST_CASE("what the pod says of itself as a whole covers its devices") {
  OneNode one;
  one.user.pod_requests = {{"cpu", quantity("2")}};
  CHECK(!one.fits(share("1")));  // 1 + 2 of 2
  one.user.pod_requests = {{"cpu", quantity("3")}};
  CHECK(one.fits(share("1")));
  one.user.containers[0].limits = {{"cpu", quantity("2")}};
  one.user.pod_limits = {{"cpu", quantity("3")}};
  CHECK(!one.fits(share("1")));  // 2 + 2 of 3
  one.user.pod_limits = {{"cpu", quantity("4")}};
  CHECK(one.fits(share("1")));
  // Huge pages by the sum of all containers.
  one.user.containers.push_back(one.user.containers[0]);
  for (auto& container : one.user.containers)
    container.limits = {{"hugepages-2Mi", quantity("4Mi")}};
  one.user.pod_requests.reset();
  one.user.pod_limits = {{"hugepages-2Mi", quantity("8Mi")}};
  CHECK(one.fits(share("1")));
  one.user.pod_limits = {{"hugepages-2Mi", quantity("6Mi")}};
  CHECK(!one.fits(share("1")));
}

TEST_CASE("what lacks is told with its numbers, and what of it is the devices'") {
  OneNode one;
  CHECK(one.lack(share("4")) ==
        NodeAllocatableLack{.resource = "cpu", .wanted = 9000, .devices = 8000, .left = 8000});
  one.user.containers[0].requests["memory"] = quantity("15Gi");
  const auto gpu = allocation({device_id("n1", "gpu")});
  constexpr std::int64_t gi = 1LL << 30;
  CHECK(one.lack(gpu) ==
        NodeAllocatableLack{
            .resource = "memory", .wanted = 18 * gi, .devices = 3 * gi, .left = 16 * gi});
  SECTION("of the pod's own requests") {
    one.user.pod_requests = {{"cpu", quantity("2")}};
    CHECK(one.lack(share("1")) ==
          NodeAllocatableLack{
              .resource = "cpu", .wanted = 3000, .devices = 2000, .left = 2000, .of_pod = true});
  }
  SECTION("of its limits") {
    one.user.containers[0].limits = {{"cpu", quantity("2")}};
    one.user.pod_limits = {{"cpu", quantity("3")}};
    CHECK(one.lack(share("1")) ==
          NodeAllocatableLack{
              .resource = "cpu", .wanted = 4000, .devices = 2000, .left = 3000, .of_pod = true});
  }
}

TEST_CASE("a device that is a resource of the node cannot be shared by pods, one that costs can") {
  OneNode one;
  const auto stands = [&](const char* name) {
    return cluster::stands_for_node_resource(*one.cluster.snapshot(),
                                             allocation({device_id("n1", name)}));
  };
  CHECK(stands("complex"));
  CHECK(!stands("gpu"));
  CHECK(!stands("plain"));
}

}  // namespace dray::node_allocatable_test
