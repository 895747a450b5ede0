#include "policy/config_check.h"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

namespace dray::policy::config_check_test {

namespace {

using Severity = ConfigProblem::Severity;

PolicyConfig sound() {
  PolicyConfig config;
  CountedResource gpu{"gpu", {}};
  gpu.rules.emplace_back().device_class = ClassName("gpu.nvidia.com");
  config.resources = {gpu};
  return config;
}

}  // namespace

TEST_CASE("a policy without a fault has none") {
  CHECK(validate(PolicyConfig()).empty());
  CHECK(validate(sound()).empty());
}

namespace {

struct Row {
  std::string name;
  std::function<void(PolicyConfig&)> spoil;
  std::string path, text;
  Severity severity = Severity::error;
};

std::vector<Row> faults_of_resources() {
  return {
      {"a resource called cpu", [](PolicyConfig& c) { c.resources[0].name = "cpu"; },
       "resources.cpu", "is counted already"},
      {"a resource with a slash", [](PolicyConfig& c) { c.resources[0].name = "a/b"; },
       "resources.a/b", "is no name"},
      {"a resource of nothing", [](PolicyConfig& c) { c.resources[0].rules.clear(); },
       "resources.gpu", "nothing counts"},
      {"a rule for two things",
       [](PolicyConfig& c) { c.resources[0].rules[0].node_resource = "nvidia.com/gpu"; },
       "resources.gpu[0]", "one of"},
      {"a class with capitals",
       [](PolicyConfig& c) { c.resources[0].rules[0].device_class = ClassName("GPU"); },
       "resources.gpu[0].deviceClass", "no name of a DeviceClass"},
      {"a plain node resource",
       [](PolicyConfig& c) {
         c.resources[0].rules[0].device_class = ClassName();
         c.resources[0].rules[0].node_resource = "gpu";
       },
       "resources.gpu[0].nodeResource", "no extended resource"},
      {"an amount of 0", [](PolicyConfig& c) { c.resources[0].rules[0].amount = Quantity(0); },
       "resources.gpu[0].amount", "above 0"},
      {"a capacity without per",
       [](PolicyConfig& c) { c.resources[0].rules[0].capacity = "memory"; }, "resources.gpu[0]",
       "go together"},
      {"per without a capacity", [](PolicyConfig& c) { c.resources[0].rules[0].per = Quantity(1); },
       "resources.gpu[0]", "go together"},
      {"KAI's queues without gpu",
       [](PolicyConfig& c) {
         c.queues_from = QueueSource::kai;
         c.resources.clear();
       },
       "queuesFrom", "need a resource gpu"},
      {"a placement of nothing known",
       [](PolicyConfig& c) { c.placement["gpus"] = PlacementStrategy::pack; }, "placement.gpus",
       "no resource gpus; did you mean gpu?"},
      {"an unknown alias", [](PolicyConfig& c) { c.alignment.prefer = {"numa"}; },
       "alignment.prefer[0]", "neither an alias nor an attribute"},
  };
}

std::vector<Row> faults_of_levels() {
  return {
      {"an unknown alias that is required", [](PolicyConfig& c) { c.alignment.require = {"numa"}; },
       "alignment.require[0]", "neither an alias nor an attribute"},
      {"an alias with a slash", [](PolicyConfig& c) { c.alignment.aliases["a/b"] = {"a.b/c"}; },
       "alignment.aliases.a/b", "no slash"},
      {"an empty alias", [](PolicyConfig& c) { c.alignment.aliases["a"] = {}; },
       "alignment.aliases.a", "nothing"},
      {"an alias of an alias", [](PolicyConfig& c) { c.alignment.aliases["a"] = {"b"}; },
       "alignment.aliases.a[0]", "no attribute"},
      {"a level twice", [](PolicyConfig& c) { c.topology = {"a.b/c", "a.b/c"}; }, "topology[1]",
       "twice"},
      {"a level that is no label", [](PolicyConfig& c) { c.topology = {"a b"}; }, "topology[0]",
       "no label key"},
      {"no half-life", [](PolicyConfig& c) { c.fairness.half_life = Duration(0); },
       "fairness.halfLife", "above 0"},
      {"no window", [](PolicyConfig& c) { c.fairness.window = Duration(0); }, "fairness.window",
       "above 0"},
      {"a negative strength", [](PolicyConfig& c) { c.fairness.strength = -1; },
       "fairness.strength", "below 0"},
      {"no time to age", [](PolicyConfig& c) { c.aging = Duration(0); }, "aging", "above 0"},
      {"a multiplier below 1", [](PolicyConfig& c) { c.reclaim.saturation_multiplier = 0.5; },
       "reclaim.saturationMultiplier", "at least 1"},
      {"nothing to reclaim from", [](PolicyConfig& c) { c.reclaim.enabled = true; },
       "reclaim.enabled", "no queues", Severity::warning},
  };
}

void check_fault(const Row& row) {
  auto config = sound();
  row.spoil(config);
  const auto problems = validate(config);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].severity == row.severity);
  CHECK(problems[0].path == row.path);
  CHECK_THAT(problems[0].text, Catch::Contains(row.text));
}

}  // namespace

TEST_CASE("names of resources, classes and attributes are checked") {
  const auto row = GENERATE(from_range(faults_of_resources()));
  DYNAMIC_SECTION(row.name) {
    check_fault(row);
  }
}

TEST_CASE("aliases, levels and numbers are checked") {
  const auto row = GENERATE(from_range(faults_of_levels()));
  DYNAMIC_SECTION(row.name) {
    check_fault(row);
  }
}

TEST_CASE("more resources than can be counted are an error") {
  auto config = sound();
  for (std::size_t i = 0; i < max_resources; ++i) {
    config.resources.push_back(config.resources[0]);
    config.resources.back().name = "gpu" + std::to_string(i);
  }
  const auto problems = validate(config);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].path == "resources");
}

TEST_CASE("names as Kubernetes has them") {
  CHECK(is_subdomain("gpu.nvidia.com"));
  for (const auto* text : {"", "A", "-a", "a-", "a..b", ".a", "a.", "a.-b", "a-.b", "a_b"}) {
    INFO(text);
    CHECK_FALSE(is_subdomain(text));
  }
  CHECK(is_qualified_name("dra.cpu/numaNodeID", true));
  CHECK(is_qualified_name("team_1.x", false));
  for (const auto* text : {"numa", "a/", "/a", "a/b/c", "A.b/c", "a.b/-c"}) {
    INFO(text);
    CHECK_FALSE(is_qualified_name(text, true));
  }
}

}  // namespace dray::policy::config_check_test
