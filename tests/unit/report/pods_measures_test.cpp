#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/pods_report.h"
#include "tests/objects/gpus.h"

namespace dray::report::pods_measures_test {
namespace {

using namespace dray::testing;
using namespace std::chrono_literals;
using nlohmann::json;

/// Two pods of two queues, and a node with two GPUs. Both run, or the second waits.
PodsRunOfSeed run_of(const std::string& policy, bool both) {
  PodsRunOfSeed one;
  one.seed = 42;
  one.run.policy = policy;
  one.run.span = one.run.length = 100s;
  for (const auto& [name, runs] : {std::pair{"a", true}, {"b", both}}) {
    auto& pod = one.run.pods.emplace_back();
    pod.pod = {"default", name};
    pod.queue = name;
    pod.asks = {{"gpu", 1}};
    if (!runs) continue;
    pod.bound = 0s;
    pod.node = NodeName("n0");
    pod.devices.emplace_back().device = device_id("n0", *name == 'a' ? "gpu-0" : "gpu-1");
  }
  return one;
}

PodsPlace place(std::size_t runs) {
  auto policy = std::make_shared<policy::PolicyConfig>();
  policy::CountingRule rule;
  rule.device_class = ClassName("gpu");
  policy->resources.push_back({.name = "gpu", .rules = {rule}});
  for (const auto* name : {"a", "b"}) {
    auto& queue = policy->queues.emplace_back();
    queue.name = policy::QueueName(name);
    queue.quota["gpu"] = Quantity(1);
  }
  PodsPlace place{{make_class(), make_node("n0"), make_gpus("n0", 2)}, {}, "gpu"};
  place.policies.assign(runs, policy);
  return place;
}

}  // namespace

TEST_CASE("a run of pods has the measures of jobs in time, with shares by its policy") {
  std::vector<PodsRunOfSeed> runs{run_of("waits", false), run_of("both", true)};
  REQUIRE(measure_pods(runs, place(2)));
  REQUIRE(runs[0].measured);
  const auto& waits = *runs[0].measured;
  CHECK(waits.measures.utilisation == 50);
  CHECK(waits.shares.policy == "waits");
  CHECK(waits.measures.queues.at(1).owed == Approx(1));
  CHECK(runs[1].measured->measures.utilisation == 100);
  CHECK(runs[1].measured->measures.all.owed == Approx(0).margin(1e-9));
  CHECK(measured_of(runs).size() == 2);
  const auto told = json::parse(pods_json(runs))["runs"][0]["measures"];
  CHECK(told["classes"][0]["utilisation"] == 50);
  CHECK(told["curves"].size() == 2);
  CHECK(pods_metrics(runs).find("dray_simulation_class_utilisation_percent") != std::string::npos);
}

TEST_CASE("without GPUs there are no measures, and the reason is told") {
  std::vector<PodsRunOfSeed> runs{run_of("none", false)};
  auto bare = place(1);
  bare.cluster = {make_node("n0")};
  const auto measured = measure_pods(runs, bare);
  REQUIRE_FALSE(measured);
  CHECK(measured.error().message.find("no node has gpu") != std::string::npos);
  CHECK(json::parse(pods_json(runs))["runs"][0].contains("pods"));
}

TEST_CASE("the page compares the same pods under each policy") {
  const std::vector<PodsRunOfSeed> runs{run_of("waits", false), run_of("both", true)};
  About about{"0", "folder", "pods:x"};
  about.unit = "pod";
  const auto page = json::parse(pods_page_data(about, runs, place(2)).value());
  CHECK(page["kind"] == "jobs");
  CHECK(page["about"]["unit"] == "pod");
  CHECK(page["about"]["jobs"] == 2);
  CHECK(page["runs"][1]["fared"]["sooner"] == 1);
  CHECK(page["runs"][1]["pictures"][0] == "ab");
  CHECK_FALSE(pods_page_data(about, {}, place(0)));
}

}  // namespace dray::report::pods_measures_test
