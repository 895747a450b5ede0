#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "policy/config_check.h"

namespace dray::policy::queue_check_test {

namespace {

using Severity = ConfigProblem::Severity;

Quantity quantity(std::string_view text) {
  return Quantity::parse(text).value();
}

/// top (quota 16 gpu, any cpu) > leaf (8 gpu), other.
PolicyConfig sound() {
  PolicyConfig config;
  CountedResource gpu{"gpu", {}};
  gpu.rules.emplace_back().device_class = ClassName("gpu.nvidia.com");
  config.resources = {gpu};
  config.queues.resize(3);
  config.queues[0].name = QueueName("top");
  config.queues[0].quota = {{"gpu", quantity("16")}, {"cpu", std::nullopt}};
  config.queues[1].name = QueueName("leaf");
  config.queues[1].parent = QueueName("top");
  config.queues[1].quota["gpu"] = quantity("8");
  config.queues[2].name = QueueName("other");
  config.pod_queues.otherwise = QueueName("other");
  return config;
}

}  // namespace

TEST_CASE("a sound tree has no problem") {
  CHECK(validate(sound()).empty());
}

namespace {

struct Row {
  std::string name;
  std::function<void(PolicyConfig&)> spoil;
  std::string path, text;
  Severity severity = Severity::error;
};

std::vector<Row> faults_of_names() {
  return {
      {"a queue called root", [](PolicyConfig& c) { c.queues[1].name = QueueName("root"); },
       "queues[1].name", "top of the tree already"},
      {"a name with spaces", [](PolicyConfig& c) { c.queues[1].name = QueueName("a b"); },
       "queues[1].name", "no name"},
      {"an unknown parent", [](PolicyConfig& c) { c.queues[1].parent = QueueName("tpo"); },
       "queues[1].parent", "no queue tpo"},
      {"an unknown resource", [](PolicyConfig& c) { c.queues[1].limit["gpus"] = std::nullopt; },
       "queues[1].limit.gpus", "did you mean gpu?"},
      {"an unknown resource in weights",
       [](PolicyConfig& c) { c.queues[1].over_quota_weight.by_resource["x"] = Quantity(1); },
       "queues[1].overQuotaWeight.x", "no resource x"},
      {"an unknown resource in placement",
       [](PolicyConfig& c) { c.queues[1].placement["gpuu"] = PlacementStrategy::pack; },
       "queues[1].placement.gpuu", "did you mean gpu?"},
      {"a device class with capitals",
       [](PolicyConfig& c) {
         c.queues[2].quota["A.deviceclass.resource.k8s.io/devices"] = Quantity(1);
       },
       "queues[2].quota.A.deviceclass.resource.k8s.io/devices", "no name of a DeviceClass"},
      {"KAI's -1", [](PolicyConfig& c) { c.queues[1].quota["gpu"] = quantity("-1"); },
       "queues[1].quota.gpu", "`unlimited`"},
      {"bytes of cpu", [](PolicyConfig& c) { c.queues[1].quota["cpu"] = quantity("1Gi"); },
       "queues[1].quota.cpu", "an amount of bytes; cpu is counted in cores"},
      {"bytes of devices", [](PolicyConfig& c) { c.queues[2].limit["gpu"] = quantity("80Gi"); },
       "queues[2].limit.gpu", "gpu is counted in devices"},
      {"memory without a unit",
       [](PolicyConfig& c) { c.queues[2].quota["memory"] = quantity("512"); },
       "queues[2].quota.memory", "give a unit, as 512Gi"},
      {"a limit below the quota", [](PolicyConfig& c) { c.queues[1].limit["gpu"] = quantity("7"); },
       "queues[1].limit.gpu", "7 is below the quota, 8"},
  };
}

std::vector<Row> faults_of_bounds() {
  return {
      {"a limit and an unlimited quota",
       [](PolicyConfig& c) { c.queues[0].limit["cpu"] = quantity("7"); }, "queues[0].limit.cpu",
       "7 is below the quota, unlimited"},
      {"a quota above the parent's",
       [](PolicyConfig& c) { c.queues[1].quota["gpu"] = quantity("17"); }, "queues[1].quota.gpu",
       "17 is above the quota of its parent top, 16"},
      {"an unlimited quota below a limited one",
       [](PolicyConfig& c) { c.queues[1].quota["gpu"] = std::nullopt; }, "queues[1].quota.gpu",
       "unlimited is above"},
      {"a quota where the parent has none",
       [](PolicyConfig& c) { c.queues[1].quota["memory"] = quantity("1Gi"); },
       "queues[1].quota.memory", "1Gi is above the quota of its parent top, 0"},
      {"more owed to children than to the parent",
       [](PolicyConfig& c) {
         c.queues[2].parent = QueueName("top");
         c.queues[2].quota["gpu"] = quantity("9");
       },
       "queues[0].quota.gpu", "have 17 together, above its 16", Severity::warning},
      {"a negative weight",
       [](PolicyConfig& c) { c.queues[1].over_quota_weight.all = Quantity(-1); },
       "queues[1].overQuotaWeight", "below 0"},
      {"a negative weight of one resource",
       [](PolicyConfig& c) { c.queues[1].over_quota_weight.by_resource["gpu"] = Quantity(-1); },
       "queues[1].overQuotaWeight.gpu", "below 0"},
      {"pods to an unknown queue",
       [](PolicyConfig& c) { c.pod_queues.otherwise = QueueName("othre"); }, "podQueues.otherwise",
       "did you mean other?"},
      {"pods to a queue with others below",
       [](PolicyConfig& c) { c.pod_queues.namespaces["lab"] = QueueName("top"); },
       "podQueues.namespaces.lab", "has queues below it"},
      {"a label that is none", [](PolicyConfig& c) { c.pod_queues.labels = {"a b"}; },
       "podQueues.labels[0]", "no label key"},
      {"queues in the file and KAI's", [](PolicyConfig& c) { c.queues_from = QueueSource::kai; },
       "queues", "leave one out"},
  };
}

void check_fault(const Row& row) {
  auto config = sound();
  row.spoil(config);
  const auto problems = validate(config);
  REQUIRE_FALSE(problems.empty());
  CHECK(problems[0].severity == row.severity);
  CHECK(problems[0].path == row.path);
  CHECK_THAT(problems[0].text, Catch::Contains(row.text));
}

}  // namespace

TEST_CASE("what is wrong with a name or an amount is told at its field") {
  const auto row = GENERATE(from_range(faults_of_names()));
  DYNAMIC_SECTION(row.name) {
    check_fault(row);
  }
}

TEST_CASE("what is wrong with bounds, weights and pods' queues is told at its field") {
  const auto row = GENERATE(from_range(faults_of_bounds()));
  DYNAMIC_SECTION(row.name) {
    check_fault(row);
  }
}

TEST_CASE("bounds may be equal to those that bound them") {
  auto config = sound();
  config.queues[1].quota["gpu"] = quantity("16");  // its parent's
  config.queues[1].limit["gpu"] = quantity("16");  // its own quota
  config.queues[1].over_quota_weight.all = Quantity(0);
  config.queues[2].quota["memory"] = quantity("1Mi");
  config.queues[2].quota["gpu"] = quantity("0");
  CHECK(validate(config).empty());
  config = sound();
  config.queues[2].parent = QueueName("top");
  config.queues[2].quota["gpu"] = quantity("8");  // with the other child: 16, the parent's
  CHECK(validate(config).empty());
}

TEST_CASE("one name for two queues names both") {
  auto config = sound();
  config.queues[2].name = QueueName("leaf");
  config.pod_queues.otherwise.reset();
  const auto problems = validate(config);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].path == "queues[2].name");
  CHECK_THAT(problems[0].text, Catch::Contains("there already: queues[1]"));
}

TEST_CASE("a cycle is told to each queue in it") {
  auto config = sound();
  config.queues[0].parent = QueueName("leaf");
  config.queues[0].quota = {};
  config.queues[1].quota = {};
  const auto problems = validate(config);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0] ==
        ConfigProblem{Severity::error, "queues[0].parent", "a cycle: top -> leaf -> top"});
  CHECK(problems[1].path == "queues[1].parent");
}

}  // namespace dray::policy::queue_check_test
