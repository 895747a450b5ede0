#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "dray/planner/what_if.h"
#include "tests/cases/expectation.h"
#include "tests/cases/runner.h"
#include "wire/object/manifests.h"
#include "wire/yaml/yaml_json.h"

// `scenarios EXPECT.yaml`: the pods of scenario files, placed as `dray allocate` does it on the
// inventory beside them ([0-9]*.yaml of the folder above), against what must come out.
// `scenarios EXAMPLES.jsonl`: what the fields of such a file mean, without any placing.

namespace dray::cases {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::vector<KubeObject> objects_of(const fs::path& file) {
  auto loaded = wire::load_manifests(read_text(file), file.string());
  if (!loaded) throw std::runtime_error(loaded.error().message);
  std::vector<KubeObject> objects;
  for (auto& each : loaded->objects) objects.push_back(std::move(each.value));
  return objects;
}

void add_slices(const std::vector<KubeObject>& objects, Inventory& inventory) {
  for (const auto& object : objects) {
    if (const auto* slice = std::get_if<ResourceSlice>(&object)) inventory.add(*slice);
  }
}

// ---- Scenarios ----

std::vector<fs::path> inventory_files(const fs::path& base, const Json& scenario) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(base)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(".yaml") && name[0] >= '0' && name[0] <= '9') files.push_back(entry.path());
  }
  std::ranges::sort(files);
  if (scenario.contains("inventory")) files.push_back(base / scenario["inventory"]);
  return files;
}

Observed observed_of(const planner::JobOutcome& outcome) {
  Observed observed;
  observed.warnings = outcome.warnings;
  for (const auto& placement : outcome.placements) {
    observed.node = placement.node.get();
    for (const auto& claim : placement.claims) {
      const auto& devices = claim.allocation.devices;
      observed.devices.insert(observed.devices.end(), devices.begin(), devices.end());
      if (claim.extended) observed.extended += devices.size();
    }
  }
  if (outcome.reason != Reason::none && outcome.reason != Reason::planning) {
    observed.refusal = fmt::format("{} ({})", name(outcome.reason), outcome.detail);
  }
  return observed;
}

/// What is beyond placing pods one by one, and why.
const std::map<std::string, std::string> beyond{
    {"gang-lookahead", "a gang: pods are placed one by one here, tests/cluster binds it"},
    {"gang-too-big", "a gang: pods are placed one by one here, tests/cluster lets it wait"}};

void play(const fs::path& base, const Json& scenario, Report& report) {
  const auto id = scenario.at("name").get<std::string>();
  if (const auto why = beyond.find(id); why != beyond.end()) return report.skip(why->second);
  Inventory inventory;
  cluster::ClusterState cluster;
  for (const auto& file : inventory_files(base, scenario)) {
    auto objects = objects_of(file);
    add_slices(objects, inventory);
    for (auto& object : objects) cluster.apply(cluster::ObjectChanged{std::move(object)});
  }
  alloc::AllocatorOptions options;
  options.mode = alloc::Mode::best;
  auto wrong = switch_gates_on(scenario.value("gates", Names()), options.features);
  planner::WhatIf what_if(std::move(cluster), options);
  std::vector<Pod> pods;
  for (auto& object : objects_of(base / scenario.at("file").get<std::string>())) {
    if (auto* pod = std::get_if<Pod>(&object)) {
      pods.push_back(std::move(*pod));
    } else {
      what_if.add(std::move(object));
    }
  }
  std::map<std::string, Observed> observed;
  for (const auto& pod : pods) observed[pod.meta.name] = observed_of(what_if.place(pod));
  for (auto& each : unmet_of_pods(scenario.at("pods"), observed, inventory)) {
    wrong.push_back(std::move(each));
  }
  if (wrong.empty()) {
    fmt::print("pass {}\n", id);
    report.pass();
  } else {
    report.fail(id, fmt::format("{}", fmt::join(wrong, "; ")), scenario.at("pods").dump());
  }
}

void play_all(const fs::path& file, Report& report) {
  const auto text = wire::yaml_to_json(read_text(file));
  if (!text) throw std::runtime_error(text.error().message);
  for (const auto& scenario : Json::parse(*text)) {
    play(file.parent_path().parent_path(), scenario, report);
  }
}

// ---- Examples of what they mean ----

Observed observed_of(const Json& json) {
  Observed observed;
  observed.node = json.value("node", "");
  observed.refusal = json.value("refusal", "");
  observed.extended = json.value("extended", std::size_t{0});
  observed.warnings = json.value("warnings", Names());
  for (const auto& each : json.value("devices", Json::array())) {
    AllocatedDevice device;
    device.request = each.at("request").get<std::string>();
    device.device = {DriverName(each.at("driver").get<std::string>()),
                     PoolName(each.at("pool").get<std::string>()),
                     DeviceName(each.at("device").get<std::string>())};
    if (each.contains("adminAccess")) device.admin_access = each["adminAccess"].get<bool>();
    device.binding_conditions = each.value("bindingConditions", Names());
    using Amounts = std::map<std::string, std::string>;
    for (const auto& [capacity, amount] : each.value("consumedCapacity", Amounts())) {
      device.consumed_capacity[capacity] = Quantity::parse(amount).value();
    }
    observed.devices.push_back(std::move(device));
  }
  return observed;
}

void judge_examples(const fs::path& file, Report& report) {
  Inventory inventory;
  add_slices(objects_of(file.parent_path() / "inventory.yaml"), inventory);
  for (const auto& one : read_cases(file)) {
    alloc::Features features;
    auto wrong = switch_gates_on(one.json.value("gates", Names()), features);
    std::map<std::string, Observed> observed;
    const auto seen = one.json.value("observed", Json::object());
    for (const auto& [pod, json] : seen.items()) observed[pod] = observed_of(json);
    for (auto& each : unmet_of_pods(one.json.value("pods", Json::object()), observed, inventory)) {
      wrong.push_back(std::move(each));
    }
    const auto want = one.json.at("wrong").get<Names>();
    if (wrong == want) {
      report.pass();
    } else {
      report.fail(one.id(), fmt::format("{}", wrong), fmt::format("{}", want));
    }
  }
}

const Register scenarios("scenarios", FileSuite([](const fs::path& file, Report& report) {
                           const bool examples = file.extension() == ".jsonl";
                           examples ? judge_examples(file, report) : play_all(file, report);
                         }));

}  // namespace
}  // namespace dray::cases
