#pragma once

#include <string>

#include "tests/cases/kai_world.h"
#include "tests/cases/policy_case.h"

namespace dray::cases {

/// Where a world is not as a case expects it: what it has there, and what the case wants.
class Mismatches {
 public:
  /// A task's status, node and zones against what is expected of it.
  void task(const KaiWorld& world, const KaiTask& task, const Json& expected);
  /// What a node has left.
  void node(const KaiWorld& world, const std::string& name, const Json& expected);
  void differ(const std::string& got, const std::string& want, const std::string& why = {});
  /// KAI's tests bound the calls of each session.
  void limit(const char* what, std::size_t count, const Json& limits, const char* key);

  [[nodiscard]] const Verdict& verdict() const { return verdict_; }
  /// As verdict().got, without dray's own words for why a task waits.
  [[nodiscard]] const std::string& outcome() const { return outcome_; }
  [[nodiscard]] bool none() const { return verdict_.got.empty() && verdict_.want.empty(); }

 private:
  Verdict verdict_;
  std::string outcome_;
};

/// Against the case's own table.
[[nodiscard]] Mismatches check_expected(const KaiWorld& world, const Json& json);
/// Against the end that KAI was seen to come to.
[[nodiscard]] Mismatches check_observed(const KaiWorld& world, const Json& json);

}  // namespace dray::cases
