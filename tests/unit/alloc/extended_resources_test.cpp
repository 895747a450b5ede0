#include "dray/alloc/extended_resources.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::extended_resources_test {

using namespace dray::testing;

namespace {

constexpr const char* gpu = "example.com/gpu";

Container asking(const std::string& name, const char* count) {
  Container made;
  made.name = name;
  made.requests = {{"cpu", quantity("1")}, {gpu, quantity(count)}};
  return made;
}

struct Fixture {
  cluster::ClusterState cluster;
  Pod asked = make_pod("p");

  Fixture() {
    auto made = make_class("gpus");
    made.extended_resource_name = gpu;
    put(cluster, made);
    asked.containers.clear();
  }

  [[nodiscard]] std::optional<alloc::ExtendedResourceClaim> claim(Node host = make_node("n1")) {
    put(cluster, std::move(host));
    const auto snapshot = cluster.snapshot();
    return alloc::extended_resource_claim(asked, *snapshot, *snapshot->node(NodeName("n1")));
  }
};

using Mapping = ExtendedResourceMapping;

}  // namespace

TEST_CASE("each container's extended resource becomes a request of the class behind it") {
  Fixture fixture;
  fixture.asked.containers = {asking("a", "2"), asking("b", "1")};
  const auto made = fixture.claim();
  REQUIRE(made);
  REQUIRE(made->claim.spec.requests.size() == 2);
  const auto& first = made->claim.spec.requests[0];
  CHECK(first.name == "container-0-request-1");
  CHECK(first.exactly->device_class == ClassName("gpus"));
  CHECK(first.exactly->count == 2);
  CHECK(made->mappings == std::vector{Mapping{"a", gpu, "container-0-request-1"},
                                      Mapping{"b", gpu, "container-1-request-1"}});
  CHECK(made->claim.meta.owners.front().uid == fixture.asked.meta.uid);
}

TEST_CASE("a node that offers the resource itself is not asked for devices") {
  Fixture fixture;
  fixture.asked.containers = {asking("a", "2")};
  auto host = make_node("n1");
  host.allocatable[gpu] = quantity("8");
  CHECK_FALSE(fixture.claim(host));
}

TEST_CASE("init containers use the devices of those after them; the most they lack is asked once") {
  Fixture fixture;
  fixture.asked.init_containers = {asking("i0", "1"), asking("i1", "3"), asking("i2", "4")};
  fixture.asked.containers = {asking("a", "2")};
  const auto made = fixture.claim();
  REQUIRE(made);
  REQUIRE(made->claim.spec.requests.size() == 2);
  CHECK(made->claim.spec.requests[0].name == "container-2-request-1");
  CHECK(made->claim.spec.requests[0].exactly->count == 2);
  CHECK(made->claim.spec.requests[1].name == "container-3-request-1");
  CHECK(made->mappings == std::vector{Mapping{"a", gpu, "container-3-request-1"},
                                      Mapping{"i0", gpu, "container-3-request-1"},
                                      Mapping{"i1", gpu, "container-3-request-1"},
                                      Mapping{"i1", gpu, "container-2-request-1"},
                                      Mapping{"i2", gpu, "container-3-request-1"},
                                      Mapping{"i2", gpu, "container-2-request-1"}});
}

TEST_CASE("of two classes behind one resource the newer counts, then the lower name") {
  Fixture fixture;
  auto same = make_class("also-gpus");
  same.extended_resource_name = gpu;
  put(fixture.cluster, same);
  CHECK(alloc::class_behind(*fixture.cluster.snapshot(), gpu)->meta.name == "also-gpus");
  auto newer = make_class("new-gpus");
  newer.extended_resource_name = gpu;
  newer.meta.created = Time{std::chrono::seconds(5)};
  put(fixture.cluster, newer);
  CHECK(alloc::class_behind(*fixture.cluster.snapshot(), gpu)->meta.name == "new-gpus");
  CHECK(alloc::class_behind(*fixture.cluster.snapshot(), "deviceclass.resource.kubernetes.io/gpus")
            ->meta.name == "gpus");
  CHECK_FALSE(alloc::class_behind(*fixture.cluster.snapshot(), "example.com/other"));
}

}  // namespace dray::extended_resources_test
