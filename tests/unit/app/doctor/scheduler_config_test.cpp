#include "app/doctor/scheduler_config.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

namespace dray::app::scheduler_config_test {
namespace {

std::string shipped() {
  std::ifstream in("config/scheduler.yaml");
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The shipped configuration with one text in it another.
std::string changed(const std::string& from, const std::string& to) {
  auto text = shipped();
  const auto at = text.find(from);
  INFO(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::vector<std::string> names(const Findings& findings) {
  std::vector<std::string> all;
  for (const auto& finding : findings) all.emplace_back(fault_info(finding.fault).name);
  return all;
}

struct Row {
  std::string from;
  std::string to;
  std::string fault;
};

constexpr auto extender =
    "- urlPrefix: https://dray.dray-system.svc:9443/v1\n  filterVerb: filter\n";

}  // namespace

TEST_CASE("the shipped configuration of kube-scheduler has no fault") {
  CHECK(names(check_scheduler_config(shipped(), "f", {})).empty());
}

TEST_CASE("each fault of kube-scheduler's configuration is found, alone") {
  const auto row = GENERATE(values<Row>({
      {"percentageOfNodesToScore: 100", "percentageOfNodesToScore: 50", "scheduler-samples-nodes"},
      {"percentageOfNodesToScore: 100\n", "", "scheduler-samples-nodes"},
      {"multiPoint: {disabled: [{name: DynamicResources}]}", "{}", "scheduler-allocates-devices"},
      {"multiPoint: {disabled: [{name: DynamicResources}]}",
       "{multiPoint: {disabled: [{name: DynamicResources}]}, filter: {enabled: [{name: "
       "DynamicResources}]}}",
       "scheduler-allocates-devices"},
      {"- schedulerName: dray-scheduler\n", "- schedulerName: default-scheduler\n",
       "scheduler-name-unknown"},
      {"extenders:", "- schedulerName: another\nextenders:", "scheduler-several-profiles"},
      {"  filterVerb: filter\n", "", "extender-verb-missing"},
      {"  preemptVerb: preempt\n", "", "extender-verb-missing"},
      {"  bindVerb: bind\n", "", "extender-verb-missing"},
      {"  preemptVerb: preempt\n", "  preemptVerb: preempt\n  bindVerb: bind\n  httpTimeout: 30s\n",
       "extender-two-binders"},
      {"ignorable: false", "ignorable: true", "extender-ignorable"},
      {"ignorable: false", "managedResources: [{name: example.com/gpu}]",
       "extender-managed-resources"},
      {"nodeCacheCapable: true", "nodeCacheCapable: false", "extender-sends-nodes"},
      {"httpTimeout: 30s", "httpTimeout: 10s", "extender-timeout-short"},
      {"  httpTimeout: 30s\n", "", "extender-timeout-short"},
      {"httpTimeout: 5s", "httpTimeout: 500ms", "extender-timeout-short"},
      {"  tlsConfig: &tls\n    caFile: /etc/dray/tls/ca.crt\n",
       "  tlsConfig: &tls\n    insecure: true\n", "extender-tls-unverified"},
      {"    caFile: /etc/dray/tls/ca.crt\n", "", "extender-tls-unverified"},
      {"https://dray.dray-system.svc:9443/v1\n  filterVerb",
       "http://dray.dray-system.svc:9443/v1\n  filterVerb", "extender-plain-http"},
      {"preemptVerb: preempt\n",
       "preemptVerb: preempt\n  prioritizeVerb: prioritize\n  weight: 15\n", "extender-weight"},
      {"clientConnection: {qps: 5000, burst: 5000}\n", "", "scheduler-client-slow"},
      {"qps: 5000", "qps: 100", "scheduler-client-slow"},
      {"kind: KubeSchedulerConfiguration", "kind: Policy", "scheduler-config-unreadable"},
      {"profiles:", "profiles: [", "scheduler-config-unreadable"},
  }));
  DYNAMIC_SECTION(row.fault << ": " << row.from << " -> " << row.to) {
    auto text = changed(row.from, row.to);
    // The added binder and the multi-line anchors leave a second httpTimeout: keep the last.
    if (row.fault == "extender-two-binders") {
      const auto second = text.find("  httpTimeout: 5s\n");
      text.erase(second, std::string("  httpTimeout: 5s\n").size());
    }
    const auto found = check_scheduler_config(text, "f", {});
    REQUIRE(!found.empty());
    for (const auto& name : names(found)) CHECK(name == row.fault);
    CHECK(!found.front().what.empty());
    CHECK(!found.front().mend.empty());
  }
}

TEST_CASE("a finding names the file and the extender with its URL") {
  const auto found =
      check_scheduler_config(changed("ignorable: false", "ignorable: true"), "f", {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].object == "f: extenders[0] (https://dray.dray-system.svc:9443/v1)");
}

TEST_CASE("on loopback plain HTTP is no fault") {
  auto text = shipped();
  const std::string far = "https://dray.dray-system.svc:9443/v1";
  for (auto at = text.find(far); at != std::string::npos; at = text.find(far, at)) {
    text.replace(at, far.size(), "http://127.0.0.1:9443/v1");
  }
  CHECK(names(check_scheduler_config(text, "f", {})).empty());
}

TEST_CASE("a client without a bound is not slow") {
  CHECK(names(check_scheduler_config(changed("qps: 5000", "qps: -1"), "f", {})).empty());
}

TEST_CASE("in mode advise the plugin has to be on, and nobody but kube-scheduler binds") {
  SchedulerWanted advise;
  advise.mode = SchedulerMode::advise;
  CHECK(names(check_scheduler_config(shipped(), "f", advise)) ==
        std::vector<std::string>{"scheduler-plugin-off", "extender-verb-missing",
                                 "extender-verb-unwanted"});
  const std::string good =
      "kind: KubeSchedulerConfiguration\nclientConnection: {qps: 5000}\n"
      "percentageOfNodesToScore: 100\nprofiles: [{schedulerName: dray-scheduler}]\nextenders:\n" +
      std::string(extender) +
      "  prioritizeVerb: prioritize\n  weight: 200\n  nodeCacheCapable: true\n"
      "  tlsConfig: {caData: eA==}\n";
  CHECK(names(check_scheduler_config(good, "f", advise)).empty());
}

}  // namespace dray::app::scheduler_config_test
