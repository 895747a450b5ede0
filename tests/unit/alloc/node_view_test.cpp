#include "alloc/view/node_view.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::node_view_test {

using namespace dray::testing;
using Texts = std::vector<std::string>;

namespace {

struct Cluster {
  cluster::ClusterState cluster;
  alloc::Features features;

  Cluster() {
    put(cluster, make_node("n1", {{"zone", "a"}}));
    put(cluster, make_node("n2", {{"zone", "b"}}));
  }
  [[nodiscard]] Result<alloc::NodeView> view() {
    state.emplace(cluster.snapshot());
    return alloc::gather(*state, *state->snapshot().node(NodeName("n1")), features);
  }
  /// pool/device of each, `incomplete` and `invalid` for pools that give none.
  [[nodiscard]] Texts devices() {
    const auto seen = view();
    if (!seen) return {seen.error().message};
    Texts names;
    for (const auto& pool : seen->pools) {
      if (pool.incomplete) names.push_back(pool.pool->name.get() + " incomplete");
      if (pool.invalid) names.push_back(pool.pool->name.get() + " invalid: " + pool.fault);
      for (auto d = pool.first; d < pool.last; ++d) {
        names.push_back(pool.pool->name.get() + "/" + seen->devices[d].name());
      }
    }
    return names;
  }

  std::optional<cluster::AllocatedState> state;
};

ResourceSlice named(const std::string& name, ResourceSlice slice) {
  slice.meta.name = name;
  return slice;
}

/// A slice of pool `pool` that is not of one node.
ResourceSlice wide(const std::string& pool, std::vector<Device> devices) {
  auto made = make_slice("n1", std::move(devices));
  made.meta.name = pool;
  made.pool = PoolName(pool);
  made.scope.node_name.reset();
  return made;
}

NodeSelector in_zone(const char* zone) {
  NodeSelectorTerm term;
  term.match_expressions.push_back({.key = "zone", .op = "In", .values = {zone}});
  return NodeSelector{{term}};
}

}  // namespace

TEST_CASE("a node sees its own devices and those that are of more nodes, pool by pool") {
  Cluster one;
  put(one.cluster, make_slice("n1", {device("0")}));
  put(one.cluster, make_slice("n2", {device("of-n2")}));
  auto all = wide("all", {device("1")});
  all.scope.all_nodes = true;
  put(one.cluster, all);
  auto here = wide("here", {device("2")});
  here.scope.node_selector = in_zone("a");
  put(one.cluster, here);
  auto elsewhere = wide("elsewhere", {device("3")});
  elsewhere.scope.node_selector = in_zone("b");
  put(one.cluster, elsewhere);
  CHECK(one.devices() == Texts{"all/1", "here/2", "n1/0"});
}

TEST_CASE("devices with a node selection of their own are seen where it holds") {
  Cluster one;
  auto each = wide("each", {device("here"), device("there")});
  each.per_device_node_selection = true;
  each.devices[0].scope.node_name = NodeName("n1");
  each.devices[1].scope.node_name = NodeName("n2");
  put(one.cluster, each);
  CHECK(one.devices() == Texts{"each/here", "each/there"});
  each.devices[0].scope.node_name = NodeName("n2");
  put(one.cluster, each);
  CHECK(one.devices().empty());
  one.features.partitionable_devices = false;
  each.devices[0].scope.node_name = NodeName("n1");
  put(one.cluster, each);
  CHECK(one.devices().empty());
}

TEST_CASE("of a pool the newest generation counts, if all of it is there") {
  Cluster one;
  auto old = named("old", make_slice("n1", {device("old")}));
  old.pool_generation = 1;
  auto fresh = named("fresh", make_slice("n1", {device("new")}));
  fresh.pool_generation = 2;
  put(one.cluster, old);
  put(one.cluster, fresh);
  CHECK(one.devices() == Texts{"n1/new"});
  fresh.pool_slice_count = 2;
  put(one.cluster, fresh);
  CHECK(one.devices() == Texts{"n1 incomplete"});
  put(one.cluster, named("second", fresh));
  CHECK(one.devices() == Texts{"n1 invalid: two devices named new"});
  auto other = named("second", fresh);
  other.devices = {device("more")};
  put(one.cluster, other);
  CHECK(one.devices() == Texts{"n1/new", "n1/more"});
}

TEST_CASE("a node whose slice is of an older generation than others' has none of the pool") {
  Cluster one;
  auto mine = named("mine", make_slice("n1", {device("0")}));
  mine.pool_slice_count = 2;
  auto newer = named("newer", make_slice("n2", {device("1")}));
  newer.pool = mine.pool;
  newer.pool_generation = 2;
  newer.pool_slice_count = 2;
  put(one.cluster, mine);
  CHECK(one.devices() == Texts{"n1 incomplete"});
  put(one.cluster, newer);
  CHECK(one.devices().empty());
}

TEST_CASE("pools with binding conditions come last") {
  Cluster one;
  auto slow = device("slow");
  slow.binding_conditions = {"ready"};
  slow.binding_failure_conditions = {"failed"};
  put(one.cluster, make_slice("n1", {slow}, "a.example.com"));
  put(one.cluster, make_slice("n1", {device("fast")}, "b.example.com"));
  CHECK(one.devices() == Texts{"n1/fast", "n1/slow"});
}

TEST_CASE("a counter set that is not there, or is there twice, makes the pool invalid") {
  Cluster one;
  put_card(one.cluster, "4Gi", {partition("p", "1Gi")});
  CHECK(one.devices() == Texts{"n1/p"});
  auto strange = partition("p", "1Gi");
  strange.consumes_counters[0].counters = {{"cores", quantity("1")}};
  put_card(one.cluster, "4Gi", {strange});
  CHECK(one.devices() == Texts{"n1 invalid: no counter cores in set card, which p takes of"});
  strange = partition("p", "1Gi");
  strange.consumes_counters[0].counter_set = "other";
  put_card(one.cluster, "4Gi", {strange});
  CHECK(one.devices() == Texts{"n1 invalid: no counter set other, which p takes of"});
}

TEST_CASE("what allocated devices take is off the counters, also of devices of other nodes") {
  Cluster one;
  put_card(one.cluster, "4Gi", {partition("0", "1Gi"), partition("1", "1Gi")});
  const auto left = [&] { return one.view()->counters.front(); };
  const auto gib = alloc::amount_of(quantity("1Gi"));
  CHECK(left() == 4 * gib);
  auto held = make_claim("held", {});
  held.allocation = allocation({device_id("n1", "0")});
  put(one.cluster, held);
  CHECK(left() == 3 * gib);
  one.state.emplace(one.cluster.snapshot());
  one.state->take(device_id("n1", "1"), {.dedicated = 1, .consumed = {}});
  const auto view =
      alloc::gather(*one.state, *one.state->snapshot().node(NodeName("n1")), one.features);
  CHECK(view->counters.front() == 2 * gib);
  CHECK(view->devices[0].use != nullptr);
  CHECK(view->devices[1].use != nullptr);
  CHECK(view->pools[0].short_rows == 0);
}

TEST_CASE("counters that are overdrawn are known before anything is placed") {
  Cluster one;
  put_card(one.cluster, "1Gi", {partition("0", "2Gi"), partition("1", "-1Gi")});
  auto view = one.view();
  CHECK(view->pools[0].counters_may_grow);
  auto held = make_claim("held", {});
  held.allocation = allocation({device_id("n1", "0")});
  put(one.cluster, held);
  view = one.view();
  CHECK(view->pools[0].short_rows == 1);
}

TEST_CASE("groups: who joins has to share one with all members, or be as groupless as they") {
  alloc::GroupSet set;
  CHECK(set.admits({}));
  CHECK(set.admits({"a"}));
  set.add({"a", "b"});
  CHECK(set.admits({"b", "c"}));
  CHECK_FALSE(set.admits({"c"}));
  CHECK_FALSE(set.admits({}));
  set.add({"b", "c"});
  CHECK_FALSE(set.admits({"a"}));
  CHECK(set.admits({"b"}));
  alloc::GroupSet bare;
  bare.add({});
  CHECK(bare.admits({}));
  CHECK_FALSE(bare.admits({"a"}));
}

}  // namespace dray::node_view_test
