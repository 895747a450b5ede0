#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/policy/policy_test_file.h"
#include "app/policy/test_cluster.h"
#include "dray/simulate/pod_fate.h"

namespace dray::app {

/// How pods of a job fared that fared alike.
struct TestGot {
  std::size_t pods = 0;
  std::string outcome;          ///< a word of TestOutcome, or why there is none
  std::vector<std::string> on;  ///< nodes
  std::vector<std::string> devices;
  std::string queue;
  std::string reason;  ///< the Reason's name
  std::string why;     ///< for people

  /// `waits, QueueLimit: the queue is at its limit: …`
  [[nodiscard]] std::string to_string() const;
  bool operator==(const TestGot&) const = default;
};

/// One expectation, held against what came.
struct TestCheck {
  std::string job;
  int line = 0;
  bool passed = false;
  std::string expected;      ///< `starts on dgxh100-000000 (4 pods)`
  std::vector<TestGot> got;  ///< the most pods first
};

/// `starts on dgxh100-000000 with gpu-0, in queue research`: what is expected, in words.
[[nodiscard]] std::string expectation_text(const TestExpectation& want);

/// What became of the job's pods by the plan.
[[nodiscard]] TestCheck check_expectation(const TestExpectation& want, const TestCluster& cluster,
                                          const simulate::Fates& fates);

}  // namespace dray::app
