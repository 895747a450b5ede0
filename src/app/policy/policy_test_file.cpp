#include "app/policy/policy_test_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "dray/base/suggest.h"
#include "dray/model/reason.h"
#include "wire/policy/policy_examples.h"
#include "wire/policy/section_reading.h"

namespace dray::app {
namespace {

constexpr auto examples = std::to_array<wire::KeyExample>({
    {"policy", "teams.yaml"},
    {"cluster", "[\"nodes:4xdgxh100\"]"},
    {"cases[].name", "what product is owed comes back to it"},
    {"cases[].policy", "teams.yaml"},
    {"cases[].cluster", "[cluster.yaml]"},
    {"cases[].workload", "[pods.yaml]"},
    {"budgets", "real"},
    {"cases[].budgets", "real"},
    {"cases[].at", "\"2026-01-02T03:04:05Z\""},
    {"cases[].jobs[].name", "research/train"},
    {"cases[].jobs[].pods", "4", "pods"},
    {"cases[].jobs[].together", "4", "pods"},
    {"cases[].jobs[].devices", "8", "devices"},
    {"cases[].jobs[].deviceClass", "gpu.nvidia.com"},
    {"cases[].jobs[].requests", "{cpu: 8, memory: 64Gi}"},
    {"cases[].jobs[].labels", "{dray.dev/queue: research}"},
    {"cases[].jobs[].serviceAccount", "runner"},
    {"cases[].jobs[].priority", "100"},
    {"cases[].jobs[].running", "2h"},
    {"cases[].jobs[].on", "[dgxh100-000000]"},
    {"cases[].expect[].job", "research/train"},
    {"cases[].expect[].outcome", "waits"},
    {"cases[].expect[].pods", "2", "pods"},
    {"cases[].expect[].on", "[dgxh100-000000]"},
    {"cases[].expect[].devices", "[gpu-0, gpu-1]"},
    {"cases[].expect[].queue", "research"},
    {"cases[].expect[].reason", "QueueLimit"},
    {"cases[].expect[].says", "limit 16"},
});

std::string key_below(const std::string& path, std::string_view key) {
  return fmt::format("{}.{}", path, key);
}

/// What has to hold between the keys of a file whose form is right.
class Rules {
 public:
  explicit Rules(wire::PolicyForm& form) : form_(form) {}

  void check(const PolicyTestFile& file) {
    if (file.cases.empty()) error("cases", "there is none");
    std::set<std::string> names;
    for (std::size_t i = 0; i < file.cases.size(); ++i) {
      const auto path = fmt::format("cases[{}]", i);
      const auto& test = file.cases[i];
      if (!names.insert(test.name).second) {
        error(key_below(path, "name"), "another case has that name");
      }
      if (file.policy.empty() && test.policy.empty()) {
        error(key_below(path, "policy"), "is missing, here and at the top: which file is tested?");
      }
      if (file.cluster.empty() && test.cluster.empty()) {
        error(key_below(path, "cluster"),
              "is missing, here and at the top; as [\"nodes:4xdgxh100\"]");
      }
      if (test.expect.empty()) error(key_below(path, "expect"), "nothing is expected");
      check_time(test, path);
      check_jobs(test, path);
      check_expectations(test, path);
    }
  }

 private:
  void error(const std::string& path, std::string text) {
    form_.problems().push_back(
        {policy::ConfigProblem::Severity::error, form_.place_of(path), path, std::move(text)});
  }

  void check_time(const TestCase& test, const std::string& path) {
    if (test.at.empty()) return;
    if (const auto time = parse_time(test.at); !time)
      error(key_below(path, "at"), time.error().message);
  }

  void check_jobs(const TestCase& test, const std::string& path) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < test.jobs.size(); ++i) {
      const auto& job = test.jobs[i];
      const auto own = fmt::format("{}.jobs[{}]", path, i);
      if (!names.insert(full_name(job.name)).second) {
        error(key_below(own, "name"), "another job of the case has that name");
      }
      if (job.together.value_or(1) > job.pods) {
        error(key_below(own, "together"), fmt::format("the job has {} pods", job.pods));
      }
      if (job.running && job.waiting) error(key_below(own, "waiting"), "it runs");
    }
  }

  void check_expectations(const TestCase& test, const std::string& path) {
    for (std::size_t i = 0; i < test.expect.size(); ++i) {
      const auto& want = test.expect[i];
      const auto own = fmt::format("{}.expect[{}]", path, i);
      const bool waits = want.outcome == TestOutcome::waits;
      const bool placed = want.outcome == TestOutcome::starts ||
                          want.outcome == TestOutcome::starts_later ||
                          want.outcome == TestOutcome::moves;
      if (!want.reason.empty() && !waits)
        error(key_below(own, "reason"), "only what waits has one");
      if (!want.reason.empty()) check_reason(want.reason, key_below(own, "reason"));
      if (!want.on.empty() && waits) error(key_below(own, "on"), "what waits has no node");
      if (!want.devices.empty() && !placed) {
        error(key_below(own, "devices"), "only of what starts, starts-later or moves");
      }
    }
  }

  void check_reason(const std::string& reason, const std::string& path) {
    std::vector<std::string> known;
    for (const auto& row : all_reasons()) known.emplace_back(row.name);
    if (std::ranges::find(known, reason) != known.end()) return;
    error(path, "no such Reason" + suggest(reason, known));
  }

  wire::PolicyForm& form_;
};

}  // namespace

std::string_view word(TestOutcome outcome) {
  const auto words = words_of(outcome);
  return std::ranges::find(words, outcome, &policy::Word<TestOutcome>::value)->text;
}

std::string full_name(const std::string& name) {
  return name.contains('/') ? name : "default/" + name;
}

ReadPolicyTest read_policy_test(std::string_view yaml) {
  auto read = wire::read_section<PolicyTestFile>(yaml);
  if (read.value) Rules(read.form).check(*read.value);
  ReadPolicyTest test;
  test.problems = std::move(read.problems());
  std::ranges::sort(test.problems, {}, [](const wire::PolicyProblem& problem) {
    return std::tie(problem.place, problem.path, problem.text);
  });
  if (!test.problems.empty()) return test;
  test.file = std::move(read.value);
  for (std::size_t i = 0; i < test.file->cases.size(); ++i) {
    const auto path = fmt::format("cases[{}]", i);
    test.case_lines.push_back(read.form.place_of(path).line);
    auto& lines = test.expectation_lines.emplace_back();
    for (std::size_t j = 0; j < test.file->cases[i].expect.size(); ++j) {
      lines.push_back(read.form.place_of(fmt::format("{}.expect[{}]", path, j)).line);
    }
  }
  return test;
}

std::string policy_test_schema() {
  return wire::json_schema("dray policy test", wire::shape_of<PolicyTestFile>(), examples);
}

}  // namespace dray::app
