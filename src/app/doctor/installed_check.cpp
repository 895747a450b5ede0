#include "app/doctor/installed_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

namespace dray::app {
namespace {

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

void check_schedulers(const InstalledThere& there, const std::string& scheduler_name,
                      Findings& findings) {
  const auto found = there.found.find(exclusion_path(there.where));
  if (found == there.found.end()) return;
  const auto said = lines_of(text_at(found->second, {"data", "schedulers"}));
  if (std::ranges::find(said, scheduler_name) != said.end()) return;
  findings.push_back({Fault::schedulers_unlisted,
                      there.where.describe("ConfigMap", "dray-exclusion"),
                      fmt::format("data.schedulers does not name {}", scheduler_name),
                      fmt::format("add the line {} to data.schedulers", scheduler_name)});
}

/// Policies that let nobody but the drays that they name write marks.
void check_others(const std::vector<Installed>& manifests, const InstalledThere& there,
                  Findings& findings) {
  for (const auto& object : manifests) {
    if (object.kind != "ValidatingAdmissionPolicy" || !object.name.contains("-marks")) continue;
    const auto found = there.found.find(object.path());
    if (found == there.found.end()) continue;
    for (const auto& other : there.others) {
      const auto account = other.where.account();
      if (names_account(found->second, account)) continue;
      findings.push_back(
          {Fault::other_unlisted, object.describe(), fmt::format("it does not name {}", account),
           fmt::format("add {} to its accounts (otherAccounts of the chart)", account)});
    }
  }
}

}  // namespace

std::string exclusion_path(const Installation& where) {
  return resource_path("v1", "ConfigMap", where.namespace_name) + "/dray-exclusion";
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const auto& part : std::views::split(text, '\n')) {
    std::string line(part.begin(), part.end());
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

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
    const auto seen = without_accounts(found->second, there.others);
    const auto* have = at(seen, {"spec"});
    const auto differs =
        difference(want == nullptr ? Tree() : *want, have == nullptr ? Tree() : *have, "spec");
    if (differs) {
      findings.push_back({*fault, object.describe(), *differs,
                          fmt::format("{} (of the version of this dray)", apply)});
    }
  }
  check_schedulers(there, scheduler_name, findings);
  check_others(manifests, there, findings);
  return findings;
}

Findings check_plugin_may_allocate(const InstalledThere& there) {
  const auto drivers = exclusive_drivers(there);
  if (!drivers || drivers->empty()) return {};
  return {{Fault::plugin_refused, there.where.describe("ConfigMap", "dray-exclusion"),
           fmt::format("data.drivers names {}", drivers->front()),
           "empty data.drivers, or run mode allocate"}};
}

std::optional<std::vector<std::string>> exclusive_drivers(const InstalledThere& there) {
  const auto found = there.found.find(exclusion_path(there.where));
  if (found == there.found.end()) return std::nullopt;
  return lines_of(text_at(found->second, {"data", "drivers"}));
}

}  // namespace dray::app
