#include "alloc/search/result.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::result_test {

using namespace dray::testing;
using Texts = std::vector<std::string>;

namespace {

struct World {
  cluster::ClusterState cluster;
  alloc::AllocatorOptions options;

  World() {
    put(cluster, make_node("n1", {{"zone", "a"}}));
    put(cluster, make_class("any"));
  }
  Result<std::vector<AllocationResult>> assemble(std::vector<ResourceClaim> claims) {
    Prepared made(cluster, std::move(claims), options);
    const auto found = made.search();
    REQUIRE(found.kind == alloc::Found::Kind::found);
    preference = alloc::preference(made.prepared, found.picks);
    int shares = 0;
    return alloc::assemble(made.view, made.prepared, made.tables, options.features, found.picks,
                           NodeName("n1"), [&] { return "share-" + std::to_string(shares++); });
  }
  AllocationResult one(const ResourceClaim& claim) { return assemble({claim})->at(0); }

  std::int64_t preference = 0;
};

OpaqueConfig config(const char* parameters) {
  return {DriverName("gpu.example.com"), parameters};
}

/// The parameters of each config and whom it is for.
Texts configs(const AllocationResult& result) {
  Texts all;
  for (const auto& each : result.config) {
    auto text = std::string(each.from_class ? "class " : "claim ") + each.opaque->parameters;
    for (const auto& request : each.requests) text += " " + request;
    all.push_back(text);
  }
  return all;
}

ResourceSlice wide(const std::string& pool, NodeScope scope, std::vector<Device> devices) {
  auto made = make_slice("n1", std::move(devices));
  made.meta.name = pool;
  made.pool = PoolName(pool);
  made.scope = std::move(scope);
  return made;
}

NodeScope with_terms(std::vector<NodeSelectorRequirement> requirements, int terms = 1) {
  NodeSelector selector;
  for (int i = 0; i < terms; ++i) selector.terms.push_back({requirements, {}});
  return {.node_name = {}, .node_selector = selector};
}

}  // namespace

TEST_CASE("each device with its request, and what the driver has to know") {
  World world;
  auto ready = device("0");
  ready.binding_conditions = {"ready"};
  ready.binding_failure_conditions = {"failed"};
  put(world.cluster, make_slice("n1", {ready}));
  auto spec = exactly(1);
  spec.admin_access = true;
  spec.tolerations.push_back({"k", "Exists", "", "", {}});
  const auto made = world.one(make_claim("c", {request("r", spec)}));
  REQUIRE(made.devices.size() == 1);
  CHECK(made.devices[0].request == "r");
  CHECK(made.devices[0].device == device_id("n1", "0"));
  CHECK(made.devices[0].admin_access == true);
  CHECK(made.devices[0].tolerations.size() == 1);
  CHECK(made.devices[0].binding_conditions == Texts{"ready"});
  CHECK(made.devices[0].binding_failure_conditions == Texts{"failed"});
  CHECK_FALSE(made.devices[0].share_id);
}

TEST_CASE("a share has an id of its own and says what it consumes") {
  World world;
  put(world.cluster, make_slice("n1", {shareable("0", "4Gi")}));
  const auto made =
      world.one(make_claim("c", {request("r", share("1Gi")), request("s", share("2Gi"))}));
  REQUIRE(made.devices.size() == 2);
  CHECK(made.devices[0].share_id == "share-0");
  CHECK(made.devices[1].share_id == "share-1");
  CHECK(made.devices[0].consumed_capacity.at("memory") == quantity("1Gi"));
  CHECK(made.devices[1].consumed_capacity.at("memory") == quantity("2Gi"));
}

TEST_CASE("config of classes first, then the claim's that names a request which got devices") {
  World world;
  auto of_class = make_class("any");
  of_class.config = {config("A")};
  put(world.cluster, of_class);
  put(world.cluster, make_slice("n1", {device("0"), device("1"), device("2")}));
  auto asked = make_claim("c", {request("r", exactly(1)), request("s", exactly(1))});
  asked.spec.config = {{.requests = {"s"}, .opaque = config("B")},
                       {.requests = {}, .opaque = config("C")},
                       {.requests = {"nobody"}, .opaque = config("D")},
                       {.requests = {"s", "r"}, .opaque = config("E")}};
  // Those that are for every request name none.
  CHECK(configs(world.one(asked)) == Texts{"class A", "claim B s", "claim C", "claim E"});
}

TEST_CASE("config may name the alternative that was taken, or its request") {
  World world;
  put(world.cluster, make_slice("n1", {device("0"), device("1")}));
  DeviceRequest either;
  either.name = "either";
  either.first_available = {exactly(3), exactly(1)};
  either.first_available[0].name = "three";
  either.first_available[1].name = "one";
  auto asked = make_claim("c", {either, request("r", exactly(1))});
  asked.spec.config = {{.requests = {"either/three"}, .opaque = config("A")},
                       {.requests = {"either/one"}, .opaque = config("B")},
                       {.requests = {"either"}, .opaque = config("C")}};
  const auto made = world.one(asked);
  CHECK(made.devices[0].request == "either/one");
  CHECK(configs(made) == Texts{"claim B either/one", "claim C either"});
  CHECK(world.preference == 7);
}

TEST_CASE("the claim is bound to where its devices are") {
  World world;
  SECTION("to the node of the slice") {
    put(world.cluster, make_slice("n1", {device("0")}));
    const auto made = world.one(make_claim("c", {request("r", exactly(1))}));
    REQUIRE(made.node_selector);
    CHECK(made.node_selector->terms.at(0).match_fields.at(0).values == Texts{"n1"});
  }
  SECTION("to the node that was chosen, where the device says so") {
    auto bound = device("0");
    bound.binds_to_node = true;
    put(world.cluster,
        wide("all", {.node_name = {}, .node_selector = {}, .all_nodes = true}, {bound}));
    const auto made = world.one(make_claim("c", {request("r", exactly(1))}));
    REQUIRE(made.node_selector);
    CHECK(made.node_selector->terms.at(0).match_fields.at(0).key == "metadata.name");
  }
  SECTION("nowhere, where all nodes may use it") {
    put(world.cluster,
        wide("all", {.node_name = {}, .node_selector = {}, .all_nodes = true}, {device("0")}));
    CHECK_FALSE(world.one(make_claim("c", {request("r", exactly(1))})).node_selector);
  }
  SECTION("to what the selectors of all slices want, each once") {
    put(world.cluster,
        wide("p", with_terms({{.key = "zone", .op = "In", .values = {"a", "b"}}}), {device("0")}));
    put(world.cluster, wide("q",
                            with_terms({{.key = "zone", .op = "In", .values = {"b", "a"}},
                                        {.key = "zone", .op = "Exists", .values = {}}}),
                            {device("1")}));
    const auto made = world.one(make_claim("c", {request("r", exactly(2))}));
    REQUIRE(made.node_selector);
    REQUIRE(made.node_selector->terms.size() == 1);
    CHECK(made.node_selector->terms[0].match_expressions.size() == 2);
  }
  SECTION("a selector of two terms is more than upstream can say") {
    put(world.cluster,
        wide("p", with_terms({{.key = "zone", .op = "Exists", .values = {}}}, 2), {device("0")}));
    CHECK(world.assemble({make_claim("c", {request("r", exactly(1))})}).error().message ==
          "create NodeSelector for claim c: unsupported ResourceSlice.NodeSelector with 2 terms");
  }
}

}  // namespace dray::result_test
