#include "app/doctor/installed_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

namespace dray::app {
namespace {

constexpr std::string_view exclusion_path =
    "/api/v1/namespaces/dray-system/configmaps/dray-exclusion";
constexpr std::string_view apply = "kubectl apply -k manifests";

bool is_flow(const Installed& object) {
  return object.api_version.starts_with("flowcontrol.apiserver.k8s.io/");
}

/// The fault of an object that is not there; none: it is not judged.
std::optional<Fault> fault_of_missing(const Installed& object) {
  if (object.kind == "ServiceAccount") return Fault::account_missing;
  if (object.kind == "Lease") return Fault::lease_missing;
  if (object.kind == "ConfigMap") return Fault::exclusion_missing;
  if (is_flow(object)) return Fault::flow_missing;
  if (!object.is_admission()) return std::nullopt;
  return object.is_binding() ? Fault::policy_unbound : Fault::policy_missing;
}

/// The fault of an object whose spec is another; none: what stands there is the operator's to say.
std::optional<Fault> fault_of_altered(const Installed& object) {
  if (is_flow(object)) return Fault::flow_altered;
  if (!object.is_admission()) return std::nullopt;
  return object.is_binding() ? Fault::policy_unbound : Fault::policy_altered;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const auto& part : std::views::split(text, '\n')) {
    std::string line(part.begin(), part.end());
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

void check_schedulers(const InstalledThere& there, const std::string& scheduler_name,
                      Findings& findings) {
  const auto found = there.found.find(exclusion_path);
  if (found == there.found.end()) return;
  const auto said = lines_of(text_at(found->second, {"data", "schedulers"}));
  if (std::ranges::find(said, scheduler_name) != said.end()) return;
  findings.push_back({Fault::schedulers_unlisted, "ConfigMap dray-system/dray-exclusion",
                      fmt::format("data.schedulers does not name {}", scheduler_name),
                      fmt::format("add the line {} to data.schedulers", scheduler_name)});
}

}  // namespace

Findings check_installed(const std::vector<Installed>& manifests, const InstalledThere& there,
                         const std::string& scheduler_name) {
  Findings findings;
  for (const auto& object : manifests) {
    if (there.unknown.contains(object.path())) continue;
    const auto found = there.found.find(object.path());
    if (found == there.found.end()) {
      if (const auto fault = fault_of_missing(object)) {
        findings.push_back({*fault, object.describe(), "it is not there", std::string(apply)});
      }
      continue;
    }
    const auto fault = fault_of_altered(object);
    if (!fault) continue;
    const auto* want = at(object.tree, {"spec"});
    const auto* have = at(found->second, {"spec"});
    const auto differs =
        difference(want == nullptr ? Tree() : *want, have == nullptr ? Tree() : *have, "spec");
    if (differs) {
      findings.push_back({*fault, object.describe(), *differs,
                          fmt::format("{} (of the version of this dray)", apply)});
    }
  }
  check_schedulers(there, scheduler_name, findings);
  return findings;
}

Findings check_plugin_may_allocate(const InstalledThere& there) {
  const auto drivers = exclusive_drivers(there);
  if (!drivers || drivers->empty()) return {};
  return {{Fault::plugin_refused, "ConfigMap dray-system/dray-exclusion",
           fmt::format("data.drivers names {}", drivers->front()),
           "empty data.drivers, or run mode allocate"}};
}

std::optional<std::vector<std::string>> exclusive_drivers(const InstalledThere& there) {
  const auto found = there.found.find(exclusion_path);
  if (found == there.found.end()) return std::nullopt;
  return lines_of(text_at(found->second, {"data", "drivers"}));
}

}  // namespace dray::app
