#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/base/time.h"
#include "dray/policy/keys.h"
#include "wire/policy/policy_codec.h"

namespace dray::app {

/// What becomes of a pod under a policy, at once.
enum class TestOutcome : std::uint8_t {
  starts,        ///< it gets room that is free
  starts_later,  ///< it gets room that others leave for it
  waits,
  runs,  ///< it ran before, and goes on
  moves,
  evicted,
};

/// By which budgets a case is planned.
enum class TestBudgets : std::uint8_t {
  none,  ///< all in one plan
  real,  ///< the policy's, in as many plans as `dray serve` would make
};

[[nodiscard]] inline std::span<const policy::Word<TestBudgets>> words_of(TestBudgets) {
  using policy::Word;
  static constexpr std::array words{Word{"none", TestBudgets::none},
                                    Word{"real", TestBudgets::real}};
  return words;
}

/// Its words in a test file.
[[nodiscard]] inline std::span<const policy::Word<TestOutcome>> words_of(TestOutcome) {
  using policy::Word;
  static constexpr std::array words{
      Word{"starts", TestOutcome::starts}, Word{"starts-later", TestOutcome::starts_later},
      Word{"waits", TestOutcome::waits},   Word{"runs", TestOutcome::runs},
      Word{"moves", TestOutcome::moves},   Word{"evicted", TestOutcome::evicted}};
  return words;
}
[[nodiscard]] std::string_view word(TestOutcome outcome);

/// A job of a case, said in short: so many pods alike, each with its devices.
struct TestJob {
  std::string name;  ///< NAME or NAMESPACE/NAME
  std::int32_t pods = 1;
  std::optional<std::int32_t> together;
  std::int32_t devices = 1;  ///< of each pod
  std::string device_class = "gpu.nvidia.com";
  std::map<std::string, Quantity, std::less<>> requests;
  std::map<std::string, std::string, std::less<>> labels;
  std::string service_account;
  std::int32_t priority = 0;
  std::optional<Duration> running;  ///< for so long; absent: it waits
  std::optional<Duration> waiting;
  std::vector<std::string> on;

  /// Its keys in a test file.
  static void describe(auto& io, auto& job) {
    io.required("name", job.name, "NAME or NAMESPACE/NAME; without a namespace: default.");
    io.key("pods", job.pods, policy::at_least(1), "How many pods it has, all alike.");
    io.key("together", job.together, policy::at_least(1),
           "How many of them start together or not at all. Absent: all. 1: each for itself.");
    io.key("devices", job.devices, policy::at_least(0), "Devices that each pod asks for.");
    io.key("deviceClass", job.device_class, "Their DeviceClass.");
    io.key("requests", job.requests, "What each pod asks for besides, as cpu and memory.");
    io.key("labels", job.labels, "Of each pod.");
    io.key("serviceAccount", job.service_account, "Of each pod, by its name.");
    io.key("priority", job.priority, "Of each pod, as of its PriorityClass.");
    io.key("running", job.running, "It runs, for so long. Absent: it waits.");
    io.key("waiting", job.waiting,
           "How long it has waited. Absent: a moment; jobs that stand first waited longer.");
    io.key("on", job.on, "The nodes where its pods run, or may run. Absent: any.");
  }
};

/// What is to become of a job.
struct TestExpectation {
  std::string job;
  TestOutcome outcome = TestOutcome::starts;
  std::optional<std::int32_t> pods;
  std::vector<std::string> on;
  std::vector<std::string> devices;
  std::string queue;
  std::string reason;
  std::string says;

  /// Its keys in a test file.
  static void describe(auto& io, auto& expectation) {
    io.required("job", expectation.job,
                "A job of the case; or a pod of its workload, a group, or who owns pods.");
    io.required("outcome", expectation.outcome,
                "What becomes of its pods: they get room that is free, or room that others leave; "
                "they wait; they ran before and go on, move or are evicted.");
    io.key("pods", expectation.pods, policy::at_least(0),
           "Of how many pods all this is true. Absent: of all.");
    io.key("on", expectation.on, "The nodes: each of these pods is on one of them.");
    io.key("devices", expectation.devices,
           "The devices that these pods get, all of them: NAME, POOL/NAME or DRIVER/POOL/NAME.");
    io.key("queue", expectation.queue, "The queue that they are in.");
    io.key("reason", expectation.reason,
           "Why they wait: a name of docs/policy.md#why-a-pod-waits.");
    io.key("says", expectation.says, "Words in the text that says why.");
  }
};

/// One situation, and what a policy is to make of it.
struct TestCase {
  std::string name;
  std::string policy;
  std::vector<std::string> cluster;
  std::vector<std::string> workload;
  std::vector<TestJob> jobs;
  std::string at;
  TestBudgets budgets = TestBudgets::none;
  std::vector<TestExpectation> expect;

  /// Its keys in a test file.
  static void describe(auto& io, auto& test) {
    io.required("name", test.name, "What the case shows.");
    io.key("policy", test.policy, "A policy file in place of the one of all cases.");
    io.key("cluster", test.cluster, "In place of the one of all cases.");
    io.key("workload", test.workload, "Manifests: pods, claims, groups. Files and folders.");
    io.key("jobs", test.jobs, "Jobs said in short, which run or wait.");
    io.key("at", test.at,
           "When it is, as 2026-01-02T03:04:05Z, where manifests say times. Absent: now.");
    io.key("budgets", test.budgets,
           "real: with the policy's budgets, in as many plans as dray serve would make; none: in "
           "one plan without them, unless the file says real.");
    io.required("expect", test.expect, "What is to become of which job.");
  }
};

/// A file of `dray policy test`.
struct PolicyTestFile {
  std::string policy;
  std::vector<std::string> cluster;
  TestBudgets budgets = TestBudgets::none;
  std::vector<TestCase> cases;

  /// Its keys.
  static void describe(auto& io, auto& file) {
    io.constant("apiVersion", "dray.dev/v1alpha1", "The version of this form.");
    io.constant("kind", "PolicyTest", "");
    io.key("policy", file.policy, "The policy file. Relative paths are of this file's folder.");
    io.key("cluster", file.cluster,
           "Manifests or snapshots, files and folders; nodes:COUNTxKIND: so many nodes of a kind "
           "that the demo's cluster has, named KIND-000000 and on.");
    io.key("budgets", file.budgets, "Of all cases: see cases[].budgets.");
    io.required("cases", file.cases, "Each is planned by itself.");
  }
};

/// A test file as read: its problems in the order of the file, and, if there is none, what it says.
struct ReadPolicyTest {
  std::optional<PolicyTestFile> file;
  std::vector<wire::PolicyProblem> problems;
  std::vector<int> case_lines;                      ///< where each case begins
  std::vector<std::vector<int>> expectation_lines;  ///< of each case
};

/// Reads a test file; what has to hold between its keys is looked at once its form is right.
[[nodiscard]] ReadPolicyTest read_policy_test(std::string_view yaml);

/// The JSON Schema of test files: config/policy-test.schema.json.
[[nodiscard]] std::string policy_test_schema();

/// NAMESPACE/NAME of a job's or a pod's name in a test file.
[[nodiscard]] std::string full_name(const std::string& name);

}  // namespace dray::app
