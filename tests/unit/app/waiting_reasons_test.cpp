// docs/waiting-reasons.md: what dray says of each pod that the demo and the scenarios of the tests
// leave waiting, for a reader to judge. DRAY_WRITE=1 writes it anew.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "app/common/cluster_source.h"
#include "app/common/feature_gates.h"
#include "app/common/policy_file.h"
#include "app/explain/explain_report.h"
#include "dray/engine/at_once.h"
#include "wire/object/manifests.h"
#include "wire/yaml/yaml_json.h"

namespace dray::app::waiting_reasons_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

constexpr auto document = "docs/waiting-reasons.md";
constexpr auto of_shared = "## Scenarios of the shared fixtures\n";
constexpr auto began = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

std::string read(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What one scenario is played on.
struct Stage {
  Names inventory;  ///< files and folders
  std::string file;
  Names gates;
  std::string policy;
  std::string scheduler;
};

/// Pods come one second after the other, in the order of the file.
std::vector<KubeObject> objects_of(const Stage& stage) {
  const auto own = wire::load_manifests(read(stage.file), stage.file);
  REQUIRE(own);
  Names order;
  for (const auto& object : own->objects) {
    if (const auto* pod = std::get_if<Pod>(&object.value)) order.push_back(pod->key().to_string());
  }
  ClusterSource source;
  source.files = {stage.file};
  source.cluster = stage.inventory;
  auto all = load_objects(source);
  INFO((all ? "" : all.error().message));
  REQUIRE(all);
  for (auto& object : all->objects) {
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    const auto at = std::ranges::find(order, pod->key().to_string()) - order.begin();
    pod->meta.created = Time(began + std::chrono::seconds(at));
  }
  return engine::with_claims(std::move(all->objects));
}

/// What `dray explain` prints of those pods of the stage that wait, in their order; of a gang's
/// pods, which say the same, of the first. `expected`, where it is not empty: of these alone.
std::string waiting(const Stage& stage, const std::set<std::string>& expected,
                    std::set<std::string>& found) {
  engine::Options options;
  options.scheduler_name = stage.scheduler;
  REQUIRE(set_feature_gates(options.allocator.features, stage.gates));
  std::shared_ptr<const policy::PolicyConfig> config;
  if (!stage.policy.empty()) {
    auto read = load_policy(stage.policy);
    REQUIRE(read);
    config = std::make_shared<const policy::PolicyConfig>(*std::move(read));
  }
  const auto objects = objects_of(stage);
  const auto now = Time(began + std::chrono::hours(1));
  const auto told = engine::at_once(objects, config, options, now);
  REQUIRE(told);
  std::string text;
  std::set<std::string> jobs;
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    if (!expected.empty() && !expected.contains(pod->meta.name)) continue;
    auto question = told->engine->question(pod->key(), now);
    REQUIRE(question);
    question->input.budget = planner::PlanBudget::unbounded();
    const auto made = planner::explain(*question, engine::allocator_options(options, 2));
    if (made.standing != planner::Standing::waits) continue;
    found.insert(pod->meta.name);
    CHECK(!made.summary.empty());
    // Nobody is left without anything to do.
    INFO(explanation_text(made));
    CHECK_FALSE(made.helps.empty());
    if (made.job && !jobs.insert(made.job->name).second) continue;
    text += explanation_text(made);
  }
  return text;
}

Names gates_of(const Json& scenario) {
  Names gates;
  for (const auto& each : scenario.value("gates", Names())) {
    const bool own = each.starts_with("DRA") && each != "DRAWorkloadResourceClaims";
    if (own) gates.push_back(each + "=true");
  }
  return gates;
}

/// The scenarios of an expect.yaml that leave a pod waiting.
std::string scenarios(const fs::path& expectations, const fs::path& base, const Names& inventory,
                      const std::string& scheduler) {
  const auto json = wire::yaml_to_json(read(expectations));
  REQUIRE(json);
  std::string text;
  for (const auto& scenario : Json::parse(*json)) {
    std::set<std::string> wait;
    std::string why;
    for (const auto& [pod, expected] : scenario.at("pods").items()) {
      if (expected.at("bound").get<bool>()) continue;
      wait.insert(pod);
      const auto reason = expected.value("why", "");
      if (!why.contains(reason)) why += (why.empty() ? "" : "; ") + reason;
    }
    if (wait.empty()) continue;
    Stage stage{.inventory = inventory,
                .file = base / scenario.at("file").get<std::string>(),
                .gates = gates_of(scenario),
                .policy = {},
                .scheduler = scheduler};
    if (scenario.contains("inventory")) {
      stage.inventory.push_back(base / scenario.at("inventory").get<std::string>());
    }
    const auto name = scenario.at("name").get<std::string>();
    INFO(name);
    std::set<std::string> found;
    const auto said = waiting(stage, wait, found);
    CHECK(found == wait);
    text += fmt::format("\n### {}\n\nWhat is the matter: {}.\n\n```\n{}```\n", name, why, said);
  }
  return text;
}

std::string in_the_repository() {
  std::string text =
      "# What dray says of pods that wait\n\n"
      "For a reader to judge: each pod that the demo and the scenarios of the tests leave waiting, "
      "as `dray explain` shows\nit. A stranger should see what is wrong, by how much, and what to "
      "do. Pods come in the order of their files; of a gang\nthe first is shown. Made by "
      "`DRAY_WRITE=1 dray_app_test \"docs/waiting-reasons.md*\"`.\n\n"
      "## The demo, all its pods at once\n\n";
  std::set<std::string> found;
  const auto demo = waiting({.inventory = {"config/demo/cluster"},
                             .file = "config/demo/workload.yaml",
                             .gates = {},
                             .policy = "config/demo/policy.yaml",
                             .scheduler = "dray-scheduler"},
                            {}, found);
  CHECK(found.contains("huge-0"));
  CHECK(found.contains("typo-0"));
  text += fmt::format("```\n{}```\n\n## Scenarios of tests/cluster\n", demo);
  text += scenarios("tests/cluster/testdata/scenarios.yaml", "tests/cluster/testdata",
                    {"tests/cluster/testdata/inventory.yaml"}, "default-scheduler");
  return text;
}

}  // namespace

TEST_CASE("docs/waiting-reasons.md is what dray says; everybody who waits is told what to do") {
  const auto own = in_the_repository();
  std::string shared;
  if (const char* folder = std::getenv("DRAY_SHARED")) {
    const auto base = fs::path(folder) / "fixtures";
    Names inventory;
    for (const auto& entry : fs::directory_iterator(base)) {
      const auto name = entry.path().filename().string();
      if (name.ends_with(".yaml") && name[0] >= '0' && name[0] <= '9') {
        inventory.push_back(entry.path());
      }
    }
    std::ranges::sort(inventory);
    shared = scenarios(base / "scenarios/expect.yaml", base, inventory, "default-scheduler");
  } else {
    WARN("skipped: the shared fixtures, DRAY_SHARED is not set");
  }
  const auto made = own + "\n" + of_shared + shared;
  auto before = read(document);
  if (std::getenv("DRAY_WRITE") != nullptr) {
    REQUIRE_FALSE(shared.empty());
    std::ofstream(document) << made;
    before = made;
  }
  const auto end = before.find(std::string("\n") + of_shared);
  REQUIRE(end != std::string::npos);
  CHECK(before.substr(0, end) == own);
  if (!shared.empty()) CHECK(before == made);
}

}  // namespace dray::app::waiting_reasons_test
