#include "cluster/equivalence_classes.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::equivalence_classes_test {

using namespace dray::testing;

namespace {

ResourceSlice two(const std::string& node_name) {
  return make_slice(node_name, {device("gpu-0", {{"kind", std::string("a")}}),
                                device("gpu-1", {{"kind", std::string("b")}})});
}

struct Pair {
  cluster::ClusterState cluster;

  Pair() {
    for (const char* name : {"n1", "n2"}) {
      put(cluster, make_node(name));
      put(cluster, two(name));
    }
  }
  [[nodiscard]] std::uint32_t equivalence_class(const char* name) {
    const auto snapshot = cluster.snapshot();
    return snapshot->entry(*snapshot->node(NodeName(name))).equivalence_class;
  }
};

}  // namespace

TEST_CASE("nodes whose devices and their use are alike are of one class") {
  Pair pair;
  CHECK(pair.equivalence_class("n1") != 0);
  CHECK(pair.equivalence_class("n1") == pair.equivalence_class("n2"));
}

TEST_CASE("what a search can see gives another class, and taking it back the first again") {
  struct Row {
    const char* name;
    std::function<void(Pair&)> change;
    std::function<void(Pair&)> undo;
  };
  const auto put_two = [](Pair& pair) { put(pair.cluster, two("n2")); };
  const auto changed = [](const std::function<void(ResourceSlice&)>& change) {
    return [change](Pair& pair) {
      auto other = two("n2");
      change(other);
      put(pair.cluster, other);
    };
  };
  const auto row = GENERATE_COPY(
      Row{"an attribute", changed([](auto& s) { s.devices[0].attributes["kind"] = true; }),
          put_two},
      Row{"one device less", changed([](auto& s) { s.devices.pop_back(); }), put_two},
      Row{"another order", changed([](auto& s) { std::swap(s.devices[0], s.devices[1]); }),
          put_two},
      Row{"a capacity", changed([](auto& s) { s.devices[0].capacity["m"].value = quantity("1"); }),
          put_two},
      Row{"a taint", changed([](auto& s) {
            s.devices[0].taints.push_back(
                {.key = "k", .value = {}, .effect = "NoSchedule", .time_added = {}});
          }),
          put_two},
      Row{"incomplete", changed([](auto& s) { s.pool_slice_count = 2; }), put_two},
      Row{"another driver",
          [](Pair& pair) { put(pair.cluster, make_slice("n2", {device("x")}, "nic.example.com")); },
          [](Pair& pair) { gone(pair.cluster, Kind::resource_slice, "nic.example.com-n2"); }},
      Row{"a device in use",
          [](Pair& pair) {
            auto held = make_claim("held");
            held.allocation = allocation({device_id("n2", "gpu-0")});
            put(pair.cluster, held);
          },
          [](Pair& pair) { gone(pair.cluster, Kind::resource_claim, "held", "default"); }});
  DYNAMIC_SECTION(row.name) {
    Pair pair;
    const auto before = pair.equivalence_class("n2");
    row.change(pair);
    CHECK(pair.equivalence_class("n2") != before);
    CHECK(pair.equivalence_class("n1") == before);
    row.undo(pair);
    CHECK(pair.equivalence_class("n2") == before);
  }
}

TEST_CASE("what a number cannot stand for has none") {
  const auto row = GENERATE(as<std::string>{}, "the pool is elsewhere too", "a name twice",
                            "per-device nodes", "a share", "an unreadable version");
  DYNAMIC_SECTION(row) {
    Pair pair;
    auto other = two("n2");
    if (row == "the pool is elsewhere too") {
      auto elsewhere = two("n1");
      elsewhere.meta.name = "more";
      elsewhere.pool = PoolName("n2");
      put(pair.cluster, elsewhere);
    } else if (row == "a name twice") {
      other.devices[1].name = other.devices[0].name;
    } else if (row == "per-device nodes") {
      other.scope = {};
      other.per_device_node_selection = true;
    } else if (row == "a share") {
      auto held = make_claim("held");
      held.allocation = allocation({device_id("n2", "gpu-0")});
      held.allocation->devices[0].share_id = "s";
      put(pair.cluster, held);
    } else {
      other.devices[0].attributes["v"] = VersionText("not one");
    }
    put(pair.cluster, other);
    // Slices of no one node are no part of a node's own.
    if (row == "per-device nodes") {
      CHECK_FALSE(pair.cluster.snapshot()->shared_pools().empty());
    } else {
      CHECK(pair.equivalence_class("n2") == 0);
    }
  }
}

TEST_CASE("attributes with a value for every device are not compared") {
  cluster::ClusterState cluster;
  constexpr int nodes = 200;
  for (int n = 0; n < nodes; ++n) {
    const auto name = "n" + std::to_string(n);
    put(cluster, make_node(name));
    put(cluster, make_slice(name, {device("gpu-0", {{"kind", std::string("a")}, {"uuid", name}})}));
  }
  const auto snapshot = cluster.snapshot();
  REQUIRE(snapshot->unclassified()->size() == 1);
  CHECK(snapshot->unclassified()->front() ==
        cel::Name{cel::Half::attribute, "gpu.example.com", "uuid"});
  const auto class_of = [&](int n) {
    return snapshot->entry(*snapshot->node(NodeName("n" + std::to_string(n)))).equivalence_class;
  };
  CHECK(class_of(nodes - 2) == class_of(nodes - 1));
  CHECK(class_of(0) != class_of(nodes - 1));
}

}  // namespace dray::equivalence_classes_test
