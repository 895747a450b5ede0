#include "cluster/publish.h"

#include <catch2/catch.hpp>
#include <functional>

#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::publish_test {

using namespace dray::testing;

namespace {

struct Made {
  cluster::EquivalenceClasses classes;
  cluster::Publisher publisher{classes};
};

Device full() {
  auto made = device("0", {{"x", std::string("a")}});
  made.capacity["memory"].value = quantity("1Gi");
  made.consumes_counters.push_back({"card", {{"memory", quantity("1Gi")}}, {"g"}});
  made.taints.push_back({"k", "v", "NoSchedule", {}});
  made.binding_conditions = {"ready"};
  made.binding_failure_conditions = {"failed"};
  made.binds_to_node = true;
  made.allow_multiple_allocations = true;
  return made;
}

}  // namespace

TEST_CASE("a node has the taints that it shows, whatever its conditions say") {
  Made made;
  auto node = make_node("n");
  auto& condition = node.conditions.emplace_back();
  condition.type = "Ready";
  condition.status = "False";
  CHECK(made.publisher.publish(node)->taints->empty());
}

TEST_CASE("a slice keeps what an allocation reads") {
  Made made;
  auto given = make_slice("n1", {full()});
  given.pool_generation = 3;
  given.pool_slice_count = 2;
  given.skip_node_operations = {"prepare"};
  const auto kept = made.publisher.publish(given, 7);
  CHECK(kept->name == given.meta.name);
  CHECK(kept->generation == 3);
  CHECK(kept->pool_slice_count == 2);
  CHECK(kept->arrival == 7);
  CHECK(kept->node_name() == "n1");
  CHECK(kept->skip_node_operations.size() == 1);
  CHECK(kept->uses_counters);
  CHECK(kept->uses_compatibility_groups);
  const auto& traits = *kept->devices[0].traits;
  CHECK(*kept->devices[0].name == "0");
  CHECK(traits.capacity.at("memory").value == quantity("1Gi"));
  CHECK(traits.taints.size() == 1);
  CHECK(traits.has_binding_conditions);
  CHECK(traits.binds_to_node);
  CHECK(traits.allow_multiple_allocations);
  CHECK_FALSE(traits.scope);
  CHECK_FALSE(traits.attributes);
}

TEST_CASE("a device's own node selection counts only where the slice says so") {
  Made made;
  auto given = make_slice("n1", {device("0")});
  given.devices[0].scope.node_name = NodeName("n2");
  CHECK_FALSE(made.publisher.publish(given, 1)->devices[0].traits->scope);
  given.per_device_node_selection = true;
  const auto kept = made.publisher.publish(given, 1);
  CHECK(kept->per_device);
  CHECK(kept->devices[0].traits->scope->scope.node_name == NodeName("n2"));
}

TEST_CASE("slices of like nodes share one list of devices") {
  Made made;
  const auto one = made.publisher.publish(make_slice("n1", {device("0"), full()}), 1);
  const auto like = made.publisher.publish(make_slice("n2", {device("0"), full()}), 2);
  CHECK(one->devices.size() == 2);
  CHECK(one->devices.begin() == like->devices.begin());
  CHECK(like->node_name() == "n2");
  const auto fewer = made.publisher.publish(make_slice("n3", {device("0")}), 3);
  const auto turned = made.publisher.publish(make_slice("n4", {full(), device("0")}), 4);
  CHECK(fewer->devices.begin() != one->devices.begin());
  CHECK(turned->devices.begin() != one->devices.begin());
  CHECK(*turned->devices[0].name == *one->devices[1].name);
  CHECK(made.publisher.publish(make_slice("n5", {}), 5)->devices.size() == 0);
}

TEST_CASE("equal devices share, and anything that an allocation reads sets them apart") {
  struct Row {
    const char* name;
    std::function<void(Device&)> change;
    bool same;
  };
  const auto row = GENERATE(
      Row{"nothing", [](auto&) {}, true},
      Row{"a name", [](auto& d) { d.name = DeviceName("1"); }, true},
      Row{"an attribute", [](auto& d) { d.attributes["x"] = std::string("b"); }, true},
      Row{"capacity", [](auto& d) { d.capacity["memory"].value = quantity("2Gi"); }, false},
      Row{"how capacity is written",
          [](auto& d) { d.capacity["memory"].value = quantity("1073741824"); }, false},
      Row{"one capacity more", [](auto& d) { d.capacity["cores"].value = quantity("2"); }, false},
      Row{"how capacity is given", [](auto& d) { d.capacity["memory"].request_policy.emplace(); },
          false},
      Row{"counters",
          [](auto& d) { d.consumes_counters[0].counters.begin()->second = quantity("2Gi"); },
          false},
      Row{"a counter set", [](auto& d) { d.consumes_counters[0].counter_set = "other"; }, false},
      Row{"groups", [](auto& d) { d.consumes_counters[0].compatibility_groups = {"h"}; }, false},
      Row{"a taint's effect", [](auto& d) { d.taints[0].effect = "NoExecute"; }, false},
      Row{"a taint's value", [](auto& d) { d.taints[0].value = "w"; }, false},
      Row{"binding conditions", [](auto& d) { d.binding_conditions = {"up"}; }, false},
      Row{"binding failures", [](auto& d) { d.binding_failure_conditions = {"no"}; }, false},
      Row{"binding to the node", [](auto& d) { d.binds_to_node = false; }, false},
      Row{"sharing", [](auto& d) { d.allow_multiple_allocations = false; }, false});
  DYNAMIC_SECTION(row.name) {
    Made made;
    auto second = full();
    row.change(second);
    const auto kept = made.publisher.publish(make_slice("n1", {full(), second}), 1);
    CHECK((kept->devices[0].traits == kept->devices[1].traits) == row.same);
    // Whole lists of devices share, too, also where the others have come more than once.
    const auto list = [&](const char* node, const Device& device) {
      return made.publisher.publish(make_slice(node, {device}), 1);
    };
    const auto first = list("n2", full());
    const auto again = list("n3", full());
    CHECK(first->devices.begin() == again->devices.begin());
    const bool alike =
        row.same && second.name == full().name && second.attributes == full().attributes;
    CHECK((list("n4", second)->devices.begin() == again->devices.begin()) == alike);
  }
}

TEST_CASE("attributes are kept as they came where the shape does not tell them") {
  Made made;
  const auto keeps = [&](Attributes attributes) {
    return made.publisher.publish(make_slice("n1", {device("0", std::move(attributes))}), 1)
        ->devices[0]
        .traits->attributes.has_value();
  };
  CHECK_FALSE(keeps({{"x", std::string("a")}}));
  CHECK(keeps({{"v", VersionText("one")}}));
  CHECK(keeps({{"x", std::string("a")}, {"gpu.example.com/x", std::string("b")}}));
}

TEST_CASE("nodes share what they have in common; the host name is nobody else's") {
  Made made;
  const Labels labels{{"kubernetes.io/hostname", "n1"}, {"zone", "a"}};
  auto second = labels;
  second["kubernetes.io/hostname"] = "n2";
  const auto one = made.publisher.publish(make_node("n1", labels));
  const auto two = made.publisher.publish(make_node("n2", second));
  CHECK(one->labels == two->labels);
  CHECK(one->taints == two->taints);
  CHECK(one->allocatable == two->allocatable);
  CHECK(*one->label("kubernetes.io/hostname") == "n1");
  CHECK(*two->label("kubernetes.io/hostname") == "n2");
  CHECK(*one->label("zone") == "a");
  CHECK(one->label("rack") == nullptr);
}

}  // namespace dray::publish_test
