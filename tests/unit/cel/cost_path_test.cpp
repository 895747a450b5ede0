#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "cel/check/cost_estimate.h"
#include "tests/unit/cel/fixture.h"

// src/cel/check/cost_path.cpp: where a value comes from, and how large the declaration of `device`
// lets it be (sizeEstimator of dynamic-resource-allocation/cel/compile.go).

namespace dray::cel::cost_path_test {
namespace {

ExprPath path(const std::vector<std::string_view>& steps) {
  if (steps.empty()) return {};
  ExprPath made(steps[0]);
  for (std::size_t i = 1; i < steps.size(); ++i) made = made.copied_below(steps[i]);
  return made;
}

struct Row {
  std::string name;
  std::vector<std::string_view> steps;
  std::string size;
};

std::string shown(const std::optional<Range>& range) {
  if (!range) return "unknown";
  return std::to_string(range->least) + " to " + std::to_string(range->most);
}

TEST_CASE("sizes come from the limits of a ResourceSlice") {
  const auto row = GENERATE(
      Row{"driver", {"device", "driver"}, "0 to 63"},
      Row{"attributes", {"device", "attributes"}, "0 to 32"},
      Row{"a domain's attributes", {"device", "attributes", "@values"}, "0 to 32"},
      Row{"an attribute by index", {"device", "attributes", "@values", "@values"}, "0 to 64"},
      Row{"an attribute by name", {"device", "attributes", "@values", "model"}, "0 to 64"},
      Row{"a domain", {"device", "attributes", "@keys"}, "0 to 63"},
      Row{"a name", {"device", "attributes", "@values", "@keys"}, "0 to 32"},
      Row{"capacities", {"device", "capacity"}, "0 to 32"},
      Row{"a capacity by index", {"device", "capacity", "@values", "@values"}, "0 to 0"},
      Row{"a capacity by name is not declared", {"device", "capacity", "@values", "a"}, "unknown"},
      Row{"a domain is no field", {"device", "attributes", "model"}, "unknown"},
      Row{"nothing is below an attribute",
          {"device", "attributes", "@values", "a", "b"},
          "unknown"},
      Row{"nothing is below the driver", {"device", "driver", "@values"}, "unknown"},
      Row{"sharing", {"device", "allowMultipleAllocations"}, "0 to 1"},
      Row{"another field", {"device", "name"}, "unknown"}, Row{"the device", {"device"}, "0 to 0"},
      Row{"another variable", {"self", "driver"}, "unknown"}, Row{"no path", {}, "unknown"});
  DYNAMIC_SECTION(row.name) {
    CHECK(shown(declared_size(device_types({}), path(row.steps))) == row.size);
  }
}

TEST_CASE("a field that is behind a gate has no size without it") {
  Environment environment;
  environment.kind = Environment::Kind::new_expressions;
  environment.consumable_capacity = false;
  const ExprPath sharing = path({"device", "allowMultipleAllocations"});
  CHECK_FALSE(declared_size(device_types(environment), sharing));
  environment.consumable_capacity = true;
  CHECK(declared_size(device_types(environment), sharing));
}

std::string shown(const ExprPath& path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) out += std::string(path[i]) + ".";
  return out;
}

TEST_CASE("paths that go on from one share its memory where that has room, as Go's slices") {
  const ExprPath one("a");
  const ExprPath two = one.below("b");    // the first had no room: memory for two
  const ExprPath three = two.below("c");  // memory for four
  const ExprPath four = three.below("d");
  CHECK(shown(four) == "a.b.c.d.");
  const ExprPath other = three.below("e");
  CHECK(shown(four) == "a.b.c.e.");
  CHECK(shown(other) == "a.b.c.e.");
  CHECK(shown(three) == "a.b.c.");
  const ExprPath own = three.copied_below("f");
  CHECK(shown(own) == "a.b.c.f.");
  CHECK(shown(other) == "a.b.c.e.");
  CHECK(shown(one.below("x")) == "a.x.");
  CHECK(shown(two) == "a.b.");
}

TEST_CASE("no path is empty, and goes on like any") {
  const ExprPath none;
  CHECK(none.empty());
  CHECK(shown(none.below("a")) == "a.");
  CHECK(shown(none.below("a").below("b")) == "a.b.");
}

struct Cost {
  std::string text;
  std::uint64_t most;
};

TEST_CASE("estimates follow paths through loops and bindings, as upstream's do") {
  const auto row = GENERATE(
      Cost{"device.attributes.exists(d, d == 'x')", 195U},
      Cost{"device.attributes['d.io'].exists(n, n.contains('abcdefghijklmnop'))", 420U},
      Cost{"device.attributes.exists(d, device.attributes[d].exists(n, n == 'abcdefghijklmnop'))",
           7459U},
      Cost{"device.attributes['d.io'].exists(n, v, n.contains('abcdefghijklmnop'))", 612U},
      Cost{"device.attributes['d.io'].exists(n, v, v.contains('abcdefghijklmnop'))", 612U},
      Cost{"cel.bind(a, device.attributes['d.io'], a.model.contains('abcdefghijklmnop'))", 29U},
      Cost{"device.capacity.all(d, d.contains('abcdefghijklmnop'))", 579U},
      Cost{"device.attributes['d.io'].lanes.exists(x, x == 1)", 389U},
      Cost{"device.attributes.exists(d, v, v.exists(n, w, n.contains('abcdefghijklmnop') && "
           "w.contains('abcdefghijklmnop')))",
           35011U},
      Cost{"[device.driver].exists(x, x.contains('abcdefghijklmnop'))", 32U});
  INFO(row.text);
  CHECK(program(row.text)->max_cost() == row.most);
}

}  // namespace
}  // namespace dray::cel::cost_path_test
