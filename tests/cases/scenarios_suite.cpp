#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include <fnmatch.h>

#include "dray/planner/what_if.h"
#include "tests/cases/runner.h"
#include "wire/object/manifests.h"
#include "wire/yaml/yaml_json.h"

// `scenarios EXPECT.yaml`: the pods of scenario files, placed as `dray allocate` does it on the
// inventory beside them ([0-9]*.yaml of the folder above), against what must come out.

namespace dray::cases {
namespace {

namespace fs = std::filesystem;

std::vector<KubeObject> objects_of(const fs::path& file) {
  auto loaded = wire::load_manifests(read_text(file), file.string());
  if (!loaded) throw std::runtime_error(loaded.error().message);
  std::vector<KubeObject> objects;
  for (auto& each : loaded->objects) objects.push_back(std::move(each.value));
  return objects;
}

using Devices = std::map<DeviceId, Attributes>;

/// What a scenario's pods got, and what of that is not as it must be.
class Check {
 public:
  Check(const Devices& devices, const planner::JobOutcome& outcome)
      : devices_(devices), outcome_(outcome) {
    for (const auto& placement : outcome.placements) {
      for (const auto& claim : placement.claims) {
        const auto& results = claim.allocation.devices;
        results_.insert(results_.end(), results.begin(), results.end());
        if (claim.extended) extended_ += results.size();
      }
    }
  }

  std::vector<std::string> wrong(const Json& want) {
    if (!want.at("bound").get<bool>()) {
      if (!outcome_.placements.empty()) {
        complain("placed on {}, must not be", outcome_.placements.front().node.get());
      } else if (outcome_.reason == Reason::none || outcome_.reason == Reason::planning) {
        complain("no reason given");
      }
      return wrong_;
    }
    if (outcome_.placements.empty()) {
      complain("not placed: {} ({})", name(outcome_.reason), outcome_.detail);
      return wrong_;
    }
    node(want.value("nodes", std::vector<std::string>()));
    for (const auto& result : results_) {
      if (!devices_.contains(result.device)) complain("no device {}", result.device.to_string());
    }
    // Named, because items() refers to its object.
    const auto patterns = want.value("devices", Json::object());
    for (const auto& [requests, pattern] : patterns.items()) {
      device_names(requests, pattern.get<std::string>());
    }
    if (want.contains("count") && results_.size() != want["count"].get<std::size_t>()) {
      complain("{} devices, want {}", results_.size(), want["count"].get<std::size_t>());
    }
    for (const auto& rule : want.value("same", Json::array())) attribute(rule, 1);
    for (const auto& rule : want.value("distinct", Json::array())) attribute(rule, rule.size() - 1);
    const auto amounts = want.value("consumed", Json::object());
    for (const auto& [capacity, amount] : amounts.items()) {
      consumed(capacity, Quantity::parse(amount.get<std::string>()).value());
    }
    extras(want);
    return wrong_;
  }

 private:
  template <class... Args>
  void complain(fmt::format_string<Args...> form, Args&&... args) {
    wrong_.push_back(fmt::format(form, std::forward<Args>(args)...));
  }

  void node(const std::vector<std::string>& globs) {
    const auto& got = outcome_.placements.front().node.get();
    const bool match = std::ranges::any_of(
        globs, [&](const auto& glob) { return fnmatch(glob.c_str(), got.c_str(), 0) == 0; });
    if (!globs.empty() && !match) complain("node {}, want one of {}", got, globs);
  }

  [[nodiscard]] std::vector<const AllocatedDevice*> of(const std::string& request) const {
    std::vector<const AllocatedDevice*> found;
    for (const auto& result : results_) {
      if (result.request == request) found.push_back(&result);
    }
    return found;
  }

  void device_names(const std::string& requests, const std::string& pattern) {
    const std::regex want(pattern);
    std::size_t seen = 0;
    for (std::size_t at = 0; at <= requests.size();) {
      const auto end = std::min(requests.find('|', at), requests.size());
      for (const auto* result : of(requests.substr(at, end - at))) {
        ++seen;
        const auto& got = result->device.device.get();
        if (!std::regex_match(got, want)) complain("device {} is not {}", got, pattern);
      }
      at = end + 1;
    }
    if (seen == 0) complain("no device for {}", requests);
  }

  /// The devices of the rule's requests have `different` values of its attribute.
  void attribute(const Json& rule, std::size_t different) {
    const auto name = rule.at(0).get<std::string>();
    std::set<AttributeValue> values;
    for (std::size_t i = 1; i < rule.size(); ++i) {
      for (const auto* result : of(rule.at(i).get<std::string>())) {
        const auto& attributes = devices_.at(result->device);
        const auto found = attributes.find(name);
        if (found == attributes.end()) {
          complain("{} has no {}", result->device.to_string(), name);
        } else {
          values.insert(found->second);
        }
      }
    }
    if (values.size() != different) {
      complain("{} has {} values among {}, want {}", name, values.size(), rule.dump(), different);
    }
  }

  void consumed(const std::string& capacity, const Quantity& want) {
    if (results_.empty()) complain("no device consumes {}", capacity);
    for (const auto& result : results_) {
      const auto got = result.consumed_capacity.find(capacity);
      if (got == result.consumed_capacity.end() || got->second != want) {
        complain("{} does not consume {} of {}", result.device.to_string(), want.to_string(),
                 capacity);
      }
    }
  }

  void extras(const Json& want) {
    if (want.value("admin", false) &&
        !std::ranges::all_of(results_, [](const auto& r) { return r.admin_access == true; })) {
      complain("devices without admin access");
    }
    for (const auto& condition : want.value("binding", std::vector<std::string>())) {
      const bool found = std::ranges::any_of(results_, [&](const auto& result) {
        return std::ranges::find(result.binding_conditions, condition) !=
               result.binding_conditions.end();
      });
      if (!found) complain("no device with binding condition {}", condition);
    }
    if (want.contains("extended") && extended_ != want["extended"].get<std::size_t>()) {
      complain("{} devices behind extended resources", extended_);
    }
    if (!want.contains("warn")) return;
    const auto warning = want["warn"].get<std::string>();
    const bool warned = std::ranges::any_of(outcome_.warnings, [&](const auto& said) {
      return said.find(warning) != std::string::npos;
    });
    if (!warned) complain("warnings {}, want \"{}\"", outcome_.warnings, warning);
  }

  const Devices& devices_;
  const planner::JobOutcome& outcome_;
  std::vector<AllocatedDevice> results_;
  std::size_t extended_ = 0;
  std::vector<std::string> wrong_;
};

alloc::AllocatorOptions options_for(const Json& scenario) {
  alloc::AllocatorOptions options;
  options.mode = alloc::Mode::best;
  for (const auto& gate : scenario.value("gates", std::vector<std::string>())) {
    (void)options.features.set_gate(gate, true);
  }
  return options;
}

/// What is beyond placing pods one by one, and why.
const std::map<std::string, std::string> beyond{
    {"gang-lookahead", "a gang: pods are placed one by one here, tests/cluster binds it"},
    {"gang-too-big", "a gang: pods are placed one by one here, tests/cluster lets it wait"}};

void play(const fs::path& base, const Json& scenario, Report& report) {
  const auto id = scenario.at("name").get<std::string>();
  if (const auto why = beyond.find(id); why != beyond.end()) return report.skip(why->second);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(base)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(".yaml") && name[0] >= '0' && name[0] <= '9') files.push_back(entry.path());
  }
  std::ranges::sort(files);
  if (scenario.contains("inventory")) files.push_back(base / scenario["inventory"]);
  Devices devices;
  cluster::ClusterState cluster;
  for (const auto& file : files) {
    for (auto& object : objects_of(file)) {
      if (const auto* slice = std::get_if<ResourceSlice>(&object)) {
        for (const auto& device : slice->devices) {
          devices[{slice->driver, slice->pool, device.name}] = device.attributes;
        }
      }
      cluster.apply(cluster::ObjectChanged{std::move(object)});
    }
  }
  planner::WhatIf what_if(std::move(cluster), options_for(scenario));
  std::vector<Pod> pods;
  for (auto& object : objects_of(base / scenario.at("file").get<std::string>())) {
    if (auto* pod = std::get_if<Pod>(&object)) {
      pods.push_back(std::move(*pod));
    } else {
      what_if.add(std::move(object));
    }
  }
  std::vector<std::string> wrong;
  for (const auto& pod : pods) {
    const auto outcome = what_if.place(pod);
    for (auto& each : Check(devices, outcome).wrong(scenario.at("pods").at(pod.meta.name))) {
      wrong.push_back(pod.meta.name + ": " + each);
    }
  }
  if (wrong.empty()) {
    fmt::print("pass {}\n", id);
    report.pass();
  } else {
    report.fail(id, fmt::format("{}", fmt::join(wrong, "; ")), scenario.at("pods").dump());
  }
}

void run_scenarios(const fs::path& file, Report& report) {
  const auto text = wire::yaml_to_json(read_text(file));
  if (!text) throw std::runtime_error(text.error().message);
  for (const auto& scenario : Json::parse(*text)) {
    play(file.parent_path().parent_path(), scenario, report);
  }
}

const Register scenarios("scenarios", FileSuite(run_scenarios));

}  // namespace
}  // namespace dray::cases
